"""States of Pop Out for the compiled searches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from engine.core import Move
from engine.games.line_boards import bits_of
from engine.games.pop_out.kernels import search
from engine.games.pop_out.rules import BOARD, BOTTOM, COLUMNS, ROWS, STRIDE, K
from engine.games.search_board import SearchBoard
from engine.kernels.control import CONTEXT_WORDS
from engine.kernels.lines import Shape
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree

_SENTINELS = BOTTOM << ROWS


def _columns_at(distance: int) -> int:
    """Return the cells of the columns at that distance from the centre."""
    return sum(
        ((1 << ROWS) - 1) << STRIDE * column for column in range(COLUMNS) if abs(column - 3) == distance
    )


_ORDER = np.array([*map(_columns_at, range(4)), _SENTINELS], np.int64)
"""Drops from the centre outwards, then pops."""
SHAPE: Shape = (STRIDE, K, BOTTOM, BOARD, _columns_at(0), 1)


class _RepetitionSearch(RootSearch):
    """Knows which moves of the root end the game by repetition; the kernel ignores repetition."""

    drawn: frozenset[tuple[int, int]] = frozenset()

    def value(self, square: int, depth: int, best: int) -> int:
        if self._after(square) in self.drawn:
            self.pv[1, 0] = 0
            return 0
        return super().value(square, depth, best)


@dataclass(frozen=True, slots=True)
class PopOutBoard(SearchBoard):
    """own, mask: as in the rules. drawn: see `PopOutState`. Squares are those of `kernels.search`."""

    own: int
    mask: int
    drawn: frozenset[tuple[int, int]] = frozenset()

    @property
    def groups(self) -> list[list[int]]:
        moves = (self.mask + BOTTOM) & BOARD | (self.own & BOTTOM) << ROWS
        return [group for order in _ORDER if (group := bits_of(moves & int(order)))]

    @property
    def widest(self) -> int:
        return 2 * COLUMNS

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        found = _RepetitionSearch(
            search.search, self.after, run, SHAPE, _ORDER, prunes=prunes, rates=rates, seed=seed
        )
        found.drawn = self.drawn
        return found

    def after(self, square: int) -> tuple[int, int]:
        """Return the discs of the side to move and all discs, after the move."""
        if square % STRIDE != ROWS:
            return self.own ^ self.mask, self.mask | 1 << square
        low = 1 << square - ROWS
        column = (low << STRIDE) - low
        mine, left = (discs & ~column | (discs & column & ~low) >> 1 for discs in (self.own, self.mask))
        return mine ^ left, left

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        context = np.zeros(CONTEXT_WORDS, np.int64)
        place = run.describe(context, SHAPE)
        from engine.games.pop_out.kernels import uct  # loaded on use: it is compiled in a later stage

        uct.search(self.own, self.mask, exploration, depth, seed, place, *tree.arrays)

    def move_of(self, square: int) -> Move:
        column, row = divmod(square, STRIDE)
        return column + COLUMNS if row == ROWS else column
