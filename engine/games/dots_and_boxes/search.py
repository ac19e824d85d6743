"""The search of one position of Dots and Boxes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, cast

import numpy as np

from engine.core import Move, Player, State
from engine.games.deepening import PERFECT, Habits, MoveSearch
from engine.games.dots_and_boxes.kernels import search as kernel
from engine.games.dots_and_boxes.rules import DotsState, as_dots, grid_of
from engine.kernels.jit import Words
from engine.kernels.running import Run


@cache
def arrays_of(down: int, across: int) -> tuple[Words, Words]:
    """Return the lines around each box and the boxes beside each line, as the kernel has them."""
    grid = grid_of(down, across)
    around = [sum(1 << line for line in lines) for lines in grid.around]
    beside = [box for boxes in grid.beside for box in (*boxes, -1)[:2]]
    return np.array(around, np.int64), np.array(beside, np.int64)


class DotsSearch(MoveSearch[DotsState]):
    """Values moves by the lead in boxes at the end of the game."""

    kernel = staticmethod(kernel.search)

    def __init__(self, state: State, run: Run, memory: Words, habits: Habits = PERFECT) -> None:
        position = as_dots(state)
        around, beside = arrays_of(position.grid.down, position.grid.across)
        self._board = int(around[-1])  # the last box has other lines on every size of board
        rules = (around.ctypes.data, beside.ctypes.data, len(around), len(beside) // 2)
        super().__init__(position, run, memory, habits, rules)

    @property
    def order(self) -> Sequence[Move]:
        """The line to draw while a box can be closed and the line that leaves it; else all lines."""
        captures = cast(Any, kernel.captures)(self.words(self.state)[0], self.place)
        return [int(line) for line in captures if line >= 0] or super().order

    def words(self, state: DotsState) -> tuple[int, int]:
        drawn = sum(1 << line for line, owner in enumerate(state.lines) if owner is not None)
        return drawn, self._board

    def move_of(self, state: DotsState, code: int) -> Move:  # noqa: ARG002 - the same in every state
        return code

    def lead(self, after: DotsState, mover: Player) -> int:
        return after.points[mover] - after.points[mover.other]
