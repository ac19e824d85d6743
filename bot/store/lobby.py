"""The lobby of open tables: pairs that never meet there, reported names, and what the host shut out."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

import sqlalchemy as sa

from bot.domain.errors import SetupError
from bot.domain.names import CleanName
from bot.domain.seat import Seat
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.shared import Instant, ShownName, metadata, upsert

MOST_REPORTS = 5
"""Names that one person may report in a day: the host reads them all."""

REPORTS_KEPT_FOR = timedelta(days=90)

MOST_LISTED = 50
"""Reported names of which the host is told at once, the latest first."""

never_meet = sa.Table(
    "never_meet",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("other_user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Wishes never to meet a person, which hold for both."""

shut_out = sa.Table(
    "shut_out",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Ids of people and servers, which Discord draws from the same numbers."""

name_reports = sa.Table(
    "name_reports",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("other_user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("name", ShownName, nullable=False),
    sa.Column("reported_at", Instant, nullable=False),
    sqlite_with_rowid=False,
)
"""Names of people of other servers that were reported to the host, the latest by each person.

guild_id: the server of the reported. name: as the reporter read it.
"""

_SHUT_OUT = upsert(shut_out).on_conflict_do_nothing()

_INSERT = upsert(name_reports)
_NEW = _INSERT.excluded
# Not by its count of rows: in a Turkish locale Python takes INSERT for no statement that changes rows.
_REPORT = _INSERT.on_conflict_do_update(
    index_elements=["user_id", "other_user_id"],
    set_={name: _NEW[name] for name in ("guild_id", "name", "reported_at")},
    # The same name again is no news to the host.
    where=(name_reports.c.name != _NEW.name) | (name_reports.c.guild_id != _NEW.guild_id),
).returning(name_reports.c.user_id)


@dataclass(frozen=True, slots=True)
class ReportedName:
    """A name that was reported. reports: by how many people. server: its name as others read it."""

    name: CleanName
    user_id: int
    server: str | None
    guild_id: int
    reports: int
    last_at: datetime


class LobbyStore(Store):
    """Stores whom to keep apart."""

    @uncancellable
    async def is_shut_out(self, numbers: Collection[int]) -> bool:
        """Return whether the host shut out one of these people and servers."""
        async with self._database.reading() as connection:
            return await _is_shut_out(connection, numbers)

    @uncancellable
    async def shut_out(self, number: int, *, is_out: bool) -> None:
        """Shut a person or a server out of the lobby; or let them in again, and drop the reports of them."""
        is_theirs = sa.or_(name_reports.c.other_user_id == number, name_reports.c.guild_id == number)
        async with self._database.writing() as connection:
            if is_out:
                await connection.execute(_SHUT_OUT, {"number": number})
            else:
                await connection.execute(sa.delete(shut_out).where(shut_out.c.number == number))
                await connection.execute(sa.delete(name_reports).where(is_theirs))

    @uncancellable
    async def report(self, user_id: int, seat: Seat, now: datetime) -> bool:
        """Store that the person reports the name on that seat, of a match between servers.

        Returns False where they reported the same before; another name replaces it.
        Raises SetupError beyond MOST_REPORTS a day.
        """
        today = sa.select(sa.func.count()).where(
            name_reports.c.user_id == user_id, name_reports.c.reported_at > now - timedelta(days=1)
        )
        values = {"other_user_id": seat.user_id, "guild_id": seat.guild_id, "name": seat.name}
        async with self._database.writing() as connection:
            if (await connection.scalar(today) or 0) >= MOST_REPORTS:
                raise SetupError("too_many_reports", n=MOST_REPORTS)
            new = await connection.execute(_REPORT, {"user_id": user_id, "reported_at": now, **values})
            return new.first() is not None

    @uncancellable
    async def forget_old(self, now: datetime) -> int:
        """Delete the reports that were made longer than REPORTS_KEPT_FOR ago, and return their number."""
        is_old = name_reports.c.reported_at < now - REPORTS_KEPT_FOR
        return await self._delete_for_good(sa.delete(name_reports).where(is_old))

    @uncancellable
    async def reports(self, now: datetime) -> list[ReportedName]:
        """Return the reported names, the latest first, but those of people who are shut out.

        Reports that `forget_old` is about to delete are left out: it runs only where the bot does.
        """
        servers, out = metadata.tables["server_settings"].c, sa.select(shut_out.c.number)
        one, latest = name_reports.c, sa.func.max(name_reports.c.reported_at)
        query = (
            sa.select(
                one.name, one.other_user_id, sa.func.max(servers.lobby_name), one.guild_id,
                sa.func.count(), latest,
            )
            .outerjoin_from(name_reports, servers.guild_id.table, servers.guild_id == one.guild_id)
            .where(one.other_user_id.not_in(out), one.guild_id.not_in(out))
            .where(one.reported_at >= now - REPORTS_KEPT_FOR)
            # Each name of a person: the worst one need not be the one that most people read.
            .group_by(one.other_user_id, one.guild_id, one.name)
            .order_by(latest.desc())
            .limit(MOST_LISTED)
        )  # fmt: skip
        return [ReportedName(*tuple(row)) for row in await self._rows(query)]

    @uncancellable
    async def turn_away(self, user_id: int, other_id: int) -> bool:
        """Put the other on the person's list of people never to meet, or take them off; return which."""
        pair = {"user_id": user_id, "other_user_id": other_id}
        async with self._database.writing() as connection:
            gone = await connection.execute(sa.delete(never_meet).filter_by(**pair))
            if gone.rowcount:
                return False
            await connection.execute(sa.insert(never_meet), pair)
        return True


async def check_meeting(connection: Connection, *ids: int | None) -> None:
    """Raise SetupError if the two never meet, or one of them or of their servers is shut out.

    ids: of both people and their servers, which Discord draws from the same numbers.
    """
    numbers = [one for one in ids if one is not None]
    columns = never_meet.c.user_id, never_meet.c.other_user_id
    apart = sa.select(sa.literal(1)).where(*(column.in_(numbers) for column in columns))
    if await connection.scalar(apart) or await _is_shut_out(connection, numbers):
        raise SetupError("table_not_for_you")


async def _is_shut_out(connection: Connection, numbers: Collection[int]) -> bool:
    query = sa.select(sa.literal(1)).where(shut_out.c.number.in_(numbers)).limit(1)
    return await connection.scalar(query) is not None
