"""What is done once however often it is pressed: two presses of one button may arrive before it is gone."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from bot.domain.lru_dict import LruDict

REMEMBERED = 2000
"""Deeds; the oldest are forgotten."""


class Once:
    """What was done lately. Lives on the event loop, and only while the process does.

    clock: the current UTC time. lasts: for so long a deed is not done again.
    """

    def __init__(self, clock: Callable[[], datetime], lasts: timedelta = timedelta(seconds=5)) -> None:
        self._clock = clock
        self._lasts = lasts
        self._done: LruDict[Hashable, datetime] = LruDict(REMEMBERED)

    @contextmanager
    def doing(self, deed: Hashable) -> Iterator[bool]:
        """Yields whether this is the first to do it; what fails counts as not done."""
        now = self._clock()
        done_at = self._done.get(deed)
        if done_at is not None and now - done_at < self._lasts:
            yield False
            return
        self._done[deed] = now
        try:
            yield True
        except BaseException:
            self._done.pop(deed, None)
            raise
