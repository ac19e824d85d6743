"""Cache of counts over many players."""

from __future__ import annotations

import time as clocks
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from bot.domain.lru_dict import LruDict
from bot.store.connection import Connection
from bot.store.database import Database, Store, part_of_transaction, uncancellable

CACHED_FROM_PLAYERS = 1_000
"""Counts over fewer players are made for each question: that takes about a millisecond."""

STALE_SECONDS = 60.0
UNUSED_SECONDS = 600.0
REFRESH_SECONDS = 30.0
"""How often `CountCache.run_once` is to be called."""

MAX_ENTRIES = 1_000


class Counts(Protocol):
    @property
    def players(self) -> int:
        """Players that were counted."""


C = TypeVar("C", bound=Counts)
CountQuery = Callable[[Connection], Awaitable[C]]


@dataclass(slots=True)
class _Entry:
    counts: Any
    query: CountQuery[Any]
    counted_at: float
    used_at: float


class CountCache(Store):
    """Counts over many players, at most a minute old; small ones are always current.

    Counting a million players takes some 0.2 s. `run_once` refreshes recently used entries in the background,
    so that a question rarely waits. Each process has its own cache.
    """

    has_limit = False

    def __init__(
        self,
        database: Database,
        *,
        from_players: int = CACHED_FROM_PLAYERS,
        time: Callable[[], float] = clocks.monotonic,
    ) -> None:
        super().__init__(database)
        self._from_players = from_players
        self._time = time
        self._entries: LruDict[Hashable, _Entry] = LruDict(MAX_ENTRIES)

    def __len__(self) -> int:
        return len(self._entries)

    @part_of_transaction
    async def get(self, connection: Connection, key: Hashable, query: CountQuery[C]) -> C:
        """Return the cached counts of that key, or count now."""
        entry, now = self._entries.get(key), self._time()
        if entry is not None and now - entry.counted_at < STALE_SECONDS:
            entry.used_at = now
            counts: C = entry.counts
            return counts
        counts = await query(connection)
        if counts.players >= self._from_players:
            self._entries[key] = _Entry(counts, query, now, now)
        else:
            self._entries.pop(key, None)
        return counts

    @uncancellable
    async def run_once(self) -> None:
        """Refresh the entries that were used lately, and drop the others."""
        for key, entry in tuple(self._entries.items()):
            now = self._time()
            if now - entry.used_at > UNUSED_SECONDS:
                self._entries.pop(key, None)
                continue
            async with self._database.reading() as connection:
                entry.counts = await entry.query(connection)
            entry.counted_at = now
