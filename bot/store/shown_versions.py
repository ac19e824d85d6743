"""The versions that Discord's messages display: of matches, invitations and tournaments.

They are written some time after a message was edited, many in one transaction. If a crash loses one, that
costs an edit which changes nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.match import BoardLocation, StaleBoard
from bot.domain.shards import Shards
from bot.store.challenges import challenges
from bot.store.connection import Connection
from bot.store.damage import DAMAGE
from bot.store.database import Store
from bot.store.matches import IS_BEHIND, IS_RUNNING, RECENT, matches
from bot.store.rows import LOCATION
from bot.store.shared import on_share
from bot.store.tournaments import tournaments

_BOARDS = (
    sa.select(*(matches.c[name] for name in ("id", *LOCATION.columns)))
    .where(matches.c.end.is_(None))
    .order_by(matches.c.id.desc())
)


def _mark(table: sa.Table) -> sa.Update:
    where = table.c.id == sa.bindparam("key"), table.c.shown_version != sa.bindparam("seen")
    return sa.update(table).where(*where).values(shown_version=sa.bindparam("seen"))


# Statements of every second, built once.
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


class ShownVersionStore(Store):
    """Stores which version each message displays."""

    async def mark(
        self,
        boards: Mapping[int, int],
        invitations: Mapping[int, int],
        contests: Mapping[int, tuple[int, str | None]],
    ) -> None:
        """Store the displayed versions by id, and for tournaments a digest of the message.

        A version may be older than the stored one: of two processes that edited a board at the same time, the
        one with the older version was last.
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

    async def doubt(self, since: datetime) -> None:
        """Mark this process's boards that changed since then as stale."""
        where = (matches.c.touched_at >= since, matches.c.message_id.is_not(None))
        async with self._database.writing() as connection:
            await connection.execute(
                sa.update(matches)
                .where(*where, *self._database.mine(matches.c.guild_id))
                .values(shown_version=-1)
            )

    async def doubt_in(self, guild_id: int, since: datetime) -> list[int]:
        """Mark the boards of a server as stale, and return the running matches.

        Marked are running matches, and those of the newest that changed since then.
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

    async def stale_boards(self, limit: int) -> list[StaleBoard]:
        """Return the matches whose message displays an older version or is missing, the latest first."""
        query = _stale_boards(self._database.share, limit)

        async def read(connection: Connection) -> list[StaleBoard]:
            found = (await connection.execute(query)).all()
            return [StaleBoard(row.id, row.channel_id, row.message_id, row.version) for row in found]

        return await self._database.ask(read)

    async def running_boards(
        self, before: int, most: int, guild_id: int | None = None
    ) -> list[BoardLocation]:
        """Return a page of the running matches' boards, the latest first, with numbers below `before`.

        guild_id: only those of that server.
        """
        place = self._database.mine(matches.c.guild_id)
        if guild_id is not None:
            place = (*place, matches.c.guild_id == guild_id)
        return await self._boards(
            _BOARDS.where(matches.c.message_id.is_not(None), matches.c.id < before, *place).limit(most)
        )

    async def boards_among(self, channel_id: int, message_ids: Collection[int]) -> list[BoardLocation]:
        """Return the running matches' boards among these messages of a channel, the latest first."""
        return await self._boards(
            _BOARDS.where(matches.c.channel_id == channel_id, matches.c.message_id.in_(message_ids))
        )

    async def _boards(self, query: sa.Select[Any]) -> list[BoardLocation]:
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).all()
        boards = []
        for row in found:
            # A damaged location is reported when its match is loaded.
            with suppress(*DAMAGE):
                boards.append(BoardLocation(row.id, LOCATION.of(row)))
        return boards

    async def tournament_digest(self, tournament_id: int) -> str | None:
        """Return the digest of the tournament's message."""
        query = sa.select(tournaments.c.shown_mark).where(tournaments.c.id == tournament_id)
        found: str | None = await self._value(query)
        return found
