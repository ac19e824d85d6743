"""What people read of ratings: leaderboards and profiles, as values ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from bot.match import Match


@dataclass(frozen=True, slots=True)
class Row:
    """One player in a leaderboard.

    rank: from 1; equal ratings share a rank. rating: points, 1000 for a newcomer.
    streak: wins in a row if positive, losses in a row if negative.
    """

    rank: int
    player_key: str
    name: str
    rating: int
    wins: int
    draws: int
    losses: int
    streak: int
    best_streak: int

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Wins and half the draws, as a share of the games from 0 to 1."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One page; `guild_id` None means everywhere. `own` is the reader's row wherever it stands."""

    game: str
    guild_id: int | None
    agents: bool
    rows: tuple[Row, ...]
    page: int
    pages: int
    own: Row | None


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A person's standing in one game."""

    game: str
    row: Row


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's standings, how many matches they have running, and their last finished ones."""

    user_id: int
    name: str
    rows: tuple[ProfileRow, ...]
    running: int
    recent: tuple[Match, ...]
