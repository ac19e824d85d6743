"""States of Connect Four and Tic-tac-toe as the kernels see them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.core import Move
from engine.kernels import line_alphabeta, line_search, line_uct
from engine.kernels.control import CONTEXT_WORDS, INFINITY, ROOT_STONES
from engine.kernels.lines import Shape
from engine.kernels.root_search import RootSearch
from engine.kernels.running import Array, Run
from engine.kernels.transposition import new_memory
from engine.kernels.uct_tree import UctTree

# Up to a depth, alpha-beta's table has 2 ** bits buckets of 64 bytes: clearing one takes time as well.
_TABLE_BITS = ((3, 1), (6, 10), (9, 14))
_MOST_TABLE_BITS = 17


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

    def plain_search(
        self, run: Run, *, prunes: bool = True, chances: Array | None = None, seed: int = 0
    ) -> RootSearch:
        return RootSearch(
            line_search.search,
            self.after,
            run,
            self.shape,
            self.order,
            prunes=prunes,
            chances=chances,
            seed=seed,
        )

    def best_search(self, run: Run, depth: int) -> RootSearch:
        bits = next((bits for most, bits in _TABLE_BITS if depth <= most), _MOST_TABLE_BITS)
        memory = new_memory(bits)
        memory[ROOT_STONES] = self.mask.bit_count()
        return LineSearch(line_search.search, self.after, run, self.shape, self.order, context=memory)

    def after(self, square: int) -> tuple[int, int]:
        """The stones of the side to move and all stones, after the move."""
        return self.own ^ self.mask, self.mask | 1 << square

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        context = np.zeros(CONTEXT_WORDS, np.int64)
        place = run.describe(context, self.shape)
        line_uct.search(self.own, self.mask, exploration, depth, seed, place, *tree.arrays)


class LineSearch(RootSearch):
    """As RootSearch, with all that `line_alphabeta` knows about lines."""

    def value(self, square: int, depth: int, best: int) -> int:
        if depth == 1:
            return super().value(square, depth, best)
        own, mask = self._after(square)
        return -line_alphabeta.search(own, mask, depth - 1, -INFINITY, -best, -1, self.place)


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
