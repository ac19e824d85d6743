"""States of Connect Four and Tic-tac-toe as the kernels see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.core import Move
from engine.kernels import blundering as overlooking
from engine.kernels import line_alphabeta, line_search, line_uct
from engine.kernels.control import INFINITY
from engine.kernels.lines import Shape
from engine.kernels.running import Array, Run
from engine.kernels.transposition import BUCKET_WORDS, TABLE
from engine.kernels.uct_tree import UctTree

# How large alpha-beta's table is for a depth, in buckets of 64 bytes: clearing one takes time as well.
_BUCKETS = ((3, 1 << 1), (6, 1 << 10), (9, 1 << 14))
_MOST_BUCKETS = 1 << 17


def bits_of(board: int) -> list[int]:
    """The squares whose bits are set, ascending."""
    return [square for square in range(64) if board >> square & 1]


@dataclass(frozen=True, slots=True)
class _LineBoard:
    """k in a row; see `engine.kernels.lines` for the layout and the shape."""

    own: int
    mask: int
    shape: Shape
    order: Array
    widest: int

    @property
    def groups(self) -> list[list[int]]:
        _, _, bottom, board, _, drops = self.shape
        free = (self.mask + bottom) & board if drops else board & ~self.mask
        groups = (bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def memory(self, depth: int) -> Array:
        buckets = next((number for most, number in _BUCKETS if depth <= most), _MOST_BUCKETS)
        return np.zeros(TABLE + BUCKET_WORDS * buckets, np.int64)

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        value: int = line_search.minimax(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            1,
            -1,
            self.shape,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def alphabeta(self, square: int, depth: int, alpha: int, memory: Array, run: Run, pv: Array) -> int:
        value: int = line_alphabeta.alphabeta(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            -1,
            self.shape,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
            memory,
        )
        return -value

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        value: int = overlooking.glance_at_lines(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            -1,
            self.shape,
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
        line_uct.search(
            self.own,
            self.mask,
            exploration,
            depth,
            seed,
            self.shape,
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


class ConnectFourBoard(_LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        return square // self.shape[0]


class TicTacToeBoard(_LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        column, row = divmod(square, 4)
        return 3 * row + column


@lru_cache(maxsize=64)
def connect_four_layout(rows: int, columns: int, k: int) -> tuple[Shape, Array, int]:
    """The shape of a board, its squares in groups from the middle outwards, its number of columns."""
    stride = rows + 1
    bottom = sum(1 << stride * column for column in range(columns))
    column_squares = (1 << rows) - 1
    # Columns at the same distance from the middle form one group: (3), (2 4), (1 5), (0 6).
    groups = [
        sum(
            column_squares << stride * column
            for column in range(columns)
            if abs(2 * column - columns + 1) == distance
        )
        for distance in range(columns + 1)
    ]
    order = [group for group in groups if group]
    shape = (stride, k, bottom, bottom * column_squares, order[0], 1)
    return shape, np.array(order, np.int64), columns


@lru_cache(maxsize=1)
def tic_tac_toe_layout() -> tuple[Shape, Array, int]:
    """As `connect_four_layout`."""
    bottom = 0b0001_0001_0001
    centre, corners = 1 << 5, 1 << 0 | 1 << 2 | 1 << 8 | 1 << 10
    board = bottom * 0b111
    shape = (4, 3, bottom, board, centre, 0)
    return shape, np.array([centre, corners, board ^ centre ^ corners], np.int64), 9


def stand_up(bits: int) -> int:
    """Tic-tac-toe's bits, 3 * row + column, in the layout of `lines`, 4 * column + row."""
    return sum(1 << (4 * (i % 3) + i // 3) for i in range(9) if bits >> i & 1)
