"""The Connect Four book: the perfect agent's own lines from the empty 6 x 7 board, whoever begins.

One int64 a position, ascending: key << 9 | column << 6 | score + 21. The key is that of the solver's
table, own + mask + (the bottom square of every column), of the position or its mirror image, whichever
is less; the column is the best move in that one. Made by tools/make_book.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np
import numpy.typing as npt

from engine.core import Move
from engine.games.connect_four.rules import ConnectFourState

PLACE = ("engine.data", "connect_four_6x7x4.npy")

_BOTTOM = sum(1 << 7 * column for column in range(7))
_KEY_SHIFT, _COLUMN_SHIFT, _SCORE_OFFSET = 9, 6, 21


def key_of(own: int, mask: int) -> tuple[int, bool]:
    """(the key, whether it is that of the mirror image)."""
    key = own + mask + _BOTTOM
    image = sum((key >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    return min(key, image), image < key


def stones_of(key: int) -> tuple[int, int]:
    """(own, mask): the stones of the side to move and all stones of the position with this key."""
    own = mask = 0
    for column in range(7):
        bits = key >> 7 * column & 127
        marker = 1 << bits.bit_length() - 1  # right above the highest stone
        own |= (bits ^ marker) << 7 * column
        mask |= (marker - 1) << 7 * column
    return own, mask


def entry(key: int, column: Move, score: int) -> int:
    return key << _KEY_SHIFT | column << _COLUMN_SHIFT | (score + _SCORE_OFFSET)


@dataclass(frozen=True, slots=True)
class Book:
    """The entries, ascending."""

    entries: npt.NDArray[np.int64]

    def find(self, state: ConnectFourState) -> tuple[Move, int] | None:
        """(the best move, its score for the side to move), or None for a position outside the book."""
        key, is_mirrored = key_of(state.own, state.mask)
        place = int(np.searchsorted(self.entries, key << _KEY_SHIFT))
        if place == len(self.entries) or int(self.entries[place]) >> _KEY_SHIFT != key:
            return None
        found = int(self.entries[place])
        column = found >> _COLUMN_SHIFT & 7
        return (6 - column if is_mirrored else column), (found & 63) - _SCORE_OFFSET


@cache
def connect_four_book() -> Book:
    """The book that comes with the project, read once."""
    package, name = PLACE
    with (resources.files(package) / name).open("rb") as file:
        return Book(np.load(file, allow_pickle=False))
