"""What Discord's messages show: which version of each match, invitation and tournament, and which are behind.

A mark is written some time after its message was edited, many in one transaction: lost with a crash, it costs
an edit that changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.match import Location
from bot.domain.shards import Shards
from bot.store.challenges import challenges
from bot.store.connection import Connection
from bot.store.damage import DAMAGE
from bot.store.database import Database, uncancellable
from bot.store.matches import IS_BEHIND, IS_RUNNING, RECENT, matches
from bot.store.rows import LOCATION
from bot.store.shared import on_share
from bot.store.tournaments import tournaments


@dataclass(frozen=True, slots=True)
class StaleBoard:
    """A match whose message does not show it, or of whose message nobody knows."""

    match_id: int
    channel_id: int
    message_id: int | None
    version: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the board of a running match stands."""

    match_id: int
    location: Location


_STANDING = (
    sa.select(*(matches.c[name] for name in ("id", *LOCATION.columns)))
    .where(matches.c.end.is_(None))
    .order_by(matches.c.id.desc())
)


def _mark(table: sa.Table) -> sa.Update:
    where = table.c.id == sa.bindparam("key"), table.c.shown_version != sa.bindparam("seen")
    return sa.update(table).where(*where).values(shown_version=sa.bindparam("seen"))


# What is noted every second, built once.
_MARK_BOARD, _MARK_INVITATION = _mark(matches), _mark(challenges)
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


class ShownStore:
    """Which version each message shows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def mark(
        self,
        boards: Mapping[int, int],
        invitations: Mapping[int, int],
        contests: Mapping[int, tuple[int, str | None]],
    ) -> None:
        """Notes by id which version is shown, and of tournaments a digest of what their message says.

        An older one than was noted before is noted, too: of two processes that edited one board at the same
        time, the one with the older version was done last.
        """

        async def note(connection: Connection) -> None:
            for statement, versions in ((_MARK_BOARD, boards), (_MARK_INVITATION, invitations)):
                if versions:
                    values = [{"key": key, "seen": version} for key, version in versions.items()]
                    await connection.execute(statement, values)
            if contests:
                await connection.execute(
                    _MARK_TOURNAMENT,
                    [
                        {"key": key, "seen": version, "mark": mark}
                        for key, (version, mark) in contests.items()
                    ],
                )

        await self._database.change(note)

    @uncancellable
    async def doubt(self, since: datetime) -> None:
        """Takes no board that changed since for shown, as far as it is this process's to look after."""
        where = (matches.c.touched_at >= since, matches.c.message_id.is_not(None))
        async with self._database.writing() as connection:
            await connection.execute(
                sa.update(matches)
                .where(*where, *self._database.mine(matches.c.guild_id))
                .values(shown_version=-1)
            )

    @uncancellable
    async def doubt_in(self, guild_id: int, since: datetime) -> list[int]:
        """Takes no board in that server for shown whose match goes on, and returns these matches.

        Nor those of the last matches that have changed since.
        """
        there = sa.select(matches.c.id).where(
            matches.c.guild_id == guild_id, matches.c.message_id.is_not(None)
        )
        newest = sa.select(sa.func.max(matches.c.id)).scalar_subquery()
        late = there.where(matches.c.id > newest - RECENT, matches.c.touched_at >= since)

        async def change(connection: Connection) -> list[int]:
            running = (await connection.execute(there.where(IS_RUNNING))).scalars().all()
            ended = (await connection.execute(late.where(~IS_RUNNING))).scalars().all()
            if values := [{"key": number, "seen": -1} for number in (*running, *ended)]:
                await connection.execute(_MARK_BOARD, values)
            return list(running)

        return await self._database.change(change)

    @uncancellable
    async def stale_boards(self, limit: int) -> list[StaleBoard]:
        """Matches whose message shows an older version, or is missing; the latest first."""
        query = _stale_boards(self._database.share, limit)

        async def read(connection: Connection) -> list[StaleBoard]:
            found = (await connection.execute(query)).all()
            return [StaleBoard(row.id, row.channel_id, row.message_id, row.version) for row in found]

        return await self._database.ask(read)

    @uncancellable
    async def standing(self, before: int, most: int, guild_id: int | None = None) -> list[Standing]:
        """Running matches that have a message, the latest first, with numbers below `before`.

        guild_id: of that server alone.
        """
        place = self._database.mine(matches.c.guild_id)
        if guild_id is not None:
            place = (*place, matches.c.guild_id == guild_id)
        return await self._standing(
            _STANDING.where(matches.c.message_id.is_not(None), matches.c.id < before, *place).limit(most)
        )

    @uncancellable
    async def standing_among(self, channel_id: int, message_ids: Collection[int]) -> list[Standing]:
        """Running matches whose board is one of these messages of a channel, the latest first."""
        return await self._standing(
            _STANDING.where(matches.c.channel_id == channel_id, matches.c.message_id.in_(message_ids))
        )

    async def _standing(self, query: sa.Select[Any]) -> list[Standing]:
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).all()
        boards = []
        for row in found:
            # Of a damaged place nothing can be asked; whoever loads its match is told.
            with suppress(*DAMAGE):
                boards.append(Standing(row.id, LOCATION.of(row)))
        return boards

    @uncancellable
    async def tournament_digest(self, tournament_id: int) -> str | None:
        """The digest of what the tournament's message says."""
        query = sa.select(tournaments.c.shown_mark).where(tournaments.c.id == tournament_id)
        async with self._database.reading() as connection:
            found: str | None = (await connection.execute(query)).scalar_one_or_none()
        return found
