"""Leases of the processes that share one database, each with its shards.

Jobs for a server (clocks, agents, stale messages, tournaments, daily puzzles) run in one process: that of the
server's shard, or another one while that is down.
"""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa

from bot.domain.shards import Shards
from bot.store.database import Store, uncancellable
from bot.store.lock import InUse
from bot.store.shared import Instant, metadata, upsert

processes = sa.Table(
    "processes",
    metadata,
    sa.Column("name", sa.String(100), primary_key=True),
    sa.Column("shard_count", sa.Integer, nullable=False),
    sa.Column("shards", sa.Text, nullable=False),
    sa.Column("is_ready", sa.Boolean, nullable=False),
    sa.Column("alive_until", Instant, nullable=False),
)
"""shards: their numbers with spaces between them. is_ready: whether the process works yet."""

DELETED_AFTER = timedelta(days=1)


class ProcessStore(Store):
    """Live processes, by the database's clock: those of several machines differ."""

    @uncancellable
    async def beat(
        self, name: str, shards: Shards, lease: timedelta, *, is_ready: bool = True
    ) -> dict[str, Shards]:
        """Renew the process's lease; return the shards of the other live processes that are ready, by name.

        Raises InUse if another live process has the same servers. Then this one has no lease.
        """
        values = {
            "name": name,
            "shard_count": shards.count,
            "shards": " ".join(map(str, sorted(shards.numbers))),
            "is_ready": is_ready,
            "lease": lease,
        }
        is_other = (processes.c.alive_until > sa.func.now(), processes.c.name != name)
        async with self._database.writing() as connection:
            rows = (await connection.execute(sa.select(processes).where(*is_other))).all()
            others = {row.name: Shards(row.shard_count, _numbers(row.shards)) for row in rows}
            for other in others:
                if shards.overlaps(others[other]):
                    raise InUse(
                        f"Another Discade, process {other}, has the same servers and this database: "
                        "end that one first, or give each process SHARD_IDS of its own."
                    )
            await connection.execute(_LIVE_ON, values)
        return {
            row.name: others[row.name] for row in rows if row.is_ready and row.shard_count == shards.count
        }

    @uncancellable
    async def end(self, name: str) -> None:
        """End the process's lease at once, and delete leases that expired long ago."""
        late = processes.c.alive_until < sa.func.now() - DELETED_AFTER
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(processes).where((processes.c.name == name) | late))


_INSERT = upsert(processes).values(alive_until=sa.func.now() + sa.bindparam("lease", type_=sa.Interval))
_LIVE_ON = _INSERT.on_conflict_do_update(
    index_elements=["name"],
    set_={name: _INSERT.excluded[name] for name in ("shard_count", "shards", "is_ready", "alive_until")},
)


def _numbers(text: str) -> frozenset[int]:
    return frozenset(map(int, text.split()))
