"""Ratings and records: who is best at what, here and everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from bot.domain.match import Match, RatingChange, Seat
from bot.domain.rating import SETTLED_UNDER, Record, first_record, rate
from bot.domain.rating_share import Share, Weights
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.medals import medals
from bot.store.players import player_key, players
from bot.store.preferences import is_listed
from bot.store.rank_tallies import (
    EVER,
    EVERYWHERE,
    HIDDEN,
    PROVISIONAL,
    SETTLED,
    Place,
    Tally,
    board_index,
    board_of,
    is_shown,
    move_places,
    read_tally,
    step_of,
    top_of,
)
from bot.store.rating_steps import add_step, step_values
from bot.store.rows import at_key, put
from bot.store.shared import PlayerKey, Values, metadata
from bot.store.totals import EVERYBODY, add_people
from bot.store.words import Word
from engine.core import Player

_OF_A_RECORD = {
    **dict.fromkeys(("rating", "deviation"), sa.Float),
    **dict.fromkeys(("points", "wins", "draws", "losses", "streak", "best_streak"), sa.Integer),
}


def record_columns() -> list[sa.Column[Any]]:
    """The columns of a Record, in whichever table it is kept."""
    return [sa.Column(name, kind, nullable=False) for name, kind in _OF_A_RECORD.items()]


def standing_column() -> sa.Column[int]:
    """Whether boards show a row, and with a rank: see `bot.store.rank_tallies`."""
    return sa.Column("standing", sa.SmallInteger, nullable=False, server_default="0")


records = sa.Table(
    "records",
    metadata,
    # The player comes first, so that the key finds all rows of one.
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("game", Word(32), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    *record_columns(),
    standing_column(),
    sqlite_with_rowid=False,
)
"""Ratings and records; scope is a server's id, or 0 for everywhere; `player` a user's id or a level's key."""

board_index(records, "scope", "game", "is_agent")


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
        board = _board(scope, game, is_agent=is_agent)
        return await self._database.ask(lambda connection: read_page(connection, board, offset, limit))

    @uncancellable
    async def medals(self, scope: int, game: str) -> dict[str, int]:
        """The first places among people, by player, without pairs that kept to themselves."""
        board = {"scope": scope, "game": game}
        where = [records.c[name] == value for name, value in board.items()]
        return await self._database.ask(lambda connection: medals(connection, board, records, *where))

    @uncancellable
    async def ranked(self, scope: int, game: str, user_id: int) -> RankedRecord | None:
        """A person's own row; everywhere among those who are listed, whether or not they are."""
        board = _board(scope, game)
        return await self._database.ask(lambda connection: read_own(connection, board, user_id))

    @uncancellable
    async def ranked_in_all(self, scope: int, user_id: int) -> dict[str, RankedRecord]:
        """The same by game, of every game that they have a rating in."""
        own = (records.c.scope == scope, records.c.player == str(user_id), records.c.is_agent.is_(False))

        async def read(connection: Connection) -> dict[str, RankedRecord]:
            rows = (await connection.execute(named(records).where(*own))).all()
            return {row.game: await _ranked_at(connection, _board(scope, row.game), row) for row in rows}

        return await self._database.ask(read)


async def count_rating(connection: Connection, match: Match, share: Share) -> tuple[RatingChange, ...]:
    """Rates a match that has just ended, here and everywhere, in the transaction that ends it.

    Returns what it made of both sides' ratings where it was played.
    """
    rated = [
        await rate_seats(connection, records, {"scope": scope}, match, share.weights)
        for scope in scopes_of(match)
    ]
    await add_step(connection, step_values(match, rated, is_easy=share.is_easy))
    return tuple(
        RatingChange(old.points, new.points, new.margin) for old, new in zip(*rated[-1], strict=True)
    )


async def points_of(connection: Connection, match: Match) -> tuple[int, int]:
    """Both sides' points in the widest scope that the match counts in, as they are stored now."""
    scope = scopes_of(match)[0]
    first, second = [
        (await _record(connection, records, record_key({"scope": scope}, match.game, seat), seat))[0].points
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
    first, second = rate(before[0], before[1], winner, weights[0])
    if weights[0] == weights[1]:
        return first, second
    return first, rate(before[0], before[1], winner, weights[1])[1]


async def rate_seats(
    connection: Connection, table: sa.Table, kept_under: Values, match: Match, weights: Weights
) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    """Rates both seats in a table of records; returns (before, after), each by side.

    kept_under: the columns of its key besides the game and the player, such as the scope.
    """
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    keys = [record_key(kept_under, match.game, seat) for seat in match.seats]
    found = [await _record(connection, table, key, seat) for key, seat in zip(keys, match.seats, strict=True)]
    before = tuple(record for record, _ in found)
    after = fairly_rated(before, match.result.winner, weights)
    moved = []
    for key, (_, place), record in zip(keys, found, after, strict=True):
        if table is records and place is None and not key["is_agent"]:
            await _count_newcomer(connection, key["player"])
        is_hidden = await _is_hidden(connection, key, place)
        now = Place.of(record, is_hidden=is_hidden)
        await put(connection, table, key, {**record_values(record), "standing": now.standing})
        moved.append((_tally_key(key), place, now))
    await move_places(connection, moved)
    return before, after


_HAS_RATING = sa.select(
    sa.exists().where(records.c.player == sa.bindparam("own_player"), records.c.is_agent.is_(False))
)


async def _count_newcomer(connection: Connection, player: str) -> None:
    """Counts a person who has no rating anywhere yet among those who have."""
    if not (await connection.execute(_HAS_RATING, {"own_player": player})).scalar_one():
        await add_people(connection, {EVERYBODY: 1})


def _tally_key(key: Values) -> Values:
    return {"season": EVER, **{name: value for name, value in key.items() if name != "player"}}


async def _is_hidden(connection: Connection, key: Values, place: Place | None) -> bool:
    """Whether the board does not name who has that key; place: where they stand already."""
    if key["scope"] != EVERYWHERE or key["is_agent"]:
        return False
    return place.standing == HIDDEN if place else not await is_listed(connection, int(key["player"]))


def record_key(kept_under: Values, game: str, seat: Seat) -> Values:
    is_agent, player = player_key(seat)
    return {**kept_under, "game": game, "is_agent": is_agent, "player": player}


async def _record(
    connection: Connection, table: sa.Table, key: Values, seat: Seat
) -> tuple[Record, Place | None]:
    """How a seat is rated there, and where it stands on the board, None for who has no row yet."""
    values = {f"own_{name}": value for name, value in key.items()}
    row = (await connection.execute(at_key(table, tuple(key)), values)).first()
    first = first_record(key["game"], seat.level)
    if row is None:
        return first, None
    found = record_of(row)
    if first.is_fixed:
        found = replace(found, rating=first.rating, deviation=first.deviation, is_fixed=True)
    return found, Place(row.standing, row.points)


@dataclass(frozen=True, slots=True)
class Board:
    """Which rows of a table of records make a leaderboard.

    Settled ratings come first and have ranks, equal points the same; provisional ones follow without. A page
    costs what the board's tally has, which does not grow with the people, and a walk along one of its steps.
    key: columns of the table. tally: the board's key in the tallies.
    """

    table: sa.Table
    key: Mapping[str, object]
    tally: Mapping[str, object]

    @property
    def rows_of_it(self) -> list[sa.ColumnElement[bool]]:
        """Hidden ones, too."""
        return [self.table.c[name] == value for name, value in self.key.items()]

    def standing_at(self, standing: int) -> list[sa.ColumnElement[bool]]:
        """Which rows have that standing, and are shown."""
        table = self.table
        return [*self.rows_of_it, is_shown(table), table.c.standing == standing]

    async def rank_of(self, connection: Connection, tally: Tally, row: sa.Row[Any]) -> int | None:
        """The rank of a row of its own table."""
        if not _is_settled(row):
            return None
        points = self.table.c.points
        beside = (points > row.points, points < top_of(step_of(row.points)))
        query = sa.select(sa.func.count()).select_from(self.table)
        query = query.where(*self.standing_at(SETTLED), *beside)
        return 1 + tally.above(row.points) + int(await connection.scalar(query) or 0)

    async def rows(
        self, connection: Connection, tally: Tally, standing: int, offset: int, limit: int
    ) -> list[sa.Row[Any]]:
        """Those of that standing by points, the most first, each with its player's name."""
        table = self.table
        step, skipped = tally.reach(standing, offset)
        keys = (
            sa.select(*table.primary_key.columns)
            .where(*self.standing_at(standing), table.c.points < top_of(step))
            .order_by(table.c.points.desc(), table.c.player)
            .offset(skipped)
            .limit(limit)
            .subquery()
        )
        same = sa.and_(*(table.c[column.name] == column for column in keys.c))
        query = named(table, keys.join(table, same)).order_by(table.c.points.desc(), table.c.player)
        return list((await connection.execute(query)).all())

    async def own(self, connection: Connection, user_id: int) -> sa.Row[Any] | None:
        """A person's row, whether or not the board shows it."""
        query = named(self.table).where(*self.rows_of_it, self.table.c.player == str(user_id))
        found: sa.Row[Any] | None = (await connection.execute(query)).first()
        return found


def named(table: sa.Table, source: sa.FromClause | None = None) -> sa.Select[Any]:
    """Rows of a table of records, each with its player's name. source: the table, joined to others"""
    is_agent = table.c.is_agent if "is_agent" in table.c else sa.false()
    same = sa.and_(players.c.is_agent == is_agent, players.c.player == table.c.player)
    name = sa.func.coalesce(players.c.name, sa.cast(table.c.player, sa.String)).label("name")
    rows = table if source is None else source
    return sa.select(table, name).select_from(rows.outerjoin(players, same))


async def read_page(connection: Connection, board: Board, offset: int, limit: int) -> LeaderboardPage:
    """Some rows of a board."""
    tally = await read_tally(connection, board.tally)
    total, settled = tally.count(), tally.count(SETTLED)
    found: list[RankedRecord] = []
    if offset < settled:
        rank: int | None = None
        points: int | None = None
        rows = await board.rows(connection, tally, SETTLED, offset, limit)
        for place, row in enumerate(rows, start=offset + 1):
            if rank is None:
                rank = await board.rank_of(connection, tally, row)
            elif row.points != points:
                rank = place
            points = row.points
            found.append(_ranked_of(row, rank))
    if len(found) < min(limit, total - offset):
        after = max(0, offset - settled)
        rest = await board.rows(connection, tally, PROVISIONAL, after, limit - len(found))
        found.extend(_ranked_of(row, None) for row in rest)
    return LeaderboardPage(tuple(found), total)


async def read_own(connection: Connection, board: Board, user_id: int) -> RankedRecord | None:
    """A person's own row of a board."""
    found = await board.own(connection, user_id)
    return None if found is None else await _ranked_at(connection, board, found)


async def _ranked_at(connection: Connection, board: Board, row: sa.Row[Any]) -> RankedRecord:
    rank = None
    if _is_settled(row):
        rank = await board.rank_of(connection, await read_tally(connection, board.tally), row)
    return _ranked_of(row, rank)


def _is_settled(row: sa.Row[Any]) -> bool:
    """As `is_settled` asks it in SQL."""
    return bool(row.deviation < SETTLED_UNDER - 0.5)


def _board(scope: int, game: str, *, is_agent: bool = False) -> Board:
    key = {"scope": scope, "game": game, "is_agent": is_agent}
    return Board(records, key, board_of(scope, game, is_agent=is_agent))


def _ranked_of(row: sa.Row[Any], rank: int | None) -> RankedRecord:
    return RankedRecord(rank, row.player, row.name, record_of(row))


def record_values(record: Record) -> Values:
    """The columns of `records` that are not its key."""
    return {name: getattr(record, name) for name in _OF_A_RECORD}


def record_of(row: sa.Row[Any]) -> Record:
    return Record(row.rating, row.deviation, row.wins, row.draws, row.losses, row.streak, row.best_streak)
