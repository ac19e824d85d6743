"""States of Tic-tac-toe for the compiled searches."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.core import Move
from engine.games.line_boards import LineBoard
from engine.kernels.lines import Shape
from engine.kernels.running import Array


class TicTacToeBoard(LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        column, row = divmod(square, 4)
        return 3 * row + column


@lru_cache(maxsize=1)
def tic_tac_toe_layout() -> tuple[Shape, Array, int]:
    """Return the shape of the board, its squares in groups from the centre, its number of squares."""
    bottom = 0b0001_0001_0001
    centre, corners = 1 << 5, 1 << 0 | 1 << 2 | 1 << 8 | 1 << 10
    board = bottom * 0b111
    shape = (4, 3, bottom, board, centre, 0)
    return shape, np.array([centre, corners, board ^ centre ^ corners], np.int64), 9


def stand_up(bits: int) -> int:
    """Convert the rules' bits, 3 * row + column, to the layout of `lines`, 4 * column + row."""
    return sum(1 << (4 * (i % 3) + i // 3) for i in range(9) if bits >> i & 1)
