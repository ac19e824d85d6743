"""Turns at a service outside: so many at once, so many a second, and few who wait."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from bot.domain.errors import Unavailable
from bot.services.bucket import Bucket


class Turns:
    """Lives on the event loop. waiting: how many may wait. clock: in seconds."""

    def __init__(
        self, at_once: int, a_second: float, waiting: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._at_once = asyncio.Semaphore(at_once)
        self._pace = Bucket(1.0, a_second, clock)
        self._places = at_once + waiting

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, in order of arrival, and hold it inside the block.

        Raises Unavailable if too many wait.
        """
        if not self._places:
            raise Unavailable("activity_busy")
        self._places -= 1
        try:
            async with self._at_once:
                wait = self._pace.seconds_until(1)
                self._pace.spend(1)
                await asyncio.sleep(wait)
                yield
        finally:
            self._places += 1
