"""What older versions have left in the database: packed, and taken out, bit by bit, after an update."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from bot.store.stores import Stores

log = logging.getLogger(__name__)

AT_ONCE = 100
"""Matches in one transaction: a hundredth of a second, in which nobody else's move is stored."""

CLEARED_AT_ONCE = 1_000
"""Rows in one transaction, likewise."""

REST = 2.0
"""How much longer than the last ones took the database is left to others."""


class Packing:
    """Packs what older versions have left, and rests in between; a crash costs one transaction at most."""

    def __init__(
        self,
        stores: Stores,
        *,
        time: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._stores = stores
        self._time = time
        self._sleep = sleep

    async def pack_all(self) -> int:
        """Packs all that can be, and returns how many matches that were; one question where none is left."""
        count = await self._all(lambda after: self._stores.packing.pack_next(after, AT_ONCE))
        if count:
            log.info("the moves of %d finished matches are packed", count)
        return count

    async def clear_all(self) -> int:
        """Takes out all rows that are needed no more, and returns how many that were."""

        async def clear(_after: int) -> tuple[int, int | None]:
            cleared = await self._stores.packing.clear_next(CLEARED_AT_ONCE)
            return cleared, 0 if cleared else None

        count = await self._all(clear)
        if count:
            log.info("%d rows of an older version are taken out", count)
        return count

    async def _all(self, step: Callable[[int], Awaitable[tuple[int, int | None]]]) -> int:
        """How many all steps did, with rests between; each is told where the last one ended."""
        count, after = 0, 0
        while True:
            began = self._time()
            done, last = await step(after)
            count += done
            if last is None:
                return count
            after = last
            await self._sleep(REST * (self._time() - began))
