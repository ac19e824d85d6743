"""One choice's search of a state: its context, kept from move to move and depth to depth, and its lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.kernels import control
from engine.kernels.alphabeta import Kernel
from engine.kernels.control import INFINITY
from engine.kernels.running import Array, Run

LONGEST_LINE = 128
"""In plies; no search looks further ahead."""


class RootSearch:
    """The values of a state's moves, by a kernel of `engine.kernels.alphabeta`; one at a time."""

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
        """after: the state that a move, given by its square, leads to. context: where it is, if not alone."""
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
        """The value of moving there, for who moves there, looked at to `depth` plies from the state on.

        Where it prunes and the value is at most `best`, an upper bound of it.
        """
        floor = -best if self._prunes else INFINITY
        return -self._kernel(*self._after(square), depth - 1, -INFINITY, floor, 1, -1, self.place)

    @property
    def line(self) -> tuple[int, ...]:
        """The squares expected after the move last valued, if its value was above `best`."""
        length = int(self.pv[1, 0])
        return tuple(int(square) for square in self.pv[1, 1 : 1 + length])
