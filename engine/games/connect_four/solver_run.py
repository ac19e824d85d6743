"""The context of both exact solvers of Connect Four: table, limits and threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import numpy as np

from engine.core import Limit
from engine.games.connect_four.kernels import context as words
from engine.kernels.control import NO_LIMIT, NODE_LIMIT
from engine.kernels.running import running
from engine.kernels.two_threads import first_of_two

T = TypeVar("T")


class SolverRun:
    """The kernels' context, see `kernels.context`, with `length` words; one search at a time.

    words: the array, which a solver may use for more; place: its address.
    """

    def __init__(self, length: int, table: int) -> None:
        """table: its address; the caller keeps the table alive."""
        self._timer = self._never = np.zeros(1, np.int64)
        self.words = np.zeros(length, np.int64)
        self.words[words.TABLE] = self.words[words.DEEP_TABLE] = table
        self._deep = np.zeros(0, np.int64)
        self.words[words.STOP_FLAG] = self.words[words.TIMER_FLAG] = self._never.ctypes.data
        self.place: int = self.words.ctypes.data

    @property
    def nodes(self) -> int:
        return int(self.words[words.NODES])

    def forget_nodes(self) -> None:
        self.words[words.NODES] = 0

    def begin(self, table_bits: int) -> None:
        """Prepare a search without a limit, in a table of 2**table_bits entries."""
        context = self.words
        context[words.SHIFT] = 64 - table_bits
        context[words.NODES] = 0
        context[words.NODE_LIMIT] = NO_LIMIT

    @contextmanager
    def searching(self, limit: Limit | None, table_bits: int) -> Iterator[None]:
        """Context manager for one search within the limit, in a table of 2**table_bits entries."""
        self.begin(table_bits)
        if limit is None:
            yield
            return
        context = self.words
        with running(limit) as run:
            self._timer = run.timer
            context[words.NODE_LIMIT] = run.counters[NODE_LIMIT]
            context[words.STOP_FLAG] = run.stop.ctypes.data
            context[words.TIMER_FLAG] = run.timer.ctypes.data
            try:
                yield
            finally:  # the flags do not outlive the run
                context[words.STOP_FLAG] = context[words.TIMER_FLAG] = self._never.ctypes.data
                self._timer = self._never

    def by_two(self, ask: Callable[[int], T | None]) -> T | None:
        """Run `ask`, given a context's address, in two threads; return the first result. Used while
        searching.

        For tables with one word per entry. None if both were told to end. The searched nodes vary from run
        to run, but the table only receives true results.
        """
        context, twin = self.words, self.words.copy()
        busy, stop = np.zeros(words.BUSY_WORDS, np.int64), np.zeros(1, np.int64)
        length = 1 << 64 - int(context[words.SHIFT])
        if len(self._deep) < length:
            self._deep = np.zeros(length, np.int64)
        twin[words.DEEP_TABLE] = self._deep.ctypes.data
        paths = np.zeros((2, words.PATH_WORDS), np.int64)
        for words_of_one, path in zip((context, twin), paths, strict=True):
            words_of_one[words.PATH] = path.ctypes.data
            words_of_one[words.ABOVE], words_of_one[words.ANSWERED] = -1, 0
        twin[words.STOP_FLAG] = twin[words.TIMER_FLAG] = stop.ctypes.data
        context[words.BUSY] = twin[words.BUSY] = busy.ctypes.data
        try:
            return first_of_two(lambda: ask(self.place), self._timer, lambda: ask(twin.ctypes.data), stop)
        finally:
            context[words.BUSY] = 0
            context[words.NODES] += twin[words.NODES]
