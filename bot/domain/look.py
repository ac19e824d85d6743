"""How a board is drawn for a person: theme, size, and the bot's own emoji."""

from __future__ import annotations

import enum
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any


class Theme(enum.StrEnum):
    """Themes from the least to the most accessible: the last needs neither colours nor pictures."""

    CLASSIC = "classic"
    DARK = "dark"
    COLOUR_BLIND = "colour-blind"
    SHAPES = "shapes"
    LETTERS = "letters"


class Size(enum.StrEnum):
    SMALL = "small"
    NORMAL = "normal"
    LARGE = "large"


class OwnEmoji(Mapping[Hashable, str]):
    """The bot's own emoji that are uploaded to Discord: their markup by the tile that they display.

    found: results that callers derived from them and cache here; cleared when the emoji change.
    is_coming: more are being uploaded; until then, boards that lack some are pictures.
    """

    def __init__(self, known: Mapping[Hashable, str] | None = None) -> None:
        self._known = dict(known or {})
        self.found: dict[Hashable, Any] = {}
        self.is_coming = False

    def __getitem__(self, key: Hashable) -> str:
        return self._known[key]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def change(self, known: Mapping[Hashable, str]) -> None:
        """Replace all of them."""
        self._known = dict(known)
        self.found = {}

    def add(self, key: Hashable, written: str) -> None:
        """Add one that was uploaded."""
        self.change({**self._known, key: written})


@dataclass(frozen=True, slots=True)
class Look:
    """Theme, size and emoji of a board. emoji: set by the display, not chosen, and not compared."""

    theme: Theme = Theme.CLASSIC
    size: Size = Size.NORMAL
    emoji: OwnEmoji = field(default_factory=OwnEmoji, compare=False, repr=False)

    def written_in(self, emoji: Mapping[Hashable, str]) -> Look:
        return Look(self.theme, self.size, emoji if isinstance(emoji, OwnEmoji) else OwnEmoji(emoji))


CLASSIC = Look()
"""The look for people without preferences."""


def shared_look(themes: Iterable[Theme | None], sizes: Iterable[Size | None]) -> Look:
    """Return the look of a board that several people see. None: a person without that preference.

    The more accessible theme and the larger size win.
    """
    return _shared_look(frozenset(themes), frozenset(sizes))


@lru_cache(maxsize=256)
def _shared_look(themes: frozenset[Theme | None], sizes: frozenset[Size | None]) -> Look:
    """Cached, since every press on a board asks for its look."""
    chosen = [theme for theme in themes if theme is not None]
    return Look(
        max(chosen, key=tuple(Theme).index, default=Theme.CLASSIC),
        max((size for size in sizes if size is not None), key=tuple(Size).index, default=Size.NORMAL),
    )
