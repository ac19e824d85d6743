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
    """Return the moment at which a press counts: the time that it waited for us is not the player's.

    pressed_at: when Discord or the web server received it. A press from the future, or from longer ago than
    MAX_PRESS_DELAY, counts at `now`: the clocks disagree, and nobody gains by that.
    """
    if pressed_at is None or not now - MAX_PRESS_DELAY <= pressed_at <= now:
        return now
    return pressed_at


def heard_until(now: datetime) -> datetime:
    """Return the moment up to which all presses have arrived: nothing later is decided by time at `now`."""
    return now - MAX_PRESS_DELAY
