"""The versions that Discord's messages display: of matches, invitations and tournaments.

They are written some time after a message was edited, many in one transaction. If a crash loses one, that
costs an edit which changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.boards import StaleBoard
from bot.domain.outgoing import Place
from bot.domain.shards import Shards
from bot.domain.turn_ping import Ping
from bot.store.challenges import challenges
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.match_rows import IS_BEHIND, IS_RUNNING, RECENT, matches
from bot.store.shared import on_share
from bot.store.tournaments import tournaments


@dataclass(frozen=True, slots=True)
class ShownBatch:
    """What Discord shows, by id: versions, for tournaments with a digest of the message, and pings."""

    boards: dict[int, int] = field(default_factory=dict)
    invitations: dict[int, int] = field(default_factory=dict)
    tournaments: dict[int, tuple[int, str | None]] = field(default_factory=dict)
    pings: dict[int, Ping] = field(default_factory=dict)

    def updated(self, newer: ShownBatch) -> ShownBatch:
        """Return this batch with the newer records in place of its own."""
        return ShownBatch(
            self.boards | newer.boards,
            self.invitations | newer.invitations,
            self.tournaments | newer.tournaments,
            self.pings | newer.pings,
        )

    def statements(self) -> list[tuple[sa.Update, list[dict[str, Any]]]]:
        """Return the updates that store it, with their parameters."""
        boards = [{"key": key, "seen": version} for key, version in self.boards.items()]
        invitations = [{"key": key, "seen": version} for key, version in self.invitations.items()]
        contests = [
            {"key": key, "seen": version, "mark": mark} for key, (version, mark) in self.tournaments.items()
        ]
        pings = [
            {"key": key, "ask": ping.ask, "message": ping.message_id, "channel": ping.channel_id}
            for key, ping in self.pings.items()
        ]
        return [
            (_MARK_BOARD, boards),
            (_MARK_INVITATION, invitations),
            (_MARK_TOURNAMENT, contests),
            (_MARK_PING, pings),
        ]


_PLACES = (
    sa.select(matches.c.channel_id, matches.c.guild_id, matches.c.parent_id)
    .where(IS_RUNNING, matches.c.guild_id.is_not(None), matches.c.message_id.is_not(None))
    .distinct()
)


def _mark(table: sa.Table) -> sa.Update:
    where = table.c.id == sa.bindparam("key"), table.c.shown_version != sa.bindparam("seen")
    return sa.update(table).where(*where).values(shown_version=sa.bindparam("seen"))


# Statements of every second, built once.
_MARK_BOARD, _MARK_INVITATION = _mark(matches), _mark(challenges)
_MARK_PING = (
    sa.update(matches)
    .where(matches.c.id == sa.bindparam("key"))
    .values(
        ping_ask=sa.bindparam("ask"),
        ping_id=sa.bindparam("message", type_=sa.BigInteger),
        ping_channel=sa.bindparam("channel", type_=sa.BigInteger),
    )
)
_MARK_TOURNAMENT = (
    sa.update(tournaments)
    .where(tournaments.c.id == sa.bindparam("key"))
    .values(shown_version=sa.bindparam("seen"), shown_mark=sa.bindparam("mark"))
)


@lru_cache(maxsize=16)
def _stale_boards(share: Shards | None, limit: int) -> sa.Select[Any]:
    return (
        sa.select(*(matches.c[name] for name in ("id", "channel_id", "message_id", "version")))
        .where(IS_BEHIND, *on_share(matches.c.guild_id, share))
        .order_by(matches.c.id.desc())
        .limit(limit)
    )


class ShownVersionStore(Store):
    """Stores which version each message displays."""

    @uncancellable
    async def mark(self, batch: ShownBatch) -> None:
        """Store what Discord shows.

        A version may be older than the stored one: of two processes that edited a board at the same time, the
        one with the older version was last.
        """
        statements = [(update, values) for update, values in batch.statements() if values]

        async def note(connection: Connection) -> None:
            for update, values in statements:
                await connection.execute(update, values)

        if statements:
            await self._database.change(note)

    @uncancellable
    async def doubt(self, since: datetime) -> None:
        """Mark this process's boards that changed since then as stale."""
        where = (matches.c.touched_at >= since, matches.c.message_id.is_not(None))
        async with self._database.writing() as connection:
            await connection.execute(
                sa.update(matches)
                .where(*where, *self._database.mine(matches.c.guild_id))
                .values(shown_version=-1)
            )

    @uncancellable
    async def doubt_in(self, guild_id: int, since: datetime) -> None:
        """Mark boards of a server as stale, and pings that were not sent.

        Marked are running matches, and of the newest those that changed since then.
        """
        there = sa.and_(matches.c.guild_id == guild_id, matches.c.message_id.is_not(None))
        newest = sa.select(sa.func.max(matches.c.id)).scalar_subquery()
        is_late = sa.and_(matches.c.id > newest - RECENT, matches.c.touched_at >= since)

        async def change(connection: Connection) -> None:
            boards = sa.update(matches).where(there, sa.or_(IS_RUNNING, is_late))
            await connection.execute(boards.values(shown_version=-1))
            unsent = sa.update(matches).where(there, IS_RUNNING, matches.c.ping_id.is_(None))
            await connection.execute(unsent.values(ping_ask=None))

        await self._database.change(change)

    @uncancellable
    async def stale_boards(self, limit: int) -> list[StaleBoard]:
        """Return the matches whose message displays an older version or is missing, the latest first."""
        query = _stale_boards(self._database.share, limit)

        async def read(connection: Connection) -> list[StaleBoard]:
            rows = (await connection.execute(query)).all()
            return [StaleBoard(row.id, row.channel_id, row.message_id, row.version) for row in rows]

        return await self._database.ask(read)

    @uncancellable
    async def running_places(self, guild_ids: Collection[int] | None) -> list[Place]:
        """Return the channels and threads of servers in which running matches have a board, once each.

        guild_ids: only those of these servers; None for all.
        """
        query = _PLACES.where(*self._database.mine(matches.c.guild_id))
        if guild_ids is not None:
            query = query.where(matches.c.guild_id.in_(guild_ids))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [Place(row.channel_id, row.guild_id, parent_id=row.parent_id) for row in rows]

    @uncancellable
    async def matches_on(self, channel_id: int, *message_ids: int) -> list[int]:
        """Return the running matches whose board is one of these messages."""
        where = (matches.c.channel_id == channel_id, matches.c.message_id.in_(message_ids))
        async with self._database.reading() as connection:
            return list(await connection.scalars(sa.select(matches.c.id).where(IS_RUNNING, *where)))

    @uncancellable
    async def tournament_digest(self, tournament_id: int) -> str | None:
        """Return the digest of the tournament's message."""
        query = sa.select(tournaments.c.shown_mark).where(tournaments.c.id == tournament_id)
        found: str | None = await self._value(query)
        return found
