"""States of Othello for the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from engine.core import Move
from engine.games.line_boards import bits_of
from engine.games.othello.kernels import plain_search
from engine.games.othello.kernels.board import GRID_CORNERS, INNER_CORNERS, INNER_FRAME
from engine.games.search_board import SearchBoard
from engine.kernels.control import CONTEXT_WORDS, PASS
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run

if TYPE_CHECKING:
    from engine.kernels.uct_tree import UctTree


def signed(bits: int) -> int:
    """Return the int64 with these 64 bits."""
    return bits - (1 << 64) if bits >> 63 else bits


@dataclass(frozen=True, slots=True)
class OthelloBoard(SearchBoard):
    """Othello on 8 x 8 or 6 x 6; see `engine.games.othello.kernels.board` for the layout."""

    own: int
    opposing: int
    size: int

    @property
    def frame(self) -> int:
        return -1 if self.size == 8 else INNER_FRAME

    @property
    def order(self) -> Array:
        return _othello_order(self.size)

    @property
    def widest(self) -> int:
        return 33  # reachable by play on 8 x 8

    @property
    def groups(self) -> list[list[int]]:
        free: int = plain_search.legal_squares(self.own, self.opposing, self.frame)
        if free == 0:
            return [[PASS]]
        groups = (bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def _after(self, square: int) -> tuple[int, int]:
        """Return the discs of the side to move and of the other, after the move."""
        if square == PASS:
            return self.opposing, self.own
        move = signed(1 << square)
        turned: int = plain_search.flipped_discs(move, self.own, self.opposing)
        return self.opposing ^ turned, self.own | move | turned

    def plain_search(
        self, run: Run, *, prunes: bool = True, rates: Array | None = None, seed: int = 0
    ) -> RootSearch:
        return RootSearch(
            plain_search.search,
            self._after,
            run,
            (self.frame,),
            self.order,
            prunes=prunes,
            rates=rates,
            seed=seed,
        )

    def subtlety(self, square: int) -> int:
        move = 0 if square == PASS else signed(1 << square)
        return int(plain_search.subtlety(self.own, self.opposing, move, self.frame))

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        from engine.games.othello.kernels import uct  # loaded on use: it is compiled in a later stage

        context = np.zeros(CONTEXT_WORDS, np.int64)
        place = run.describe(context, (self.frame,))
        uct.search(self.own, self.opposing, exploration, depth, seed, place, *tree.arrays)

    def move_of(self, square: int) -> Move:
        if square == PASS:
            return self.size * self.size
        row, column = divmod(square, 8)
        margin = (8 - self.size) // 2
        return (row - margin) * self.size + column - margin


@lru_cache(maxsize=2)
def _othello_order(size: int) -> Array:
    """Corners first, X-squares last: a disc there often gives the corner away."""
    corners = INNER_CORNERS if size == 6 else GRID_CORNERS
    first, last = (8 - size) // 2, 7 - (8 - size) // 2
    diagonal = sum(1 << 8 * row + column for row in (first + 1, last - 1) for column in (first + 1, last - 1))
    frame = -1 if size == 8 else INNER_FRAME
    return np.array([corners, frame & ~corners & ~diagonal, diagonal], np.int64)
