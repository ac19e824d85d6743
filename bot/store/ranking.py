"""Leaderboards: pages and ranks of the players in a table of records.

Each row has a standing: hidden, provisional (listed without a rank) or settled (ranked). An index has the
listed rows of each leaderboard by standing and points. Ranks, and where a page begins along that index, come
from the number of players with each number of points: one GROUP BY, cached for large leaderboards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Self

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE, LeaderboardPage, RankedRecord
from bot.domain.names import clean
from bot.domain.rating import SETTLED_UNDER, Record
from bot.store.connection import Connection
from bot.store.count_cache import CountCache
from bot.store.database import Database, Store, part_of_transaction, uncancellable
from bot.store.players import players
from bot.store.shared import Values, metadata, partial_index

HIDDEN, PROVISIONAL, SETTLED = 0, 1, 2
"""Standings of a row: not listed; listed without a rank; ranked."""

_RECORD_TYPES = {
    **dict.fromkeys(("rating", "deviation"), sa.Float),
    **dict.fromkeys(("points", "wins", "draws", "losses", "streak", "best_streak"), sa.Integer),
}


def record_columns() -> list[sa.Column[Any]]:
    """Return the columns of a `Record`."""
    return [sa.Column(name, kind, nullable=False) for name, kind in _RECORD_TYPES.items()]


def standing_column() -> sa.Column[int]:
    return sa.Column("standing", sa.SmallInteger, nullable=False, server_default="0")


def leaderboard_index(table: sa.Table, *key: str) -> None:
    """Add the index along which leaderboards are read. key: the columns that tell one from another."""
    columns = (*(table.c[name] for name in key), table.c.standing, table.c.points.desc(), table.c.player)
    partial_index(f"ix_{table.name}_board", is_listed_row(table), *columns)


def record_values(record: Record) -> Values:
    return {name: getattr(record, name) for name in _RECORD_TYPES}


def record_of(row: sa.Row[Any]) -> Record:
    return Record(row.rating, row.deviation, row.wins, row.draws, row.losses, row.streak, row.best_streak)


def standing_of(record: Record, *, is_hidden: bool) -> int:
    if is_hidden:
        return HIDDEN
    return SETTLED if record.is_settled else PROVISIONAL


def listed_standing(table: sa.FromClause) -> sa.ColumnElement[int]:
    """`standing_of` a listed row, in SQL; the margin is the deviation rounded."""
    return sa.case((table.c.deviation < SETTLED_UNDER - 0.5, SETTLED), else_=PROVISIONAL)


def is_listed_row(table: sa.FromClause) -> sa.ColumnElement[bool]:
    """The condition of the partial index, which is used only by queries that repeat it.

    Not `> 0`: SQLite would use that as a range and read the whole leaderboard instead of one standing.
    """
    return table.c.standing != sa.literal_column(str(HIDDEN), sa.SmallInteger)


def is_person(table: sa.Table) -> sa.ColumnElement[bool]:
    """Whether a row is a person's; tables without `is_agent` have no other rows."""
    return table.c.is_agent.is_(False) if "is_agent" in table.c else sa.true()


async def list_person(connection: Connection, user_id: int, *, is_listed: bool) -> None:
    """List or hide the person on the leaderboards across all servers."""
    for name in ("records", "puzzle_places"):
        table = metadata.tables[name]
        is_own = (table.c.player == str(user_id), table.c.scope == EVERYWHERE, is_person(table))
        standing = listed_standing(table) if is_listed else HIDDEN
        await connection.execute(sa.update(table).where(*is_own).values(standing=standing))
    bests = metadata.tables["puzzle_bests"]
    is_own_best = sa.and_(bests.c.user_id == user_id, bests.c.scope == EVERYWHERE)
    await connection.execute(sa.update(bests).where(is_own_best).values(is_shown=is_listed))


@dataclass(frozen=True, slots=True)
class BoardKey:
    """A leaderboard: the rows of `table` with these values in these columns."""

    table: sa.Table
    values: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, table: sa.Table, values: Mapping[str, object]) -> Self:
        return cls(table, tuple(values.items()))

    @property
    def has_row(self) -> sa.ColumnElement[bool]:
        return sa.and_(*(self.table.c[name] == value for name, value in self.values))

    @property
    def lists_row(self) -> sa.ColumnElement[bool]:
        return sa.and_(self.has_row, is_listed_row(self.table))


class PointCounts:
    """How many players have how many points. rows: (points, players), the most points first."""

    def __init__(self, rows: Sequence[tuple[int, int]] = ()) -> None:
        self._negated = [-points for points, _ in rows]
        self._above = [0, *accumulate(count for _, count in rows)]

    @property
    def players(self) -> int:
        return self._above[-1]

    def above(self, points: int) -> int:
        """How many players have more points."""
        return self._above[bisect_left(self._negated, -points)]

    def find(self, offset: int) -> tuple[int | None, int]:
        """The points of the player at that offset, and how many with the same points come before.

        The most points are None: players may have more by now.
        """
        index = bisect_right(self._above, offset, hi=max(1, len(self._negated))) - 1
        return -self._negated[index] if index else None, offset - self._above[index]


@dataclass(frozen=True, slots=True)
class BoardCounts:
    settled: PointCounts
    provisional: PointCounts

    @property
    def players(self) -> int:
        return self.settled.players + self.provisional.players


class Ranking(Store):
    """Answers questions about leaderboards of any table of records."""

    def __init__(self, database: Database, cache: CountCache) -> None:
        super().__init__(database)
        self._cache = cache

    @uncancellable
    async def page(self, board: BoardKey, offset: int, limit: int) -> LeaderboardPage:
        """Return the rows from that offset on."""
        return await self._database.ask(lambda connection: self.read_page(connection, board, offset, limit))

    @uncancellable
    async def own(self, board: BoardKey, user_id: int) -> RankedRecord | None:
        """Return a person's row, ranked among those listed whether or not it is listed itself."""
        query = with_names(board.table).where(board.has_row, board.table.c.player == str(user_id))

        async def read(connection: Connection) -> RankedRecord | None:
            row = (await connection.execute(query)).first()
            return None if row is None else await self.ranked(connection, board, row)

        return await self._database.ask(read)

    @part_of_transaction
    async def ranked(self, connection: Connection, board: BoardKey, row: sa.Row[Any]) -> RankedRecord:
        """Rank a row of the leaderboard's table, selected by `with_names`."""
        record = record_of(row)
        if not record.is_settled:
            return _ranked(row, None)
        return _ranked(row, 1 + (await self._counts(connection, board)).settled.above(row.points))

    @part_of_transaction
    async def read_page(
        self, connection: Connection, board: BoardKey, offset: int, limit: int
    ) -> LeaderboardPage:
        counts = await self._counts(connection, board)
        settled = counts.settled.players
        found: list[RankedRecord] = []
        if offset < settled:
            rank, points = 0, None
            rows = await _rows(connection, board, SETTLED, counts.settled.find(offset), limit)
            for position, row in enumerate(rows, start=offset + 1):
                if not found:
                    # Cached counts may be older than the row: no rank may be below its position.
                    rank = min(position, 1 + counts.settled.above(row.points))
                elif row.points != points:
                    rank = position
                points = row.points
                found.append(_ranked(row, rank))
        left = min(limit - len(found), counts.players - offset - len(found))
        if left > 0 and counts.provisional.players:
            start = counts.provisional.find(max(0, offset - settled))
            rows = await _rows(connection, board, PROVISIONAL, start, left)
            found += [_ranked(row, None) for row in rows]
        return LeaderboardPage(tuple(found), counts.players)

    async def _counts(self, connection: Connection, board: BoardKey) -> BoardCounts:
        return await self._cache.get(connection, board, lambda connection: _count(connection, board))


async def _count(connection: Connection, board: BoardKey) -> BoardCounts:
    standing, points = board.table.c.standing, board.table.c.points
    query = (
        sa.select(standing, points, sa.func.count().label("players"))
        .where(board.lists_row)
        .group_by(standing, points)
        .order_by(standing, points.desc())
    )
    rows = (await connection.execute(query)).all()
    settled, provisional = (
        PointCounts([(row.points, row.players) for row in rows if row.standing == standing])
        for standing in (SETTLED, PROVISIONAL)
    )
    return BoardCounts(settled, provisional)


async def _rows(
    connection: Connection, board: BoardKey, standing: int, start: tuple[int | None, int], limit: int
) -> Sequence[sa.Row[Any]]:
    """Rows of that standing, the most points first. start: see `PointCounts.find`."""
    table = board.table
    points, skipped = start
    order = (table.c.points.desc(), table.c.player)
    # Names are joined to the few rows of the page, not to those that are skipped.
    keys = (
        sa.select(*table.primary_key.columns)
        .where(board.lists_row, table.c.standing == standing)
        .where(*([] if points is None else [table.c.points <= points]))
        .order_by(*order)
        .offset(skipped)
        .limit(limit)
        .subquery()
    )
    is_same = sa.and_(*(table.c[column.name] == column for column in keys.c))
    query = with_names(table, keys.join(table, is_same)).order_by(*order)
    rows: Sequence[sa.Row[Any]] = (await connection.execute(query)).all()
    return rows


def with_names(table: sa.Table, source: sa.FromClause | None = None) -> sa.Select[Any]:
    """Select rows of a table of records with their players' names. source: the table joined to others."""
    is_agent = table.c.is_agent if "is_agent" in table.c else sa.false()
    is_same = sa.and_(players.c.is_agent == is_agent, players.c.player == table.c.player)
    name = sa.func.coalesce(players.c.name, sa.cast(table.c.player, sa.String)).label("name")
    rows = table if source is None else source
    return sa.select(table, name).select_from(rows.outerjoin(players, is_same))


def _ranked(row: sa.Row[Any], rank: int | None) -> RankedRecord:
    return RankedRecord(rank, row.player, clean(row.name, row.player), record_of(row))
