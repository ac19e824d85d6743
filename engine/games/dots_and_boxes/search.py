"""The search of one position of Dots and Boxes."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

import numpy as np

from engine.core import Move, State
from engine.games.dots_and_boxes.kernels import search as kernel
from engine.games.dots_and_boxes.rules import as_dots, grid_of
from engine.kernels.jit import Words
from engine.kernels.running import Run


@cache
def arrays_of(down: int, across: int) -> tuple[Words, Words]:
    """Return the lines around each box and the boxes beside each line, as the kernel has them."""
    grid = grid_of(down, across)
    around = [sum(1 << line for line in lines) for lines in grid.around]
    beside = [box for boxes in grid.beside for box in (*boxes, -1)[:2]]
    return np.array(around, np.int64), np.array(beside, np.int64)


class DotsSearch:
    """Values moves by the lead in boxes at the end of the game; see `PointsSearch`."""

    def __init__(self, state: State, run: Run, memory: Words) -> None:
        self._state = as_dots(state)
        self._memory = memory
        self._place = run.describe(memory, ())
        self._drawn = sum(1 << line for line, owner in enumerate(self._state.lines) if owner is not None)
        self._arrays = arrays_of(self._state.grid.down, self._state.grid.across)
        self.order = self._likely()

    def value(self, move: Move, depth: int, low: int, high: int) -> int:
        after, mover = self._state.play(move), self._state.to_move
        lead = after.points[mover] - after.points[mover.other]
        sign = 1 if after.to_move is mover else -1
        floor, ceiling = sorted((sign * (low - lead), sign * (high - lead)))
        found = cast(Any, kernel.search)(
            self._drawn | 1 << move, *self._arrays, depth - 1, floor, ceiling, self._place
        )
        return lead + sign * int(found)

    def _likely(self) -> list[Move]:
        """Return the line to draw while a box can be closed and the line that leaves it; else all lines."""
        take, leave = cast(Any, kernel.captures)(self._drawn, *self._arrays)
        lines = [int(line) for line in (take, leave) if line >= 0]
        return lines or list(self._state.legal_moves())
