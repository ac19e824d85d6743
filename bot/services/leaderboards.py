"""Leaderboards, seasons and profiles, as values ready for display."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType

from bot.domain.achievement import Accuracy, Award
from bot.domain.errors import SetupError
from bot.domain.leaderboard import (
    EVERYWHERE,
    BestWin,
    HeadToHead,
    LeaderboardPage,
    RankedRecord,
    RatedMatch,
    SeasonMark,
)
from bot.domain.match import Match
from bot.domain.names import CleanName, clean
from bot.domain.season import MARKED_PLACES, Season
from bot.services.checked_terms import checked_game
from bot.store.ranking import BoardKey
from bot.store.ratings import board_of
from bot.store.stores import Stores
from engine.games import GAMES

PAGE_ROWS = 10
RECENT_MATCHES = 5
NO_MEDALS: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Row:
    """One player in a leaderboard.

    rank: from 1; equal ratings share a rank, provisional ones have none. rating, margin: in Elo.
    streak: wins in a row if positive, losses in a row if negative. medal: the place, for one of the first
    three; pairs of people who only played each other are left out.
    """

    rank: int | None
    player_key: str
    name: CleanName
    rating: int
    margin: int
    wins: int
    draws: int
    losses: int
    streak: int
    best_streak: int
    medal: int | None = None

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def win_rate(self) -> float:
        """Wins as a share of the games, from 0 to 1."""
        return self.wins / self.games if self.games else 0.0


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """One page of a leaderboard.

    guild_id: None for all servers. own: the reader's row, on whichever page it is. is_crowned: whether it has
    medals, which it has once enough people have won. season: None for all time. is_current: whether that
    season is the present one. seasons: all seasons of the server, the present one first; () for all servers.
    """

    game: str
    guild_id: int | None
    agents: bool
    rows: tuple[Row, ...]
    page: int
    pages: int
    own: Row | None
    is_crowned: bool
    season: Season | None
    is_current: bool
    seasons: tuple[Season, ...]


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A person's standing in one game."""

    game: str
    row: Row


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's profile, in one server or across all.

    running: number of running matches. recent: the last finished matches, of all servers. steps: the rating
    after each rated match, the earliest first. played: finished matches by game, the most first, casual ones
    included. between: matches against the reader, counted for the person; None for oneself.
    """

    user_id: int
    name: CleanName
    rows: tuple[ProfileRow, ...]
    running: int
    recent: tuple[Match, ...]
    steps: tuple[RatedMatch, ...] = ()
    played: tuple[tuple[str, int], ...] = ()
    best_win: BestWin | None = None
    accuracy: Accuracy | None = None
    between: HeadToHead | None = None
    marks: tuple[SeasonMark, ...] = ()
    awards: tuple[Award, ...] = ()


class Standings:
    """Answers questions about ratings and records. clock: returns the current UTC time."""

    def __init__(self, stores: Stores, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._clock = clock

    @property
    def season(self) -> Season:
        """The present season."""
        return Season.of(self._clock())

    async def seasons(self, guild_id: int, game: str | None = None) -> tuple[Season, ...]:
        """Return the server's seasons (of that game), the latest first, always with the present one."""
        found = await self._stores.seasons.seasons(guild_id, game)
        return tuple(sorted({*found, self.season}, reverse=True))

    async def leaderboard(
        self,
        game: str,
        *,
        guild_id: int | None,
        agents: bool,
        page: int,
        user_id: int,
        season: Season | None = None,
    ) -> Leaderboard:
        """Return a page of the leaderboard of people or of agents; pages beyond the last are the last.

        season: None for all time. Raises SetupError for a season without a server.
        """
        rules = checked_game(game)
        if season is not None and guild_id is None:
            raise SetupError("season_without_server")
        board = board_of(_scope(guild_id), rules.key, season, is_agent=agents)
        page = max(page, 1)
        found = await self._page(board, page)
        pages = max(1, -(-found.total // PAGE_ROWS))
        if page > pages:
            page = pages
            found = await self._page(board, page)
        own = None if agents else await self._stores.ratings.ranked(board, user_id)
        medals = (
            _first_ranks(found)
            if agents
            else await self._stores.seasons.medals(_scope(guild_id), rules.key, season)
        )
        return Leaderboard(
            game=rules.key,
            guild_id=guild_id,
            agents=agents,
            rows=tuple(_row(row, medals) for row in found.rows),
            page=page,
            pages=pages,
            own=None if own is None else _row(own, medals),
            is_crowned=bool(medals),
            season=season,
            is_current=season == self.season,
            seasons=() if guild_id is None else await self.seasons(guild_id, rules.key),
        )

    async def profile(
        self,
        user_id: int,
        *,
        guild_id: int | None,
        name: CleanName | None = None,
        reader_id: int | None = None,
        here: int | None = None,
    ) -> Profile:
        """Return a person's profile in that server, or across all servers if `guild_id` is None.

        reader_id, here: the reader, and the server in which they read it. Names from other servers are
        replaced.
        """
        scope = _scope(guild_id)
        ranked = await self._stores.ratings.ranked_in_all(scope, user_id)
        played = await self._stores.history.played(guild_id, user_id)
        is_other = reader_id is not None and reader_id != user_id
        return Profile(
            user_id=user_id,
            name=name or await self._stores.players.name_of(user_id) or clean(str(user_id)),
            rows=tuple(ProfileRow(game, _row(ranked[game])) for game in GAMES if game in ranked),
            running=await self._stores.matches.count_running(user_id),
            recent=await self._stores.players.called_in(
                here, await self._stores.matches.finished(user_id, RECENT_MATCHES)
            ),
            steps=await self._stores.history.steps(scope, user_id),
            played=tuple(sorted(played.items(), key=lambda item: (-item[1], item[0]))),
            best_win=await self._best_win(scope, user_id, here),
            accuracy=await self._stores.achievements.accuracy(user_id, guild_id),
            between=await self._stores.history.between(guild_id, user_id, reader_id or 0)
            if is_other
            else None,
            marks=await self._stores.seasons.marks(user_id, guild_id, self.season),
            awards=await self._stores.achievements.awards(user_id),
        )

    async def _best_win(self, scope: int, user_id: int, here: int | None) -> BestWin | None:
        best = await self._stores.history.best_win(scope, user_id)
        if best is None or best.opponent_id is None or best.guild_id in (None, here):
            return best
        return replace(best, opponent=await self._stores.players.name_of(best.opponent_id) or best.opponent)

    async def _page(self, board: BoardKey, page: int) -> LeaderboardPage:
        return await self._stores.ratings.leaderboard(board, offset=(page - 1) * PAGE_ROWS, limit=PAGE_ROWS)


def _scope(guild_id: int | None) -> int:
    return EVERYWHERE if guild_id is None else guild_id


def _first_ranks(page: LeaderboardPage) -> Mapping[str, int]:
    """The medals of agents, which go by rank alone."""
    return {row.player: row.rank for row in page.rows if row.rank is not None and row.rank <= MARKED_PLACES}


def _row(ranked: RankedRecord, medals: Mapping[str, int] = NO_MEDALS) -> Row:
    record = ranked.record
    return Row(
        ranked.rank, ranked.player, ranked.name, record.points, record.margin, record.wins, record.draws,
        record.losses, record.streak, record.best_streak,
        medals.get(ranked.player),
    )  # fmt: skip
