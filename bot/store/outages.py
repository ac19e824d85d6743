"""Outages: when the bot was last alive, and clocks moved by its absence.

Downtime counts for no clock, no invitation and no sign-up, and ends no run of daily puzzles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bot.domain.challenge import ChallengeStatus
from bot.domain.shards import Shards
from bot.domain.tournament.model import Stage
from bot.store.challenges import challenges
from bot.store.connection import Connection
from bot.store.courses import IS_TIMED, courses
from bot.store.damage import BATCH
from bot.store.database import Store, uncancellable
from bot.store.facts import facts
from bot.store.match_rows import matches
from bot.store.rows import put
from bot.store.shared import Instant, id_column, instant, is_on, metadata
from bot.store.tournaments import tournaments

ALIVE_AT = "alive_at"

outages = sa.Table(
    "outages",
    metadata,
    id_column(),
    sa.Column("began_at", Instant, nullable=False),
    sa.Column("ended_at", Instant, nullable=False),
)
"""Long outages. Several processes may note the same one."""

NOTED = timedelta(minutes=10), timedelta(days=366)
"""The lengths of outages that are noted; a longer one is a clock that was wrong."""

SHORTEST_OUTAGE = timedelta(seconds=2)
"""Shorter outages are not compensated."""

EDITED_CLOCK_RATIO = 50
"""The board of a clock more than this many times longer than the outage is not edited: its time left is then
at most 2 % too short, until the next move."""


@dataclass(frozen=True, slots=True)
class Outage:
    """How long the bot was away."""

    away: timedelta


class OutageStore(Store):
    """Stores when the bot was alive, and moves the clocks."""

    has_limit = False

    @uncancellable
    async def beat(self, now: datetime) -> None:
        """Store that the bot is alive, for the shards that this process looks after."""
        # Taken before waiting: shards that this process gets meanwhile are still to be compensated.
        parts = self._parts()
        async with self._database.writing() as connection:
            for key, _ in parts:
                await _remember(connection, key, now)

    @uncancellable
    async def last_beat(self) -> datetime | None:
        """Return when a bot with this database was last alive; None if that is unknown."""
        query = sa.select(facts.c.value).where(facts.c.key.startswith(ALIVE_AT, autoescape=True))
        beats = [at for (text,) in await self._rows(query) if (at := _beat_of(text)) is not None]
        return max(beats, default=None)

    @uncancellable
    async def make_up(self, now: datetime) -> Outage | None:
        """Move every running clock by the time since the last beat; return None for a short one.

        The time is negative where the system's clock was set back.
        """
        away = timedelta()
        async with self._database.writing() as connection:
            for key, shards in self._parts():
                query = sa.select(facts.c.value).where(facts.c.key == key)
                last = _beat_of((await connection.execute(query)).scalar_one_or_none())
                await _remember(connection, key, now)
                if last is not None and abs(now - last) >= SHORTEST_OUTAGE:
                    await _move_clocks(connection, shards, now - last)
                    away = max(away, now - last, key=abs)
            if NOTED[0] <= away <= NOTED[1]:
                await connection.execute(sa.insert(outages).values(began_at=now - away, ended_at=now))
        return Outage(away) if away else None

    @uncancellable
    async def noted(self) -> list[tuple[datetime, datetime]]:
        """Return the beginning and the end of each long outage."""
        return [(row.began_at, row.ended_at) for row in await self._rows(sa.select(outages))]

    def _parts(self) -> list[tuple[str, Shards | None]]:
        """The keys of the beats, each with its shards: one for all, or one a shard."""
        share = self._database.share
        if share is None:
            return [(ALIVE_AT, None)]
        return [
            (f"{ALIVE_AT}/{number}/{share.count}", Shards(share.count, frozenset({number})))
            for number in sorted(share.numbers)
        ]


async def _move_clocks(connection: Connection, shards: Shards | None, away: timedelta) -> None:
    def here(table: sa.Table) -> sa.ColumnElement[bool]:
        return sa.true() if shards is None else is_on(table.c.guild_id, shards)

    running = sa.and_(matches.c.end.is_(None), here(matches))
    is_noticed = matches.c.clock_seconds <= EDITED_CLOCK_RATIO * abs(away.total_seconds())
    has_clock = sa.case((is_noticed, 1), else_=0)
    columns = ("turn_started_at", "touched_at", "due_at", "stands_since", "stands_until")
    await _move(connection, matches, running, columns, away, is_seen=has_clock)
    is_open = sa.and_(challenges.c.status == ChallengeStatus.OPEN.value, here(challenges))
    await _move(connection, challenges, is_open, ("expires_at",), away, is_seen=sa.literal(1))
    storms = sa.and_(IS_TIMED, here(courses))
    await _move(connection, courses, storms, ("ends_at",), away, is_seen=sa.literal(1))
    signs_up = sa.and_(tournaments.c.stage == Stage.OPEN.value, here(tournaments))
    await _move(connection, tournaments, signs_up, ("closes_at",), away, is_seen=sa.literal(1))


async def _remember(connection: Connection, key: str, now: datetime) -> None:
    await put(connection, facts, {"key": key}, {"value": now.astimezone(UTC).isoformat()})


async def _move(
    connection: Connection,
    table: sa.Table,
    where: sa.ColumnElement[bool],
    columns: Sequence[str],
    away: timedelta,
    *,
    is_seen: sa.ColumnElement[int],
) -> None:
    """Add the time to these columns, to the microsecond, which SQLite itself cannot do.

    is_seen: 1 for rows whose message shows the time, which get a new version; else 0.
    """
    numbers = (await connection.execute(sa.select(table.c.id).where(where))).scalars().all()
    # Unconverted: a damaged instant stays as it is and stops no other row.
    plain = [sa.type_coerce(table.c[name], sa.types.NullType()).label(name) for name in columns]
    change = sa.update(table).where(table.c.id == sa.bindparam("key"))
    change = change.values({name: sa.bindparam(f"new_{name}") for name in columns})
    change = change.values(version=table.c.version + is_seen)
    for start in range(0, len(numbers), BATCH):
        batch = numbers[start : start + BATCH]
        query = sa.select(table.c.id, *plain).where(table.c.id.in_(batch))
        rows = (await connection.execute(query)).mappings()
        moved = [new for row in rows if (new := _moved(row, columns, away)) is not None]
        if moved:
            await connection.execute(change, moved)


def _moved(row: sa.RowMapping, columns: Sequence[str], away: timedelta) -> dict[str, Any] | None:
    new: dict[str, Any] = {"key": row["id"]}
    for name in columns:
        at = _instant(row[name])
        if at is None and row[name] is not None:
            return None
        new[f"new_{name}"] = None if at is None else at + away
    return new


def _beat_of(text: str | None) -> datetime | None:
    """When the bot was last alive; None if that is unknown or damaged."""
    try:
        at = None if text is None else datetime.fromisoformat(text)
    except ValueError:
        return None
    return None if at is None else at.replace(tzinfo=at.tzinfo or UTC)


def _instant(stored: object) -> datetime | None:
    """The instant in a column of SQLite or PostgreSQL; None if it is damaged."""
    if isinstance(stored, datetime):  # from PostgreSQL
        return stored
    try:
        return instant(stored) if isinstance(stored, int) else None
    except (OverflowError, ValueError):
        return None
