"""Clocks: a time for each move, or a time for the whole match with an increment for each move.

A clock is chosen, sent and stored as one integer: seconds for each move, or, if negative, the seconds for the
whole match and the increment.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

_PER_SECOND = 1000
"""Factor of the seconds in a negative number; increments are smaller."""

MAX_PRESS_DELAY = timedelta(seconds=3)
"""How long Discord lets a press be answered; if one seems older, Discord's clock differs from ours."""

PRESS_GRACE = timedelta(seconds=1)
"""Grace period after the deadline, for a press that was made in time and is still under way."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A clock.

    seconds: for each move, or for all of a side's moves. increment: seconds added with each move; None if
    `seconds` are for each move.
    """

    seconds: int
    increment: int | None = None

    @classmethod
    def of(cls, number: int) -> Self:
        if number >= 0:
            return cls(number)
        seconds, increment = divmod(-number, _PER_SECOND)
        return cls(seconds, increment)

    @property
    def number(self) -> int:
        return self.seconds if self.increment is None else -(self.seconds * _PER_SECOND + self.increment)


def moment_of(pressed_at: datetime | None, now: datetime) -> datetime:
    """Return when a press was made: the time that it waited for us is not the player's."""
    if pressed_at is None or not now - MAX_PRESS_DELAY <= pressed_at <= now:
        return now
    return pressed_at
