"""Reminders: the people that get a direct message each day, and when the next one is due."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import datetime, timedelta


class ReminderKind(enum.StrEnum):
    """The subjects of reminders; a person chooses each by itself."""

    PUZZLE = "puzzle"
    """The puzzle of the day."""

    TURNS = "turns"
    """Matches with days for a move that wait for the person."""


@dataclass(frozen=True, slots=True)
class Reminder:
    """A person's wish for a direct message each day, at the time of day at which they asked for it.

    locale: Discord's, for the language of the message. due_at: of the next one.
    """

    user_id: int
    kind: ReminderKind
    locale: str
    due_at: datetime

    def after(self, now: datetime) -> Reminder:
        """Return the reminder of the first day on which it is not due yet."""
        days = max(0, (now - self.due_at) // timedelta(days=1) + 1)
        return replace(self, due_at=self.due_at + timedelta(days=days))
