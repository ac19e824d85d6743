"""How somebody likes boards to look: a theme and a size, whichever way the board is drawn."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any


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


class OwnEmoji(Mapping[Hashable, str]):
    """Those of our own that Discord has, as they are written, by what is on them.

    found: what was found out of them so far, by whoever asks again and again; forgotten when they change.
    """

    def __init__(self, known: Mapping[Hashable, str] | None = None) -> None:
        self._known = dict(known or {})
        self.found: dict[Hashable, Any] = {}

    def __getitem__(self, key: Hashable) -> str:
        return self._known[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def change(self, known: Mapping[Hashable, str]) -> None:
        """Discord has these, and no others."""
        self._known = dict(known)
        self.found = {}

    def add(self, key: Hashable, written: str) -> None:
        """Discord has one more."""
        self.change({**self._known, key: written})


@dataclass(frozen=True, slots=True)
class Look:
    """emoji: is no wish: it comes with whoever shows the board, and two looks without it are the same."""

    theme: Theme = Theme.CLASSIC
    size: Size = Size.NORMAL
    emoji: OwnEmoji = field(default_factory=OwnEmoji, compare=False, repr=False)

    def written_in(self, emoji: Mapping[Hashable, str]) -> Look:
        return Look(self.theme, self.size, emoji if isinstance(emoji, OwnEmoji) else OwnEmoji(emoji))


CLASSIC = Look()
"""What boards look like to whoever has no wish."""


def shared_look(themes: Iterable[Theme | None], sizes: Iterable[Size | None]) -> Look:
    """The look of a board that several people see; None is somebody without a wish."""
    return _shared_look(frozenset(themes), frozenset(sizes))


@lru_cache(maxsize=256)
def _shared_look(themes: frozenset[Theme | None], sizes: frozenset[Size | None]) -> Look:
    """Every press on a board asks for its look."""
    return Look(
        max((theme for theme in themes if theme is not None), key=_NEEDS.index, default=Theme.CLASSIC),
        max((size for size in sizes if size is not None), key=tuple(Size).index, default=Size.NORMAL),
    )
