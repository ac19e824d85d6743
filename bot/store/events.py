"""The scheduled events by which servers announce tournaments: the bot changes and ends no other."""

from __future__ import annotations

import sqlalchemy as sa

from bot.domain.tournament.model import TournamentEvent
from bot.store.database import Store, uncancellable
from bot.store.rows import RowMapper
from bot.store.shared import Instant, metadata

tournament_events = sa.Table(
    "tournament_events",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("event_id", sa.BigInteger, nullable=False),
    sa.Column("is_active", sa.Boolean, nullable=False),
    sa.Column("ends_at", Instant, nullable=False),
)

TOURNAMENT_EVENT = RowMapper(tournament_events, TournamentEvent)


class EventStore(Store):
    """Stores made and ended events."""

    @uncancellable
    async def all(self) -> tuple[TournamentEvent, ...]:
        """Return the events that have not ended."""
        return tuple(map(TOURNAMENT_EVENT.read, await self._rows(sa.select(tournament_events))))

    @uncancellable
    async def note(self, event: TournamentEvent) -> None:
        """Note that the event was made or changed."""
        async with self._database.writing() as connection:
            await TOURNAMENT_EVENT.put(connection, {"tournament_id": event.tournament_id}, event)

    @uncancellable
    async def forget(self, tournament_id: int) -> None:
        """Note that the event has ended."""
        async with self._database.writing() as connection:
            is_its = tournament_events.c.tournament_id == tournament_id
            await connection.execute(sa.delete(tournament_events).where(is_its))
