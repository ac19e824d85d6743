"""Tallies: how many players stand on each step of each board, so that no rank is counted row by row.

A row that a board may show has a standing: hidden, provisional or settled. Of those that are shown the
tallies count how many there are within every `STEP` points; a rank is the people on the steps above and,
along an index, those above on the same step. Kept in the transaction that changes a row; made anew by the
recount.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from bot.domain.rating import SETTLED_UNDER, Record
from bot.store.connection import Connection
from bot.store.shared import Values, metadata, partial_index, upsert
from bot.store.words import Word

HIDDEN, PROVISIONAL, SETTLED = 0, 1, 2
"""Standings: on no board, on it without a rank, on it with one."""

STEP = 10
"""Points that one row counts together: a board has a few hundred rows, however many people are on it."""

_LOWEST = 100_000
"""Added to points, since databases round the halves of numbers below zero towards it."""

EVERYWHERE = 0
"""The scope of the global ratings; no server has this id."""

PUZZLES = "puzzles"
"""Stands for the game where the board is that of puzzles."""

EVER = ""
"""Stands for the season where the board is that of all time."""

tallies = sa.Table(
    "tallies",
    metadata,
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("game", Word(32), primary_key=True),
    sa.Column("season", sa.String(7), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("standing", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("step", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("people", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""step: see `step_of`. A row of which nobody is left may stay, with 0."""

_SETTLED_UNDER = SETTLED_UNDER - 0.5
"""Margins are rounded."""

_KEY = ("scope", "game", "season", "is_agent", "standing", "step")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a row stands on its board."""

    standing: int
    points: int

    @classmethod
    def of(cls, record: Record, *, is_hidden: bool) -> Place:
        return cls(HIDDEN if is_hidden else SETTLED if record.is_settled else PROVISIONAL, record.points)


@dataclass(frozen=True, slots=True)
class Tally:
    """The steps of one board. rows: (standing, step, people), in the order in which the board shows them."""

    rows: tuple[tuple[int, int, int], ...]

    def count(self, standing: int | None = None) -> int:
        """How many there are of that standing, or in all."""
        return sum(people for here, _, people in self.rows if standing is None or here == standing)

    def above(self, points: int) -> int:
        """How many settled ones are on higher steps than that of these points."""
        least = step_of(points)
        return sum(people for standing, step, people in self.rows if standing == SETTLED and step > least)

    def reach(self, standing: int, offset: int) -> tuple[int, int]:
        """From which step on that standing's rows are to be read, and how many of them to leave out."""
        for here, step, people in self.rows:
            if here == standing:
                if offset < people:
                    return step, offset
                offset -= people
        return 0, offset


def board_index(table: sa.Table, *key: str) -> None:
    """Makes the index along which a board is read: what it is of, by standing, the most points first."""
    columns = (*(table.c[name] for name in key), table.c.standing, table.c.points.desc(), table.c.player)
    partial_index(f"ix_{table.name}_board", is_shown(table), *columns)


def step_of(points: int) -> int:
    return (points + _LOWEST) // STEP


def step_in(points: sa.ColumnElement[int]) -> sa.ColumnElement[int]:
    """The same in SQL."""
    return (points + _LOWEST) // sa.literal_column(str(STEP), sa.Integer)


def top_of(step: int) -> int:
    """The first number of points above the step."""
    return (step + 1) * STEP - _LOWEST


async def read_tally(connection: Connection, board: Mapping[str, object]) -> Tally:
    """board: the key's columns without standing and step."""
    query = (
        sa.select(tallies.c.standing, tallies.c.step, tallies.c.people)
        .where(*(tallies.c[name] == value for name, value in board.items()), tallies.c.people > 0)
        .order_by(tallies.c.standing.desc(), tallies.c.step.desc())
    )
    return Tally(tuple((row.standing, row.step, row.people) for row in await connection.execute(query)))


async def move_places(
    connection: Connection, moved: Iterable[tuple[Values, Place | None, Place | None]]
) -> None:
    """Counts players from one place to another. moved: (board, from where, where to); None: on no board."""
    change: Counter[tuple[object, ...]] = Counter()
    for board, before, after in moved:
        for place, people in ((before, -1), (after, 1)):
            if place is not None and place.standing != HIDDEN:
                values = {**board, "standing": place.standing, "step": step_of(place.points)}
                change[tuple(values[name] for name in _KEY)] += people
    rows = [
        {**dict(zip(_KEY, key, strict=True)), "people": people}
        for key, people in sorted(change.items(), key=repr)
        if people
    ]
    if rows:
        await connection.execute(_ADD, rows)


_INSERT = upsert(tallies)
_ADD = _INSERT.on_conflict_do_update(
    index_elements=list(_KEY), set_={"people": tallies.c.people + _INSERT.excluded.people}
)


async def list_person(connection: Connection, user_id: int, *, is_listed: bool) -> None:
    """Shows or hides the person on the boards of everywhere."""
    moved: list[tuple[Values, Place | None, Place | None]] = []
    for name in ("records", "puzzle_places"):
        table = metadata.tables[name]
        own = (table.c.player == str(user_id), table.c.scope == EVERYWHERE, is_person(table))
        for row in (await connection.execute(sa.select(table).where(*own))).mappings():
            settled = SETTLED if row["deviation"] < _SETTLED_UNDER else PROVISIONAL
            before = Place(row["standing"], row["points"])
            after = Place(settled if is_listed else HIDDEN, row["points"])
            game = row.get("game", PUZZLES)
            moved.append((board_of(EVERYWHERE, game), before, after))
            one = [table.c[column] == row[column] for column in (each.name for each in table.primary_key)]
            await connection.execute(sa.update(table).where(*one).values(standing=after.standing))
    await move_places(connection, moved)
    bests = metadata.tables["puzzle_bests"]
    here = sa.and_(bests.c.user_id == user_id, bests.c.scope == EVERYWHERE)
    await connection.execute(sa.update(bests).where(here).values(is_shown=is_listed))


async def leave_puzzles(connection: Connection, user_id: int) -> None:
    """Takes the person off every board of puzzles; their rows are deleted by whoever calls."""
    table = metadata.tables["puzzle_places"]
    found = (await connection.execute(sa.select(table).where(table.c.player == str(user_id)))).all()
    await move_places(
        connection,
        [(board_of(row.scope, PUZZLES), Place(row.standing, row.points), None) for row in found],
    )
    await connection.execute(sa.update(table).where(table.c.player == str(user_id)).values(standing=HIDDEN))


def board_of(scope: int, game: str, *, is_agent: bool = False, season: str = EVER) -> Values:
    """The tallies' key of a board."""
    return {"scope": scope, "game": game, "season": season, "is_agent": is_agent}


def is_shown(table: sa.FromClause) -> sa.ColumnElement[bool]:
    """Whether a board shows a row at all; its index has no others, and is used where the question says so.

    Not `> 0`: SQLite would go by that, through the whole board, instead of by the one standing that is meant.
    """
    return table.c.standing != sa.literal_column(str(HIDDEN), sa.SmallInteger)


def is_person(table: sa.Table) -> sa.ColumnElement[bool]:
    """Whether a row of players is a person's; there may be nobody else in the table."""
    return table.c.is_agent.is_(False) if "is_agent" in table.c else sa.true()
