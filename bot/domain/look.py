"""How somebody likes boards to look: a theme and a size, whichever way the board is drawn."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass


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
    theme: Theme = Theme.CLASSIC
    size: Size = Size.NORMAL


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
