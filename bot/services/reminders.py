"""Reminders: people ask for a direct message each day, and stop it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from bot.domain.clock import moment_of
from bot.domain.person import Person
from bot.domain.reminder import Reminder, ReminderKind
from bot.store.reminders import ReminderStore

REMINDERS_AT_ONCE = 50
"""Due reminders that are looked at together: some may wait after a failure."""


class Reminders:
    """One per process. clock: the current UTC time."""

    def __init__(self, store: ReminderStore, *, clock: Callable[[], datetime]) -> None:
        self._store = store
        self._clock = clock

    async def of(self, user_id: int, kind: ReminderKind) -> Reminder | None:
        """Return the person's reminder of that kind; None if they have asked for none."""
        return await self._store.find(user_id, kind)

    async def remind(self, person: Person, kind: ReminderKind, locale: str) -> Reminder:
        """Return the person's reminder: the one they have, or a new one from tomorrow on."""
        known = await self._store.find(person.user_id, kind)
        if known is not None:
            return known
        asked_at = moment_of(person.pressed_at, self._clock())
        reminder = Reminder(person.user_id, kind, locale, asked_at + timedelta(days=1))
        await self._store.put(reminder)
        return reminder

    async def stop(self, user_id: int, kind: ReminderKind) -> None:
        """Send the person no more reminders of that kind."""
        await self._store.stop(user_id, kind)

    async def due(self, kind: ReminderKind) -> list[Reminder]:
        """Return the reminders of that kind that are due now."""
        return await self._store.due(kind, self._clock(), REMINDERS_AT_ONCE)

    async def note_sent(self, reminder: Reminder) -> None:
        """Note that the person was reminded today."""
        await self._store.move(reminder.after(self._clock()))
