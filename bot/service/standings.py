"""What people read of ratings: leaderboards and profiles, as values ready to be shown."""

from __future__ import annotations

from dataclasses import dataclass

from bot.match import Match
from bot.service.setup import checked_game
from bot.store import EVERYWHERE, RankedRecord, Store
from engine.games import GAMES

PAGE_ROWS = 10
RECENT_MATCHES = 5


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


class Standings:
    """Answers questions about ratings and records."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def leaderboard(
        self, game: str, *, guild_id: int | None, agents: bool, page: int, user_id: int
    ) -> Leaderboard:
        """A page of the board of people or of agents; a page beyond the last is the last."""
        rules = checked_game(game)
        scope = EVERYWHERE if guild_id is None else guild_id
        page = max(page, 1)
        found = await self._store.ratings.leaderboard(
            scope, rules.key, is_agent=agents, offset=(page - 1) * PAGE_ROWS, limit=PAGE_ROWS
        )
        pages = max(1, -(-found.total // PAGE_ROWS))
        if page > pages:
            return await self.leaderboard(game, guild_id=guild_id, agents=agents, page=pages, user_id=user_id)
        own = None if agents else await self._store.ratings.ranked(scope, rules.key, user_id)
        rows = tuple(map(_row, found.rows))
        return Leaderboard(rules.key, guild_id, agents, rows, page, pages, None if own is None else _row(own))

    async def profile(self, user_id: int, *, guild_id: int | None, name: str | None = None) -> Profile:
        """A person's standings here, or everywhere when `guild_id` is None."""
        scope = EVERYWHERE if guild_id is None else guild_id
        ranked = [(game, await self._store.ratings.ranked(scope, game, user_id)) for game in GAMES]
        return Profile(
            user_id=user_id,
            name=name or await self._store.name_of(user_id) or str(user_id),
            rows=tuple(ProfileRow(game, _row(found)) for game, found in ranked if found is not None),
            running=await self._store.count_running(user_id),
            recent=tuple(await self._store.finished_matches(user_id, RECENT_MATCHES)),
        )


def _row(ranked: RankedRecord) -> Row:
    record = ranked.record
    return Row(
        ranked.rank, ranked.player, ranked.name, record.points, record.wins, record.draws,
        record.losses, record.streak, record.best_streak,
    )  # fmt: skip
