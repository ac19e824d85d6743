"""Seasons: calendar months in UTC. A season begins by itself: its key is part of the records' key."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

MARKED_PLACES = 3
"""Places of a past season that are medals."""

MIN_WINNERS = 3
"""People with a win that a leaderboard needs before it has medals."""

_KEY = re.compile(r"(?P<year>20[0-9]{2})-(?P<month>0[1-9]|1[0-2])")


@dataclass(frozen=True, slots=True, order=True)
class Season:
    """One month. Later seasons compare as greater, and so do their keys."""

    year: int
    month: int

    @classmethod
    def of(cls, instant: datetime) -> Self:
        """Return the season of an aware datetime."""
        moment = instant.astimezone(UTC)
        return cls(moment.year, moment.month)

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Return the season of a key such as `2026-11`; None for an invalid one."""
        found = _KEY.fullmatch(text.strip())
        if found is None:
            return None
        return cls(int(found["year"]), int(found["month"]))

    @property
    def key(self) -> str:
        return f"{self.year:04}-{self.month:02}"

    @property
    def begins_at(self) -> datetime:
        return datetime(self.year, self.month, 1, tzinfo=UTC)

    @property
    def ends_at(self) -> datetime:
        """First instant of the following season."""
        return self.following.begins_at

    @property
    def preceding(self) -> Season:
        return Season(self.year - (self.month == 1), (self.month - 2) % 12 + 1)

    @property
    def following(self) -> Season:
        return Season(self.year + self.month // 12, self.month % 12 + 1)
