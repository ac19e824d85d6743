"""Turn pings: which message told a person to act, in two columns of their match.

`ping_ask` is the ask (`bot.domain.turn_ping`), `ping_id` the message; NULL if nothing had to be sent.
A ping is stale while the match has another ask than `ping_ask`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.shards import Shards
from bot.domain.turn_ping import Ping, StalePing
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.match_rows import IS_PING_STALE, matches
from bot.store.shared import on_share


@lru_cache(maxsize=16)
def _stale(share: Shards | None, limit: int) -> sa.Select[Any]:
    return (
        sa.select(*(matches.c[name] for name in ("id", "channel_id", "version", "message_id", "ping_ask")))
        .where(IS_PING_STALE, *on_share(matches.c.guild_id, share))
        .order_by(matches.c.id.desc())
        .limit(limit)
    )


_OF_MATCH = sa.select(matches.c.ping_ask, matches.c.ping_id, matches.c.ping_channel).where(
    matches.c.id == sa.bindparam("own_id")
)


class PingStore(Store):
    """Finds stale pings."""

    @uncancellable
    async def stale(self, limit: int) -> list[StalePing]:
        """Return stale pings, those of the latest matches first."""
        query = _stale(self._database.share, limit)

        async def read(connection: Connection) -> list[StalePing]:
            rows = (await connection.execute(query)).all()
            return [
                StalePing(row.id, row.channel_id, row.version, row.message_id is not None, row.ping_ask)
                for row in rows
            ]

        return await self._database.ask(read)

    @uncancellable
    async def of(self, match_id: int) -> Ping:
        """Return the match's ping as it is stored."""

        async def read(connection: Connection) -> Ping:
            row = (await connection.execute(_OF_MATCH, {"own_id": match_id})).first()
            return Ping() if row is None else Ping(row.ping_ask, row.ping_id, row.ping_channel)

        return await self._database.ask(read)
