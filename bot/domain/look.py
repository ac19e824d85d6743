"""How somebody likes boards to look: a theme and a size, whichever way the board is drawn."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace


class Theme(enum.StrEnum):
    """From the usual one to the one that needs no colours and no pictures."""

    CLASSIC = "classic"
    DARK = "dark"
    COLOUR_BLIND = "colour-blind"
    SHAPES = "shapes"
    LETTERS = "letters"


class Size(enum.StrEnum):
    SMALL = "small"
    NORMAL = "normal"
    LARGE = "large"


_NEEDS = tuple(Theme)
"""Of two people's themes the later one is taken: who needs letters cannot do without them."""


@dataclass(frozen=True, slots=True)
class Look:
    """emoji: those of our own that Discord has, as they are written, by what is on them. It is no wish: it
    comes with whoever shows the board, and two looks without it are the same.

    is_whole: whether those are all of a game, by its key, as far as that was asked."""

    theme: Theme = Theme.CLASSIC
    size: Size = Size.NORMAL
    emoji: Mapping[Hashable, str] = field(default_factory=dict, compare=False, repr=False)
    is_whole: dict[str, bool] = field(default_factory=dict, init=False, compare=False, repr=False)

    def written_in(self, emoji: Mapping[Hashable, str]) -> Look:
        return replace(self, emoji=emoji)


CLASSIC = Look()
"""What boards look like to whoever has no wish."""


def shared_look(themes: Iterable[Theme | None], sizes: Iterable[Size | None]) -> Look:
    """The look of a board that several people see; None is somebody without a wish."""
    wished = [theme for theme in themes if theme is not None]
    sized = [size for size in sizes if size is not None]
    return Look(
        max(wished, key=_NEEDS.index, default=Theme.CLASSIC),
        max(sized, key=tuple(Size).index, default=Size.NORMAL),
    )
