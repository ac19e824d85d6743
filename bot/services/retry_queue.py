"""RetryQueue: follow-up work that failed because the database was unavailable, retried later."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable

from cachetools import FIFOCache

from bot.domain.errors import Unavailable

log = logging.getLogger(__name__)

MAX_WAITING = 10_000
"""Actions kept; the oldest are dropped beyond that, and their work is found by the next start."""

Action = Callable[[], Awaitable[object]]
"""Work that may be started again from the beginning, however far the last attempt came."""


class RetryQueue:
    """One per process. Actions wait in memory, on the event loop, until `run_once`."""

    def __init__(self) -> None:
        self._waiting: FIFOCache[Hashable, Action] = FIFOCache(MAX_WAITING)

    async def run(self, key: Hashable, action: Action) -> None:
        """Run the action, or defer it if the database is unavailable; replaces a waiting one of that key."""
        self.drop(key)
        try:
            await action()
        except Unavailable:
            self.defer(key, action)

    def defer(self, key: Hashable, action: Action) -> None:
        """Leave the action to the next `run_once`."""
        log.info("%s deferred: database unavailable", key)
        self.drop(key)  # so that it queues up behind the others
        self._waiting[key] = action

    def drop(self, key: Hashable) -> None:
        """Forget a waiting action."""
        self._waiting.pop(key, None)

    async def run_once(self) -> None:
        """Run the waiting actions, oldest first, until the database is unavailable again. Raises nothing."""
        while self._waiting:
            key, action = next(iter(self._waiting.items()))
            try:
                await action()
            except Unavailable:
                return
            except Exception:
                # A broken action is dropped; otherwise the actions behind it would never run.
                log.exception("%s failed", key)
            if self._waiting.get(key) is action:
                del self._waiting[key]
