"""Puzzles: every attempt, and the ratings of people and puzzles that follow from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE, LeaderboardPage, RankedRecord
from bot.domain.names import clean
from bot.domain.puzzle import (
    AnswerMark,
    Attempt,
    PuzzleKind,
    Solver,
    Status,
    Task,
    first_record,
    rate_attempt,
    run_of,
)
from bot.domain.rating import Record
from bot.domain.season import MIN_WINNERS
from bot.domain.seat import Seat
from bot.store.achievements import count_puzzle_run
from bot.store.connection import Connection
from bot.store.database import Database, Store, uncancellable
from bot.store.players import name_players, players
from bot.store.preferences import is_listed
from bot.store.ranking import (
    BoardKey,
    Ranking,
    is_person,
    leaderboard_index,
    record_columns,
    record_of,
    record_values,
    standing_column,
    standing_of,
)
from bot.store.rows import Part, RowMapper, joined, put, spaced, split, store_change
from bot.store.shared import Instant, PlayerKey, Word, id_column, metadata
from engine.games.puzzle_themes import PuzzleTheme

attempts = sa.Table(
    "puzzle_attempts",
    metadata,
    id_column(),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("puzzle", sa.String(64), nullable=False),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("grade", sa.SmallInteger, nullable=False),
    sa.Column("depth", sa.SmallInteger, nullable=False),
    sa.Column("goal", sa.SmallInteger, nullable=False),
    sa.Column("moves", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("counts", sa.Boolean, nullable=False),
    sa.Column("day", sa.Date),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("theme", sa.String(24)),
    sa.Column("marks", sa.String(8), nullable=False, server_default=""),
    sa.Index(None, "user_id", "puzzle"),
    sa.Index(None, "user_id", "day", unique=True),
    sa.Index(None, "guild_id", "user_id"),
    sa.Index(None, "day", "guild_id"),
)
"""line, moves: moves as numbers with spaces between them, up to the position and since. marks: a letter each.

The index of days lets each person have one try at a day's puzzle.
"""


solvers = sa.Table(
    "puzzle_solvers",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    *record_columns(),
    sqlite_with_rowid=False,
)
"""The ratings of people, the same in every server."""

puzzle_places = sa.Table(
    "puzzle_places",
    metadata,
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    *record_columns(),
    standing_column(),
    sqlite_with_rowid=False,
)
"""The same ratings for every leaderboard: everywhere (0), and each server where the person answered."""

leaderboard_index(puzzle_places, "scope")

puzzle_records = sa.Table(
    "puzzle_records",
    metadata,
    sa.Column("puzzle", sa.String(64), primary_key=True),
    *record_columns(),
)
"""The ratings of puzzles."""


def _marks_of(text: str) -> tuple[AnswerMark, ...]:
    return tuple(map(AnswerMark, text))


def _theme_of(text: str | None) -> PuzzleTheme | None:
    """Return the theme; None also for one that no longer exists."""
    return PuzzleTheme(text) if text in set(PuzzleTheme) else None


ATTEMPT = RowMapper(
    attempts,
    Attempt,
    task=Part(
        ("puzzle", "game", "board", "line", "grade", "depth", "goal"),
        lambda task: (
            task.key, task.game, task.board, joined(task.line), task.grade, task.depth, task.goal,
        ),
        lambda key, game, board, line, *others: Task(key, game, board, split(line), *others),
    ),
    moves=spaced("moves"),
    theme=Part(("theme",), lambda theme: (theme,), _theme_of),
    marks=Part(("marks",), lambda marks: ("".join(marks),), _marks_of),
)  # fmt: skip


_IS_SOLVED = attempts.c.status == Status.SOLVED.value


class PuzzleStore(Store):
    """Loads and stores attempts and ratings, each in one short transaction."""

    def __init__(self, database: Database, ranking: Ranking) -> None:
        super().__init__(database)
        self._ranking = ranking

    @uncancellable
    async def add_attempt(self, attempt: Attempt, name: str) -> Attempt:
        """Store a new attempt and return it with its id. name: the person's.

        Only the person's first attempt at a puzzle counts, and a second one at a day's puzzle has no day.
        """
        async with self._database.writing() as connection:
            await name_players(connection, (Seat(name, attempt.user_id, account=name),))
            is_first = not await _exists(
                connection, attempts.c.user_id == attempt.user_id, attempts.c.puzzle == attempt.task.key
            )
            is_days = attempt.day is not None and not await _exists(
                connection, attempts.c.user_id == attempt.user_id, attempts.c.day == attempt.day
            )
            stored = replace(
                attempt, counts=attempt.counts and is_first, day=attempt.day if is_days else None
            )
            return replace(stored, id=await ATTEMPT.add(connection, stored))

    @uncancellable
    async def save_attempt(self, before: Attempt, after: Attempt) -> Record | None:
        """Store a change, and rate the person and the puzzle if it ends an attempt that counts.

        Returns the person's new record, None if nothing was rated; raises Conflict.
        """
        async with self._database.writing() as connection:
            await store_change(connection, ATTEMPT, before, after)
            return await _rated(connection, after) if after.is_over and after.counts else None

    @uncancellable
    async def attempt(self, attempt_id: int) -> Attempt | None:
        return await self._last(attempts.c.id == attempt_id)

    @uncancellable
    async def open_attempt(self, user_id: int, kind: PuzzleKind) -> Attempt | None:
        """Return the person's last attempt of that kind, if it waits for an answer."""
        found = await self._last(attempts.c.user_id == user_id, attempts.c.kind == kind.value)
        return found if found is not None and not found.is_over else None

    @uncancellable
    async def days_attempt(self, user_id: int, day: date) -> Attempt | None:
        """Return the person's first try at the puzzle of that day."""
        return await self._last(attempts.c.user_id == user_id, attempts.c.day == day)

    @uncancellable
    async def last_attempt(self, user_id: int, key: str) -> Attempt | None:
        """Return the person's last attempt at that puzzle."""
        return await self._last(attempts.c.user_id == user_id, attempts.c.puzzle == key)

    @uncancellable
    async def tried(self, user_id: int) -> frozenset[str]:
        """Return the keys of all puzzles that the person was ever shown."""
        query = sa.select(attempts.c.puzzle).distinct().where(attempts.c.user_id == user_id)
        return frozenset(puzzle for (puzzle,) in await self._rows(query))

    @uncancellable
    async def solved_days(self, user_id: int) -> tuple[date, ...]:
        """Return the days whose puzzle the person solved on the day itself, at the first try."""
        query = sa.select(attempts.c.day, attempts.c.ended_at).where(
            attempts.c.user_id == user_id,
            attempts.c.day.is_not(None),
            attempts.c.ended_at.is_not(None),
            attempts.c.status == Status.SOLVED.value,
        )
        return tuple(row.day for row in await self._rows(query) if row.ended_at.date() == row.day)

    @uncancellable
    async def results_of_day(self, day: date, guild_id: int) -> tuple[int, int]:
        """Return (how many solved it at the first try, how many have answered) in that server."""
        query = sa.select(attempts.c.status, sa.func.count().label("people")).where(
            attempts.c.day == day, attempts.c.guild_id == guild_id
        )
        found = await self._rows(query.group_by(attempts.c.status))
        people = {row.status: row.people for row in found}
        solved = people.get(Status.SOLVED.value, 0)
        return solved, solved + people.get(Status.FAILED.value, 0)

    @uncancellable
    async def solved_in_servers(self, day: date) -> dict[int, int]:
        """Return for each server a number that changes with the people who solved that day's puzzle there."""
        query = sa.select(attempts.c.guild_id, sa.func.sum(attempts.c.id).label("told")).where(
            attempts.c.day == day, attempts.c.guild_id.is_not(None), _IS_SOLVED
        )
        return {row.guild_id: int(row.told) for row in await self._rows(query.group_by(attempts.c.guild_id))}

    @uncancellable
    async def best_solvers(self, day: date, guild_id: int, limit: int) -> list[Solver]:
        """Return those in the server with the fewest lesser moves, and of these the first."""
        lesser = sa.func.length(sa.func.replace(attempts.c.marks, AnswerMark.BEST.value, ""))
        is_theirs = sa.and_(is_person(players), players.c.player == sa.cast(attempts.c.user_id, PlayerKey))
        query = (
            sa.select(attempts.c.user_id, players.c.name, attempts.c.marks)
            .join(players, is_theirs)
            .where(attempts.c.day == day, attempts.c.guild_id == guild_id, _IS_SOLVED)
            .order_by(lesser, attempts.c.ended_at)
        )
        rows = await self._rows(query.limit(limit))
        return [Solver(row.user_id, clean(row.name), _marks_of(row.marks)) for row in rows]

    @uncancellable
    async def days_of_server(self, guild_id: int, days: Sequence[date]) -> set[date]:
        """Return those of the days whose puzzle was solved in the server."""
        is_there = sa.and_(attempts.c.day.in_(days), attempts.c.guild_id == guild_id, _IS_SOLVED)
        return {row.day for row in await self._rows(sa.select(attempts.c.day).distinct().where(is_there))}

    @uncancellable
    async def record(self, user_id: int) -> Record:
        """Return the person's record; its streak counts puzzles solved (or, below 0, missed) in a row."""
        async with self._database.reading() as connection:
            return await _record(connection, solvers, solvers.c.user_id == user_id) or Record()

    @uncancellable
    async def puzzle_record(self, key: str) -> Record | None:
        """Return the record of a puzzle in first tries; its wins are people's failures."""
        async with self._database.reading() as connection:
            return await _record(connection, puzzle_records, puzzle_records.c.puzzle == key)

    @uncancellable
    async def leaderboard(self, guild_id: int | None, *, offset: int, limit: int) -> LeaderboardPage:
        """Return a page of the people who have answered in that server, or anywhere.

        Winners are counted no further than medals need.
        """
        board = _board(guild_id)
        won = sa.select(sa.literal(1)).where(board.lists_row, puzzle_places.c.wins > 0).limit(MIN_WINNERS)
        async with self._database.reading() as connection:
            page = await self._ranking.read_page(connection, board, offset, limit)
            winners = (await connection.execute(won)).all()
        return replace(page, winners=len(winners))

    @uncancellable
    async def ranked(self, guild_id: int | None, user_id: int) -> RankedRecord | None:
        """Return a person's own row; None before their first answer there."""
        return await self._ranking.own(_board(guild_id), user_id)

    async def _last(self, *where: sa.ColumnElement[bool]) -> Attempt | None:
        query = sa.select(attempts).where(*where).order_by(attempts.c.id.desc()).limit(1)
        found = await self._rows(query)
        return ATTEMPT.read(found[0]) if found else None


async def _rated(connection: Connection, attempt: Attempt) -> Record:
    """Rate the person and the puzzle; return the person's new record."""
    is_solved = attempt.status is Status.SOLVED
    key = attempt.task.key
    person = await _record(connection, solvers, solvers.c.user_id == attempt.user_id) or Record()
    puzzle = await _record(connection, puzzle_records, puzzle_records.c.puzzle == key) or first_record(
        attempt.task.grade
    )
    person, puzzle = rate_attempt(person, puzzle, is_solved=is_solved)
    await put(connection, solvers, {"user_id": attempt.user_id}, record_values(person))
    await put(connection, puzzle_records, {"puzzle": key}, record_values(puzzle))
    await _update_leaderboards(connection, attempt, person)
    if is_solved and attempt.ended_at is not None:
        await count_puzzle_run(connection, attempt.user_id, run_of(person), attempt.ended_at)
    return person


async def _record(connection: Connection, table: sa.Table, where: sa.ColumnElement[bool]) -> Record | None:
    row = (await connection.execute(sa.select(table).where(where))).first()
    return None if row is None else record_of(row)


async def _exists(connection: Connection, *where: sa.ColumnElement[bool]) -> bool:
    return bool((await connection.execute(sa.select(sa.exists().where(*where)))).scalar_one())


def _board(guild_id: int | None) -> BoardKey:
    return BoardKey.of(puzzle_places, {"scope": EVERYWHERE if guild_id is None else guild_id})


async def _update_leaderboards(connection: Connection, attempt: Attempt, record: Record) -> None:
    """Store the person's new record on each of their leaderboards, and on that of the attempt's server."""
    table, player = puzzle_places, str(attempt.user_id)
    scopes = await connection.execute(sa.select(table.c.scope).where(table.c.player == player))
    is_named = await is_listed(connection, attempt.user_id)
    for scope in sorted({EVERYWHERE, *scopes.scalars().all(), attempt.guild_id or EVERYWHERE}):
        standing = standing_of(record, is_hidden=scope == EVERYWHERE and not is_named)
        values = {**record_values(record), "standing": standing}
        await put(connection, table, {"scope": scope, "player": player}, values)
