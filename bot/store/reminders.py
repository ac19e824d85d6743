"""The people that get direct messages each day."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa

from bot.domain.reminder import Reminder, ReminderKind
from bot.store.database import Store, uncancellable
from bot.store.rows import RowMapper
from bot.store.shared import Instant, Values, metadata

reminders = sa.Table(
    "reminders",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("locale", sa.String(16), nullable=False),
    sa.Column("due_at", Instant, nullable=False, index=True),
    sqlite_with_rowid=False,
)

REMINDER = RowMapper(reminders, Reminder)


class ReminderStore(Store):
    """Loads and stores reminders, one for each person and kind."""

    @uncancellable
    async def find(self, user_id: int, kind: ReminderKind) -> Reminder | None:
        rows = await self._rows(sa.select(reminders).filter_by(**_key(user_id, kind)))
        return REMINDER.read(rows[0]) if rows else None

    @uncancellable
    async def due(self, kind: ReminderKind, now: datetime, limit: int) -> list[Reminder]:
        """Return the reminders of that kind that are due, those that wait longest first."""
        query = sa.select(reminders).where(reminders.c.due_at <= now, reminders.c.kind == kind.value)
        return [
            REMINDER.read(row) for row in await self._rows(query.order_by(reminders.c.due_at).limit(limit))
        ]

    @uncancellable
    async def put(self, reminder: Reminder) -> None:
        """Store the reminder in place of the person's earlier one of its kind."""
        async with self._database.writing() as connection:
            await REMINDER.put(connection, _key(reminder.user_id, reminder.kind), reminder)

    @uncancellable
    async def move(self, reminder: Reminder) -> None:
        """Store when it is due next, unless the person has stopped it meanwhile."""
        is_its = sa.update(reminders).filter_by(**_key(reminder.user_id, reminder.kind))
        async with self._database.writing() as connection:
            await connection.execute(is_its.values(due_at=reminder.due_at))

    @uncancellable
    async def stop(self, user_id: int, kind: ReminderKind) -> None:
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(reminders).filter_by(**_key(user_id, kind)))


def _key(user_id: int, kind: ReminderKind) -> Values:
    return {"user_id": user_id, "kind": kind.value}
