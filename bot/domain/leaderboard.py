"""Rows of leaderboards and profiles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from bot.domain.names import CleanName
from bot.domain.rating import Record
from bot.domain.season import Season

EVERYWHERE = 0
"""Scope of the ratings across all servers; any other scope is a server's id."""

PLOTTED_MATCHES = 400
"""How many matches back a profile's plot goes."""


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One row of a leaderboard.

    rank: from 1, equal points share one; None while the rating is provisional. player: a user's id or a
    level's key.
    """

    rank: int | None
    player: str
    name: CleanName
    record: Record


@dataclass(frozen=True, slots=True)
class LeaderboardPage:
    """Some rows of a leaderboard.

    total: rows of the whole leaderboard. winners: players on it with a win, counted no further than medals
    need.
    """

    rows: tuple[RankedRecord, ...]
    total: int
    winners: int = 0


@dataclass(frozen=True, slots=True)
class SeasonMark:
    """A medal of a past season. rank: from 1; equal points share one."""

    season: Season
    game: str
    rank: int


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """A person's points after a rated match of that game."""

    game: str
    points: int
    at: datetime


@dataclass(frozen=True, slots=True)
class BestWin:
    """A person's win against the opponent with the most points before the match.

    opponent: name where the match was played. opponent_id: None for agents.
    """

    match_id: int
    game: str
    opponent: CleanName
    opponent_id: int | None
    points: int
    guild_id: int | None

    @property
    def is_agent(self) -> bool:
        return self.opponent_id is None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Finished matches between two people, counted for the first of them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses
