"""ShardLeases: which servers' work this process does by itself, where several share one database."""

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
"""Whoever has not said for so long that they live is gone, and others do their work."""

HANDOVER_SECONDS = 3.0
"""After so long whoever did the work before does no more of it."""

DOUBTED = timedelta(minutes=2)
"""Boards that changed so shortly before are shown once more after it."""


class ShardLeases:
    """One for each process; lives on the event loop. Without `shards` it does everything, and asks nobody.

    name: of this process among all, as long as it lives. shards: those that it is connected for. clock: the
    current UTC time. on_more: is called when more work has just fallen to it, on_alone when whoever did that
    before does no more of it. is_ready: whether its agents can think; until then whoever does its work goes
    on.
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
        """Whether that server's work is this process's now."""
        share = self._stores.database.share
        return share is None or share.covers(guild_id)

    async def run_once(self) -> None:
        """Says that the process lives, and learns whose work is its own; to be called every BEAT_SECONDS."""
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
                # Others take this process for gone.
                self._stores.database.share = Shards(self._own.count, frozenset())
            raise
        self._said_at = said_at
        share = share_of(self._name, {self._name: self._own, **live}, self._own.count)
        self._stores.database.share = share
        more = share.numbers - (before.numbers if before is not None else frozenset())
        if more:
            log.info("the work of shards %s is this process's now", sorted(more))
            self._doubt_at = self._time() + HANDOVER_SECONDS
            await self._on_more()
        elif self._time() >= self._doubt_at:
            # Two may have edited one board, and the older edit may have come last.
            await self._stores.shown.doubt(self._clock() - DOUBTED)
            self._doubt_at = float("inf")
            self._on_alone()

    async def close(self) -> None:
        """Leaves its work to the others at once."""
        if self._own is not None:
            await self._stores.processes.end(self._name)
