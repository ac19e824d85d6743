"""Ratings and records: who is best at what, here and everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from bot.domain.fairness import Fair, Weights
from bot.domain.match import Match, RatingChange, Seat
from bot.domain.rating import SETTLED_UNDER, Record, first_record, rate
from bot.store.database import Database, uncancellable
from bot.store.lane import Connection
from bot.store.medals import is_settled, medals
from bot.store.players import player_key, players
from bot.store.preferences import is_listed
from bot.store.rating_steps import add_history, history_values
from bot.store.shared import Values, metadata, upsert
from engine.core import Player


def record_columns() -> list[sa.Column[Any]]:
    """The columns of a Record, in whichever table it is kept."""
    return [
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("deviation", sa.Float, nullable=False),
        *(
            sa.Column(name, sa.Integer, nullable=False)
            for name in ("points", "wins", "draws", "losses", "streak", "best_streak")
        ),
    ]


records = sa.Table(
    "records",
    metadata,
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
    *record_columns(),
    sa.Index(None, "scope", "game", "is_agent", "points"),
)
"""Ratings and records; scope is a server's id, or 0 for everywhere; `player` a user's id or a level's key."""


EVERYWHERE = 0
"""The scope of the global ratings; no server has this id."""


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One row of a leaderboard. rank counts from 1, None while the rating is provisional.

    player: a user's id or a level's key.
    """

    rank: int | None
    player: str
    name: str
    record: Record


@dataclass(frozen=True, slots=True)
class LeaderboardPage:
    """Some rows of a leaderboard, and how many there are in all. winners: who has won something on it."""

    rows: tuple[RankedRecord, ...]
    total: int
    winners: int = 0


class RatingStore:
    """Answers questions about ratings; they change only in the transaction that ends a match."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def leaderboard(
        self, scope: int, game: str, *, is_agent: bool, offset: int, limit: int
    ) -> LeaderboardPage:
        """Rows from rank `offset` + 1 on."""
        async with self._database.reading() as connection:
            return await read_page(connection, _ranked(scope, game, is_agent), offset, limit)

    @uncancellable
    async def medals(self, scope: int, game: str) -> dict[str, int]:
        """The first places among people, by player, without pairs that kept to themselves."""
        where = _on_board(scope, game, is_agent=False)
        async with self._database.reading() as connection:
            return await medals(connection, {"scope": scope, "game": game}, records, *where)

    @uncancellable
    async def ranked(self, scope: int, game: str, user_id: int) -> RankedRecord | None:
        """A person's own row; everywhere among those who are listed, whether or not they are."""
        async with self._database.reading() as connection:
            return await read_own(connection, _ranked(scope, game, is_agent=False, reader=user_id), user_id)


async def count_rating(connection: Connection, match: Match, fair: Fair) -> tuple[RatingChange, ...]:
    """Rates a match that has just ended, here and everywhere, in the transaction that ends it.

    Returns what it made of both sides' ratings where it was played.
    """
    changes: tuple[RatingChange, ...] = ()
    for scope in scopes_of(match):
        before, after = await rate_seats(connection, records, {"scope": scope}, match, fair.weights)
        await add_history(connection, history_values(match, scope, before, after, is_easy=fair.is_easy))
        changes = tuple(
            RatingChange(old.points, new.points, new.margin) for old, new in zip(before, after, strict=True)
        )
    return changes


async def points_of(connection: Connection, match: Match) -> tuple[int, int]:
    """Both sides' points in the widest scope that the match counts in, as they are stored now."""
    scope = scopes_of(match)[0]
    first, second = [
        (await _record(connection, records, {"scope": scope}, match.game, seat)).points
        for seat in match.seats
    ]
    return first, second


def scopes_of(match: Match) -> tuple[int, ...]:
    """Everywhere, unless it counts in its server alone, and the server if it was played in one."""
    guild_id = match.location.guild_id
    if guild_id is None:
        return (EVERYWHERE,)
    return (guild_id,) if match.is_local else (EVERYWHERE, guild_id)


def fairly_rated(before: Sequence[Record], winner: Player | None, weights: Weights) -> tuple[Record, Record]:
    """`rate` of both records, each by the share that its side makes of the match."""
    first, second = (rate(before[0], before[1], winner, weights[player])[player] for player in Player)
    return first, second


async def rate_seats(
    connection: Connection, table: sa.Table, kept_under: Values, match: Match, weights: Weights
) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """Rates both seats in a table of records; returns (before, after), each by side.

    kept_under: the columns of its key besides the game and the player, such as the scope.
    """
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    keys = [record_key(kept_under, match.game, seat) for seat in match.seats]
    before = tuple([await _record(connection, table, kept_under, match.game, seat) for seat in match.seats])
    after = fairly_rated(before, match.result.winner, weights)
    for key, record in zip(keys, after, strict=True):
        values = record_values(record)
        await connection.execute(
            upsert(table).values(**key, **values).on_conflict_do_update(index_elements=list(key), set_=values)
        )
    return before, after


def record_key(kept_under: Values, game: str, seat: Seat) -> Values:
    is_agent, player = player_key(seat)
    return {**kept_under, "game": game, "is_agent": is_agent, "player": player}


async def _record(
    connection: Connection, table: sa.Table, kept_under: Values, game: str, seat: Seat
) -> Record:
    key = record_key(kept_under, game, seat)
    query = sa.select(table).where(*(table.c[name] == value for name, value in key.items()))
    row = (await connection.execute(query)).first()
    first = first_record(game, seat.level)
    if row is None:
        return first
    found = record_of(row)
    if not first.is_fixed:
        return found
    return replace(found, rating=first.rating, deviation=first.deviation, is_fixed=True)


@dataclass(frozen=True, slots=True)
class Board:
    """Which rows of a table of records make a leaderboard.

    Settled ratings come first and have ranks, equal points the same; provisional ones follow without. Ranks
    are counted along the index of points: a page costs what stands before it, and not the whole board.
    """

    table: sa.Table
    where: tuple[sa.ColumnElement[bool], ...]

    async def count(self, connection: Connection, *more: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).select_from(self.table).where(*self.where, *more)
        return int(await connection.scalar(query))

    async def rank_of(self, connection: Connection, row: sa.Row[Any]) -> int | None:
        """The rank of a row of its own table."""
        if not _is_settled(row):
            return None
        return 1 + await self.count(connection, is_settled(self.table), self.table.c.points > row.points)

    async def rows(
        self, connection: Connection, offset: int, limit: int, *more: sa.ColumnElement[bool]
    ) -> list[sa.Row[Any]]:
        """By points, the most first, each with its player's name."""
        table = self.table
        query = (
            sa.select(table, sa.func.coalesce(players.c.name, table.c.player).label("name"))
            .select_from(
                table.outerjoin(
                    players,
                    sa.and_(players.c.is_agent == table.c.is_agent, players.c.player == table.c.player),
                )
            )
            .where(*self.where, *more)
            .order_by(table.c.points.desc(), table.c.player)
            .offset(offset)
            .limit(limit)
        )
        return list((await connection.execute(query)).all())


async def read_page(connection: Connection, board: Board, offset: int, limit: int) -> LeaderboardPage:
    """Some rows of a board."""
    settled = is_settled(board.table)
    total = await board.count(connection)
    if offset >= total:
        return LeaderboardPage((), total)
    found: list[RankedRecord] = []
    rank: int | None = None
    points: int | None = None
    for place, row in enumerate(await board.rows(connection, offset, limit, settled), start=offset + 1):
        if rank is None:
            rank = await board.rank_of(connection, row)
        elif row.points != points:
            rank = place
        points = row.points
        found.append(_ranked_of(row, rank))
    if len(found) < min(limit, total - offset):
        after = 0 if found else max(0, offset - await board.count(connection, settled))
        rest = await board.rows(connection, after, limit - len(found), sa.not_(settled))
        found.extend(_ranked_of(row, None) for row in rest)
    return LeaderboardPage(tuple(found), total)


async def read_own(connection: Connection, board: Board, user_id: int) -> RankedRecord | None:
    """A person's own row of a board."""
    found = await board.rows(connection, 0, 1, board.table.c.player == str(user_id))
    return _ranked_of(found[0], await board.rank_of(connection, found[0])) if found else None


def _is_settled(row: sa.Row[Any]) -> bool:
    """As `is_settled` asks it in SQL."""
    return bool(row.deviation < SETTLED_UNDER - 0.5)


def rank_in(table: sa.Table) -> sa.Label[Any]:
    """The column `rank` of a board: among the settled ratings alone."""
    settled = is_settled(table)
    rank = sa.func.rank().over(partition_by=settled, order_by=table.c.points.desc())
    return sa.case((settled, rank)).label("rank")


def _ranked(scope: int, game: str, is_agent: bool, reader: int | None = None) -> Board:
    return Board(records, _on_board(scope, game, is_agent, reader))


def _on_board(
    scope: int, game: str, is_agent: bool, reader: int | None = None
) -> tuple[sa.ColumnElement[bool], ...]:
    """Which rows a board has; everywhere those of people who are listed, and of the reader."""
    where = [records.c.scope == scope, records.c.game == game, records.c.is_agent == is_agent]
    if scope == EVERYWHERE and not is_agent:
        mine = records.c.player == str(reader)
        where.append(
            sa.or_(is_listed(records.c.player), mine) if reader is not None else is_listed(records.c.player)
        )
    return tuple(where)


def _ranked_of(row: sa.Row[Any], rank: int | None) -> RankedRecord:
    return RankedRecord(rank, row.player, row.name, record_of(row))


def record_values(record: Record) -> Values:
    """The columns of `records` that are not its key."""
    return {
        "rating": record.rating,
        "deviation": record.deviation,
        "points": record.points,
        "wins": record.wins,
        "draws": record.draws,
        "losses": record.losses,
        "streak": record.streak,
        "best_streak": record.best_streak,
    }


def record_of(row: sa.Row[Any]) -> Record:
    return Record(row.rating, row.deviation, row.wins, row.draws, row.losses, row.streak, row.best_streak)
