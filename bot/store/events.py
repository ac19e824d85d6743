"""Which event of a server announces which tournament: the bot changes and ends no other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from bot.store.database import Database, uncancellable
from bot.store.rows import attributes_of, put, values_of
from bot.store.shared import Instant, metadata


@dataclass(frozen=True, slots=True)
class Announced:
    """A tournament's event. is_active: it has begun. ends_at: when Discord ends it unless that is put off."""

    tournament_id: int
    guild_id: int
    event_id: int
    is_active: bool
    ends_at: datetime


tournament_events = sa.Table(
    "tournament_events",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("event_id", sa.BigInteger, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("ends_at", Instant, nullable=False),
)


class EventStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def all(self) -> tuple[Announced, ...]:
        """Those that have not been ended."""
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(tournament_events))).all()
        return tuple(Announced(**attributes_of(row)) for row in found)

    @uncancellable
    async def note(self, event: Announced) -> None:
        """It was made, or changed."""
        key = {"tournament_id": event.tournament_id}
        async with self._database.writing() as connection:
            await put(connection, tournament_events, key, values_of(event, tournament_events, but=key))

    @uncancellable
    async def forget(self, tournament_id: int) -> None:
        """It was ended."""
        async with self._database.writing() as connection:
            table = tournament_events
            await connection.execute(sa.delete(table).where(table.c.tournament_id == tournament_id))
