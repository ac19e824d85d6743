"""Search boards of Connect Four for states that exceed 64 bits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.core import Move, Player
from engine.games.connect_four.rules import ConnectFourState
from engine.games.line_boards import bits_of
from engine.games.search_board import SearchBoard
from engine.kernels import drop_search
from engine.kernels.control import CONTEXT_WORDS
from engine.kernels.drops import FIRST, HEIGHT, KEY_FACTOR, LAST, SECOND
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree

_SPARE_PLACES = 3
_DEEPEST = 64
"""In plies: no search is deeper, and no tree grows deeper."""


@dataclass(frozen=True, slots=True)
class LargeBoard(SearchBoard):
    """See `engine.kernels.drops`. places: the state's position, then one for every ply of a search."""

    places: Array
    windows: Array
    order: Array
    rows: int
    columns: int
    k: int

    @classmethod
    def of(cls, state: ConnectFourState) -> LargeBoard:
        stride, columns = state.rows + 2, state.columns
        places = np.full((min(state.rows * columns - state.ply, _DEEPEST) + _SPARE_PLACES,
                          (columns + 2) * stride), HEIGHT, np.int64)  # fmt: skip
        place = places[0].reshape(columns + 2, stride)
        cells = state.cells()
        for column in range(columns):
            discs = [cells[(state.rows - 1 - row) * columns + column] for row in range(state.rows)]
            place[column + 1, 1:-1] = [_disc(disc) for disc in discs]
            place[column + 1, 0] = HEIGHT + sum(disc is not None for disc in discs)
        place[0, 0], place[0, LAST] = HEIGHT + state.ply, 0
        return cls(places, *_layout(state.rows, columns, state.k), state.rows, columns, state.k)

    @property
    def widest(self) -> int:
        return self.columns

    @property
    def groups(self) -> list[list[int]]:
        """The open columns, from the centre outwards."""
        stride = self.rows + 2
        open_columns = sum(
            1 << column
            for column in range(self.columns)
            if self.places[0, (column + 1) * stride] - HEIGHT < self.rows
        )
        groups = (bits_of(open_columns & int(group)) for group in self.order)
        return [group for group in groups if group]

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        return RootSearch(
            drop_search.search, self.after, run, self.rules, self.order, prunes=prunes, rates=rates, seed=seed
        )

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        from engine.kernels import drop_uct  # loaded on use: it is compiled in a later stage

        context = np.zeros(CONTEXT_WORDS, np.int64)
        drop_uct.search(0, 0, exploration, depth, seed, run.describe(context, self.rules), *tree.arrays)

    def after(self, square: int) -> tuple[int, int]:
        """Write the position after a disc in that column to the second place; return that state."""
        place, bottom = self.places[1], (square + 1) * (self.rows + 2)
        place[:] = self.places[0]
        cell, disc = bottom + int(place[bottom]) - HEIGHT + 1, FIRST + (int(place[0]) & 1)
        place[cell], place[LAST] = disc, cell
        place[bottom] += 1
        place[0] += 1
        return 1, _signed((2 * cell + disc) * KEY_FACTOR)

    def move_of(self, square: int) -> Move:
        return square

    @property
    def rules(self) -> tuple[int, ...]:
        """See `engine.kernels.drops`; the addresses are valid while this board lives."""
        addresses = self.places.ctypes.data, self.windows.ctypes.data, len(self.windows)
        return self.rows + 2, self.columns, self.k, *addresses


def _disc(holder: Player | None) -> int:
    return 0 if holder is None else FIRST if holder is Player.FIRST else SECOND


def _signed(word: int) -> int:
    """Return the low 64 bits as an int64."""
    word &= (1 << 64) - 1
    return word - (1 << 64) if word >> 63 else word


@lru_cache(maxsize=64)
def _layout(rows: int, columns: int, k: int) -> tuple[Array, Array]:
    """Return (first cell and step of every k cells in a row, the columns in groups from the centre)."""
    stride = rows + 2
    windows = [
        ((column + 1) * stride + row + 1, right * stride + up)
        for column in range(columns)
        for row in range(rows)
        for up, right in ((1, 0), (-1, 1), (0, 1), (1, 1))
        if 0 <= row + (k - 1) * up < rows and column + (k - 1) * right < columns
    ]
    groups = [
        sum(1 << column for column in range(columns) if abs(2 * column - columns + 1) == distance)
        for distance in range(columns)
    ]
    return np.array(windows, np.int64), np.array([group for group in groups if group], np.int64)
