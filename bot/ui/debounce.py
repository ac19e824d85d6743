"""Keeps an action from being repeated: two presses of one button may arrive before it is gone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from bot.domain.lru_dict import LruDict

MAX_ACTIONS = 2000
"""Actions that are remembered; the oldest are forgotten."""


class Debouncer:
    """Remembers recent actions in memory. Lives on the event loop.

    clock: the current UTC time. interval: an action is not repeated within it.
    """

    def __init__(self, clock: Callable[[], datetime], interval: timedelta = timedelta(seconds=5)) -> None:
        self._clock = clock
        self._interval = interval
        self._done: LruDict[Hashable, datetime] = LruDict(MAX_ACTIONS)

    @contextmanager
    def attempt(self, action: Hashable) -> Iterator[bool]:
        """Yield whether the action may be done now; one that raises counts as not done."""
        now = self._clock()
        done_at = self._done.get(action)
        if done_at is not None and now - done_at < self._interval:
            yield False
            return
        self._done[action] = now
        try:
            yield True
        except BaseException:
            self._done.pop(action, None)
            raise
