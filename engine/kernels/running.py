"""One running search as its kernels see it: the two stop flags, the counters, the context."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from engine.core import Limit, Stop
from engine.kernels import control
from engine.kernels.control import COUNTER_WORDS, CUT, NO_LIMIT, NODE_LIMIT, NODES, STOPPED

Array = npt.NDArray[np.int64]
Flag = Array


@dataclass(frozen=True, slots=True)
class Run:
    """stop: raised by the caller; timer: raised by the clock; counters: see `engine.kernels.control`."""

    stop: Flag
    timer: Flag
    counters: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(COUNTER_WORDS, np.int64))

    @property
    def nodes(self) -> int:
        return int(self.counters[NODES])

    @property
    def nodes_left(self) -> int:
        """The number of states that may still be visited."""
        return int(self.counters[NODE_LIMIT] - self.counters[NODES])

    @property
    def has_stopped(self) -> bool:
        return bool(self.counters[STOPPED])

    @property
    def estimates(self) -> int:
        """The number of states valued by the heuristic since `forget_estimates`."""
        return int(self.counters[CUT])

    def forget_estimates(self) -> None:
        self.counters[CUT] = 0

    def describe(self, context: Array, rules: Sequence[int]) -> int:
        """Write this run and the game's rules into a search's context; return the context's address.

        The caller keeps the run and the context alive during the search.
        """
        context[control.STOP] = self.stop.ctypes.data
        context[control.TIMER] = self.timer.ctypes.data
        context[control.COUNTERS] = self.counters.ctypes.data
        context[control.RULES : control.RULES + len(rules)] = rules
        address: int = context.ctypes.data
        return address

    @contextmanager
    def part(self, nodes: int) -> Iterator[None]:
        """Limit a part of the search to `nodes` more states; the search can continue afterwards."""
        counters, whole = self.counters, self.counters[NODE_LIMIT]
        counters[NODE_LIMIT] = min(whole, counters[NODES] + nodes)
        try:
            yield
        finally:
            counters[NODE_LIMIT] = whole
            counters[STOPPED] = self.stop[0] or self.timer[0] or counters[NODES] >= whole

    def count_state(self) -> bool:
        """Count one state visited by Python; beyond the limit return False and mark the search as stopped."""
        if self.stop[0] or self.timer[0] or self.counters[NODES] >= self.counters[NODE_LIMIT]:
            self.counters[STOPPED] = 1
            return False
        self.counters[NODES] += 1
        return True


@contextmanager
def running(limit: Limit) -> Iterator[Run]:
    """Context manager for a search.

    A kernel has no portable clock, but it can read memory: `limit.seconds` after the start, a thread raises
    the `timer` flag, which kernels poll at every state. The caller's own flag is never written.
    """
    run = Run((limit.stop or Stop()).flag, np.zeros(1, np.int64))
    run.counters[NODE_LIMIT] = NO_LIMIT if limit.nodes is None else limit.nodes
    if limit.seconds is None:
        yield run
        return
    clock = threading.Timer(limit.seconds, run.timer.fill, (1,))
    clock.daemon = True
    clock.start()
    try:
        yield run
    finally:
        clock.cancel()
