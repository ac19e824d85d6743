"""ShardLeases: the servers that this process is responsible for, if several share one database."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from bot.domain.errors import Unavailable
from bot.domain.shards import Shards, share_of
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
    """One per process; lives on the event loop. Without `shards` it covers every server.

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
        stores.database.share = shards

    def covers(self, guild_id: int | None) -> bool:
        """Return whether this process is responsible for the server now."""
        share = self._stores.database.share
        return share is None or share.covers(guild_id)

    async def run_once(self) -> None:
        """Renew the lease and read the others'; call it every BEAT_SECONDS."""
        if self._own is None:
            return
        if not self._is_ready():
            others = await self._stores.processes.live(self._own.count)
            self._stores.database.share = Shards(self._own.count, frozenset()) if others else self._own
            return
        before = self._stores.database.share
        try:
            said_at = self._time()
            live = await self._stores.processes.beat(self._name, self._own, LEASE)
        except Unavailable:
            if self._time() - self._said_at > LEASE.total_seconds():
                # Others assume by now that this process is gone.
                self._stores.database.share = Shards(self._own.count, frozenset())
            raise
        self._said_at = said_at
        share = share_of(self._name, {self._name: self._own, **live}, self._own.count)
        self._stores.database.share = share
        more = share.numbers - (before.numbers if before is not None else frozenset())
        if more:
            log.info("shards taken over: %s", sorted(more))
            self._doubt_at = self._time() + HANDOVER_SECONDS
            await self._on_more()
        elif self._time() >= self._doubt_at:
            # Two may have edited one board, and the older edit may have come last.
            await self._stores.shown.doubt(self._clock() - DOUBTED)
            self._doubt_at = float("inf")
            self._on_alone()

    async def close(self) -> None:
        """End the lease, so that others take over at once."""
        if self._own is not None:
            await self._stores.processes.end(self._name)
