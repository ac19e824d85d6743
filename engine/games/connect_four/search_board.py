"""States of Connect Four for the compiled searches."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from engine.core import Move
from engine.games.line_boards import LineBoard
from engine.kernels.lines import Shape
from engine.kernels.running import Array


class ConnectFourBoard(LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        return square // self.shape[0]


@lru_cache(maxsize=64)
def connect_four_layout(rows: int, columns: int, k: int) -> tuple[Shape, Array, int]:
    """Return the shape of a board, its squares in groups from the centre outwards, its number of columns."""
    stride = rows + 1
    bottom = sum(1 << stride * column for column in range(columns))
    column_squares = (1 << rows) - 1
    # Columns at the same distance from the centre form one group: (3), (2 4), (1 5), (0 6).
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
