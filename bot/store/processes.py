"""Processes that share one database: each says every moment that it lives, and for which shards.

Whatever happens by itself for a server (clocks, sleeping agents, boards that are behind, tournaments, daily
puzzles) is done by one process: that of the server's shard, or another one while that is gone.
"""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from bot.domain.shards import Shards
from bot.store.database import Database, uncancellable
from bot.store.shared import Instant, metadata, upsert

processes = sa.Table(
    "processes",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("shard_count", sa.Integer, nullable=False),
    sa.Column("shards", sa.Text, nullable=False),
    sa.Column("alive_until", Instant, nullable=False),
)
"""shards: their numbers with spaces between them."""

FORGOTTEN_AFTER = timedelta(days=1)


class ProcessStore:
    """Who lives, by the database's own clock: those of several machines differ."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def beat(self, name: str, shards: Shards, lease: timedelta) -> dict[str, Shards]:
        """Says that the process lives for that long; returns all that do, by name, itself among them."""
        values = {
            "name": name,
            "shard_count": shards.count,
            "shards": " ".join(map(str, sorted(shards.numbers))),
            "lease": lease,
        }
        async with self._database.writing() as connection:
            await connection.execute(_LIVE_ON, values)
        return await self.live(shards.count)

    @uncancellable
    async def live(self, shard_count: int) -> dict[str, Shards]:
        """All processes that live, by name, and what each is connected for."""
        query = sa.select(processes).where(
            processes.c.alive_until > sa.func.now(), processes.c.shard_count == shard_count
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return {row.name: Shards(row.shard_count, _numbers(row.shards)) for row in rows}

    @uncancellable
    async def end(self, name: str) -> None:
        """The process ends in order: others need not wait for its lease; those long gone are forgotten."""
        late = processes.c.alive_until < sa.func.now() - FORGOTTEN_AFTER
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(processes).where((processes.c.name == name) | late))


_INSERT = upsert(processes).values(alive_until=sa.func.now() + sa.bindparam("lease", type_=sa.Interval))
_LIVE_ON = _INSERT.on_conflict_do_update(
    index_elements=["name"],
    set_={name: _INSERT.excluded[name] for name in ("shard_count", "shards", "alive_until")},
)


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split()))
