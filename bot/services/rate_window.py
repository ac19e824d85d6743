"""RateWindow: a limit on requests in a span of time."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

MAX_REQUESTS_PER_SECOND = 20
"""Of the 50 that Discord allows a bot; the rest is left to the answers to presses."""

RESERVED_REQUESTS = 10
"""The part that only `spend` may use, so that callers of `wait` do not starve stale messages."""


class RateWindow:
    """A sliding window, by default of everything that one process does unasked. Lives on the event loop.

    time: a clock in seconds that only grows, by default the event loop's.
    """

    def __init__(
        self,
        limit: int = MAX_REQUESTS_PER_SECOND,
        seconds: float = 1.0,
        *,
        time: Callable[[], float] | None = None,
    ) -> None:
        self._limit = limit
        self._seconds = seconds
        self._time = time or (lambda: asyncio.get_running_loop().time())
        self._made: deque[float] = deque(maxlen=limit)
        self._waiting = asyncio.Lock()

    @property
    def left(self) -> int:
        """How many requests may be made now."""
        since = self._time() - self._seconds
        while self._made and self._made[0] <= since:
            self._made.popleft()
        return self._limit - len(self._made)

    def spend(self, requests: int) -> None:
        """Count requests that are about to be made."""
        self._made.extend([self._time()] * requests)

    async def wait(self, requests: int = 1) -> None:
        """Wait until these requests fit beside the reserved ones, and count them."""
        async with self._waiting:
            while self.left < RESERVED_REQUESTS + requests:
                await asyncio.sleep(self._seconds / self._limit)
            self.spend(requests)
