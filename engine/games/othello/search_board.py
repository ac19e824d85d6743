"""States of Othello as the kernels see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.core import Move
from engine.games.line_boards import bits_of
from engine.games.othello.kernels import plain_search as othello_search
from engine.games.othello.kernels import uct as othello_uct
from engine.games.othello.kernels.board import GRID_CORNERS, INNER_CORNERS, INNER_FRAME, PASS
from engine.kernels import blundering as overlooking
from engine.kernels.control import INFINITY
from engine.kernels.running import Array, Run
from engine.kernels.uct_tree import UctTree


def signed(bits: int) -> int:
    """The int64 with these 64 bits."""
    return bits - (1 << 64) if bits >> 63 else bits


@dataclass(frozen=True, slots=True)
class OthelloBoard:
    """Othello, 8 x 8 or 6 x 6; see `engine.games.othello.kernels.board` for the layout."""

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
        free: int = othello_search.legal_squares(self.own, self.opposing, self.frame)
        if free == 0:
            return [[PASS]]
        groups = (bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def _after(self, square: int) -> tuple[int, int]:
        """The discs of the side to move and of the other, after the move."""
        if square == PASS:
            return self.opposing, self.own
        move = signed(1 << square)
        turned: int = othello_search.flipped_discs(move, self.own, self.opposing)
        return self.opposing ^ turned, self.own | move | turned

    def memory(self, depth: int) -> Array:  # noqa: ARG002 (it remembers nothing)
        return np.zeros(0, np.int64)

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        value: int = othello_search.minimax(
            *self._after(square),
            depth - 1,
            1,
            self.frame,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def alphabeta(
        self,
        square: int,
        depth: int,
        alpha: int,
        memory: Array,  # noqa: ARG002
        run: Run,
        pv: Array,
    ) -> int:
        value: int = othello_search.alphabeta(
            *self._after(square),
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            self.frame,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        value: int = overlooking.glance_at_othello(
            *self._after(square),
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            self.frame,
            self.order,
            chances,
            seed,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        othello_uct.search(
            self.own,
            self.opposing,
            exploration,
            depth,
            seed,
            self.frame,
            run.stop,
            run.timer,
            run.counters,
            tree.size,
            tree.first,
            tree.children,
            tree.square,
            tree.status,
            tree.visits,
            tree.gain,
        )

    def move_of(self, square: int) -> Move:
        if square == PASS:
            return self.size * self.size
        row, column = divmod(square, 8)
        margin = (8 - self.size) // 2
        return (row - margin) * self.size + column - margin


@lru_cache(maxsize=2)
def _othello_order(size: int) -> Array:
    """Corners first, the squares diagonal to them last: who takes one of these often gives a corner away."""
    corners = INNER_CORNERS if size == 6 else GRID_CORNERS
    first, last = (8 - size) // 2, 7 - (8 - size) // 2
    diagonal = sum(1 << 8 * row + column for row in (first + 1, last - 1) for column in (first + 1, last - 1))
    frame = -1 if size == 8 else INNER_FRAME
    return np.array([corners, frame & ~corners & ~diagonal, diagonal], np.int64)
