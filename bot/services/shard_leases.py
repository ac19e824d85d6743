"""ShardLeases: the servers that this process is responsible for, where others may share its database."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bot.domain.errors import Unavailable
from bot.domain.shards import Shards, share_of
from bot.store.lock import InUse
from bot.store.stores import Stores

log = logging.getLogger(__name__)

BEAT_SECONDS = 1.0
LEASE = timedelta(seconds=4)
"""How long a process may be silent before others take over its shards."""

HANDOVER_SECONDS = 3.0
"""After how long a process that handed shards over has finished its last work on them."""

DOUBTED = timedelta(minutes=2)
"""How recent a board's change must be to be displayed again after a handover."""


class ShardLeases:
    """One per process; lives on the event loop. Without `shards` no other process can have the database.

    name: of this process, unique. shards: those that it is connected for. clock: the current UTC time.
    on_more: called when shards were taken over, on_alone once their last process has finished with them.
    is_ready: whether its agents can think; until then other processes keep its shards.
    """

    def __init__(
        self,
        stores: Stores,
        name: str,
        shards: Shards | None,
        *,
        time: Callable[[], float],
        clock: Callable[[], datetime],
        on_more: Callable[[], Awaitable[object]],
        on_alone: Callable[[], object] = lambda: None,
        is_ready: Callable[[], bool] = lambda: True,
    ) -> None:
        self._stores = stores
        self._name = name
        self._own = shards
        self._time = time
        self._clock = clock
        self._on_more = on_more
        self._on_alone = on_alone
        self._doubt_at = float("inf")
        self._is_ready = is_ready
        self._said_at = float("-inf")
        self.taken: asyncio.Future[InUse] = asyncio.get_running_loop().create_future()
        """Done when another process has taken the lease, not renewed in time; this one must end."""
        if shards is not None:
            self._work_for(shards)

    def covers(self, guild_id: int | None) -> bool:
        """Return whether this process is responsible for the server now."""
        share = self._stores.database.share
        return share is None or share.covers(guild_id)

    async def claim(self) -> None:
        """Take the lease, also that of a killed process once it has ended; raises InUse if it is renewed."""
        tries = 0
        while self._own is not None:
            try:
                await self._renew(self._own)
                break
            except InUse as taken:
                tries += 1
                if tries * BEAT_SECONDS > LEASE.total_seconds() + BEAT_SECONDS:
                    raise
                if tries == 1:
                    log.warning("%s It is tried again for five seconds, in case it was killed.", taken)
            await asyncio.sleep(BEAT_SECONDS)

    async def run_once(self) -> None:
        """Renew the lease and read the others'; call it every BEAT_SECONDS."""
        if self._own is None or self.taken.done():
            return
        try:
            await self._renew(self._own)
        except InUse as taken:
            self._work_for(Shards(self._own.count, frozenset()))
            self.taken.set_result(taken)

    async def _renew(self, own: Shards) -> None:
        nothing = Shards(own.count, frozenset())
        is_ready, before, said_at = self._is_ready(), self._stores.database.share or own, self._time()
        try:
            others = await self._stores.processes.beat(self._name, own, LEASE, is_ready=is_ready)
        except Unavailable:
            if self._time() - self._said_at > LEASE.total_seconds():
                # Others assume by now that this process is gone.
                self._work_for(nothing)
            raise
        self._said_at = said_at
        if not is_ready:
            self._work_for(nothing if others else own)
            return
        share = share_of(self._name, {self._name: own, **others}, own.count)
        self._work_for(share)
        more = share.numbers - before.numbers
        if more:
            log.info("shards taken over: %s", sorted(more))
            self._doubt_at = self._time() + HANDOVER_SECONDS
            await self._on_more()
        elif self._time() >= self._doubt_at:
            # Two may have edited one board, and the older edit may have come last.
            await self._stores.shown.doubt(self._clock() - DOUBTED)
            self._doubt_at = float("inf")
            self._on_alone()

    def _work_for(self, share: Shards) -> None:
        is_whole = share.count == 1 and bool(share.numbers)
        self._stores.database.share = None if is_whole else share

    async def close(self) -> None:
        """End the lease, so that others take over at once."""
        if self._own is not None:
            await self._stores.processes.end(self._name)
