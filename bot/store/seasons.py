"""Seasons: each month's ratings of each server, which begin afresh by being kept under another key."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.rating_share import Share
from bot.domain.season import Season
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.medals import LOOKED_AT, medals
from bot.store.rank_tallies import EVER, SETTLED, board_index, is_shown, tallies
from bot.store.ratings import (
    Board,
    LeaderboardPage,
    RankedRecord,
    rate_seats,
    read_own,
    read_page,
    record_columns,
    standing_column,
)
from bot.store.shared import PlayerKey, metadata
from bot.store.words import Word

season_records = sa.Table(
    "season_records",
    metadata,
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("season", sa.String(7), primary_key=True),
    sa.Column("game", Word(32), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    *record_columns(),
    standing_column(),
    sqlite_with_rowid=False,
)
"""Like `records`, for one month and one server; everybody begins each month as a newcomer."""

board_index(season_records, "scope", "game", "season", "is_agent")


@dataclass(frozen=True, slots=True)
class SeasonMark:
    """One of the first places in a season that is over. rank: from 1; equal ratings share one."""

    season: Season
    game: str
    rank: int


class SeasonStore:
    """Answers questions about seasons; they change only in the transaction that ends a match."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def leaderboard(
        self, season: Season, guild_id: int, game: str, *, is_agent: bool, offset: int, limit: int
    ) -> LeaderboardPage:
        """Rows from rank `offset` + 1 on."""
        board = _ranked(season, guild_id, game, is_agent)
        return await self._database.ask(lambda connection: read_page(connection, board, offset, limit))

    @uncancellable
    async def ranked(self, season: Season, guild_id: int, game: str, user_id: int) -> RankedRecord | None:
        """A person's own row."""
        board = _ranked(season, guild_id, game, is_agent=False)
        return await self._database.ask(lambda connection: read_own(connection, board, user_id))

    @uncancellable
    async def medals(self, season: Season, guild_id: int, game: str) -> dict[str, int]:
        """The first places among people, by player, without pairs that kept to themselves."""
        return await self._database.ask(lambda connection: _medals(connection, season, guild_id, game))

    @uncancellable
    async def seasons(self, guild_id: int, game: str | None = None) -> tuple[Season, ...]:
        """The seasons in which somebody played (that game) in the server, the latest first."""
        # The tallies name them, too, and have fewer rows.
        table = tallies
        query = sa.select(table.c.season).distinct().where(table.c.scope == guild_id, table.c.season != EVER)
        if game is not None:
            query = query.where(table.c.game == game)
        async with self._database.reading() as connection:
            found = (await connection.execute(query.order_by(table.c.season.desc()))).scalars().all()
        return tuple(season for key in found if (season := Season.parse(key)) is not None)

    @uncancellable
    async def marks(self, user_id: int, guild_id: int | None, current: Season) -> tuple[SeasonMark, ...]:
        """The person's first places in seasons before `current`, the latest first; None: in any server."""
        query = _first_places(guild_id is None)
        values = {"own_player": str(user_id), "current": current.key, "guild_id": guild_id}
        found = []
        async with self._database.reading() as connection:
            for row in (await connection.execute(query, values)).all():
                season = Season.parse(row.season)
                places = {} if season is None else await _medals(connection, season, row.scope, row.game)
                if season is not None and row.player in places:
                    found.append(SeasonMark(season, row.game, places[row.player]))
        return tuple(
            sorted(found, key=lambda mark: (-mark.season.year, -mark.season.month, mark.rank, mark.game))
        )


@cache
def _first_places(is_everywhere: bool) -> sa.Select[Any]:
    """Rows of `own_player` in seasons before `current`, with few above: those of `guild_id`, or all."""
    own, above = season_records.alias("own"), season_records.alias("above")
    better = (
        above.c.season == own.c.season,
        above.c.scope == own.c.scope,
        above.c.game == own.c.game,
        above.c.is_agent == own.c.is_agent,
        above.c.points > own.c.points,
        above.c.standing == SETTLED,
        is_shown(above),
    )
    looked = sa.select(sa.literal(1)).where(*better).correlate(own).limit(LOOKED_AT).subquery()
    query = (
        sa.select(own)
        .where(own.c.player == sa.bindparam("own_player"), own.c.is_agent.is_(False))
        .where(own.c.season < sa.bindparam("current"), own.c.standing == SETTLED)
        .where(sa.select(sa.func.count()).select_from(looked).scalar_subquery() < LOOKED_AT)
    )
    return query if is_everywhere else query.where(own.c.scope == sa.bindparam("guild_id"))


async def count_season(connection: Connection, match: Match, share: Share) -> None:
    """Rates a match that has just ended in its server's season, in the transaction that ends it."""
    guild_id = match.location.guild_id
    if guild_id is None:
        return
    kept_under = {"season": Season.of(match.touched_at).key, "scope": guild_id}
    await rate_seats(connection, season_records, kept_under, match, share.weights)


async def _medals(connection: Connection, season: Season, scope: int, game: str) -> dict[str, int]:
    table = season_records
    where = (table.c.season == season.key, table.c.scope == scope, table.c.game == game)
    return await medals(connection, {"scope": scope, "game": game}, table, *where, season=season)


def _ranked(season: Season, guild_id: int, game: str, is_agent: bool) -> Board:
    key = {"season": season.key, "scope": guild_id, "game": game, "is_agent": is_agent}
    return Board(season_records, key, key)
