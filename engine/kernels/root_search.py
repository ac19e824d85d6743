"""The search of one state's moves: its context, kept from move to move and depth to depth, and its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.kernels import control
from engine.kernels.alphabeta import Kernel
from engine.kernels.control import INFINITY
from engine.kernels.running import Array, Run

LONGEST_LINE = 128
"""In plies; no search is deeper."""


class RootSearch:
    """Values the moves of a state with a kernel of `engine.kernels.alphabeta`, one move at a time."""

    def __init__(
        self,
        kernel: Kernel,
        after: Callable[[int], tuple[int, int]],
        run: Run,
        rules: Sequence[int],
        order: Array,
        *,
        prunes: bool = True,
        rates: Array | None = None,
        seed: int = 0,
        context: Array | None = None,
    ) -> None:
        """after: maps a move's square to the next state. context: None: a new one."""
        self.pv = np.zeros((LONGEST_LINE + 2, LONGEST_LINE + 2), np.int64)
        self._kernel = kernel
        self._after = after
        self._context = np.zeros(control.CONTEXT_WORDS, np.int64) if context is None else context
        self._kept = (run, order, rates)  # kernels hold the addresses of their arrays
        self._prunes = prunes
        self.place = run.describe(self._context, rules)
        words = self._context
        words[control.GROUPS], words[control.ORDER] = len(order), order.ctypes.data
        words[control.PV], words[control.PV_WIDTH] = self.pv.ctypes.data, LONGEST_LINE + 2
        words[control.BLUNDER_RATES] = 0 if rates is None else rates.ctypes.data
        words[control.SEED], words[control.PRUNES] = seed, prunes

    def value(self, square: int, depth: int, best: int) -> int:
        """Return the value of a move for the player who makes it; `depth` plies, the move included.

        With pruning, a result of at most `best` is an upper bound of the value.
        """
        floor = -best if self._prunes else INFINITY
        return -self._kernel(*self._after(square), depth - 1, -INFINITY, floor, 1, -1, self.place)

    @property
    def line(self) -> tuple[int, ...]:
        """The principal variation after the last valued move, if its value was above `best`."""
        length = int(self.pv[1, 0])
        return tuple(int(square) for square in self.pv[1, 1 : 1 + length])
