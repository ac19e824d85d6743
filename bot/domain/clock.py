"""Clocks: so long for every move, or so long for the whole match and a little more with every move.

One whole number tells a clock wherever one is chosen, sent or stored: seconds a move, or, below zero, those
of a whole match. So what was stored before there were clocks of that kind still says what it said.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self

_PER_SECOND = 1000
"""Increments are below it."""

LATEST_PRESS = timedelta(seconds=3)
"""Discord lets a press be answered for so long; one that seems older has a clock that is not ours."""

IN_FLIGHT = timedelta(seconds=1)
"""So long after its end a clock waits for a press that was made in time and is still under way."""


@dataclass(frozen=True, slots=True)
class Clock:
    """seconds: for each move, or for a side's whole match. increment: seconds more with every move made of a
    whole match; None where the seconds are for each move.
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
    """When a press was made: what it waited for us since is not its player's time."""
    if pressed_at is None or not now - LATEST_PRESS <= pressed_at <= now:
        return now
    return pressed_at
