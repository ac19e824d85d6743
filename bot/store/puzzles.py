"""Puzzles: every attempt, and how people and puzzles are rated by them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE, LeaderboardPage, RankedRecord
from bot.domain.match import Seat
from bot.domain.puzzle import Attempt, Kind, Status, Task, first_record, rate_attempt, run_of
from bot.domain.rating import Record
from bot.domain.season import LEAST_WINNERS
from bot.store.achievements import count_puzzle_run
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.players import name_players
from bot.store.preferences import is_listed
from bot.store.puzzle_tables import attempts, puzzle_places, puzzle_records, solvers
from bot.store.ranking import BoardKey, Ranking, record_of, record_values, standing_of
from bot.store.rows import put, update_over, values_of
from bot.store.shared import Values, new_id
from engine.games.puzzle_themes import PuzzleTheme

Solved = Callable[[Connection, int, int, datetime], Awaitable[None]]

SOLVED: tuple[Solved, ...] = (count_puzzle_run,)
"""Called with (connection, user_id, run, at) in the transaction that stores a puzzle solved at the first try;
run: how many that makes in a row, it included."""


class PuzzleStore:
    """Attempts and ratings; each question and change is one short transaction."""

    def __init__(self, database: Database, ranking: Ranking) -> None:
        self._database = database
        self._ranking = ranking

    # Attempts

    @uncancellable
    async def add_attempt(self, attempt: Attempt, name: str) -> Attempt:
        """The attempt with its new id; it counts if it is the person's first at the puzzle, and asks to.

        name: what the person is called. A second attempt at a day's puzzle is not that day's: it has no day.
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
            done = await connection.execute(sa.insert(attempts).values(_attempt_values(stored)))
            return replace(stored, id=new_id(done))

    @uncancellable
    async def save_attempt(self, before: Attempt, after: Attempt) -> Record | None:
        """Stores the change, and rates the person and the puzzle if it ends an attempt that counts.

        Returns the person's new record, None where nothing was rated; raises Conflict.
        """
        async with self._database.writing() as connection:
            await update_over(connection, attempts, before, _attempt_values(after))
            return await _rated(connection, after) if after.is_over and after.counts else None

    @uncancellable
    async def attempt(self, attempt_id: int) -> Attempt | None:
        return await self._last(attempts.c.id == attempt_id)

    @uncancellable
    async def open_attempt(self, user_id: int, kind: Kind) -> Attempt | None:
        """The person's last attempt of that kind, if it waits for an answer."""
        found = await self._last(attempts.c.user_id == user_id, attempts.c.kind == kind.value)
        return found if found is not None and not found.is_over else None

    @uncancellable
    async def days_attempt(self, user_id: int, day: date) -> Attempt | None:
        """The person's first try at the puzzle of that day."""
        return await self._last(attempts.c.user_id == user_id, attempts.c.day == day)

    @uncancellable
    async def last_attempt(self, user_id: int, key: str) -> Attempt | None:
        """The person's last attempt at that puzzle."""
        return await self._last(attempts.c.user_id == user_id, attempts.c.puzzle == key)

    @uncancellable
    async def tried(self, user_id: int) -> frozenset[str]:
        """The keys of all puzzles that the person has ever been shown."""
        query = sa.select(attempts.c.puzzle).distinct().where(attempts.c.user_id == user_id)
        async with self._database.reading() as connection:
            return frozenset((await connection.execute(query)).scalars())

    @uncancellable
    async def solved_days(self, user_id: int) -> tuple[date, ...]:
        """The days whose puzzle the person solved at the first try, begun on the day itself."""
        query = sa.select(attempts.c.day).where(
            attempts.c.user_id == user_id,
            attempts.c.day.is_not(None),
            attempts.c.status == Status.SOLVED.value,
        )
        async with self._database.reading() as connection:
            return tuple((await connection.execute(query)).scalars())

    @uncancellable
    async def results_of_day(self, day: date, guild_id: int) -> tuple[int, int]:
        """(how many solved it at the first try, how many have answered) in that server."""
        query = sa.select(attempts.c.status, sa.func.count().label("people")).where(
            attempts.c.day == day, attempts.c.guild_id == guild_id
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(query.group_by(attempts.c.status))).all()
        people = {row.status: row.people for row in found}
        solved = people.get(Status.SOLVED.value, 0)
        return solved, solved + people.get(Status.FAILED.value, 0)

    # Ratings

    @uncancellable
    async def record(self, user_id: int) -> Record:
        """The person's standing; its streak is the run of puzzles solved (or, below 0, missed) in a row."""
        async with self._database.reading() as connection:
            return await _record(connection, solvers, solvers.c.user_id == user_id) or Record()

    @uncancellable
    async def puzzle_record(self, key: str) -> Record | None:
        """How people fared at the puzzle at their first try; its wins are their failures."""
        async with self._database.reading() as connection:
            return await _record(connection, puzzle_records, puzzle_records.c.puzzle == key)

    @uncancellable
    async def leaderboard(self, guild_id: int | None, *, offset: int, limit: int) -> LeaderboardPage:
        """Rows from rank `offset` + 1 on, of those who have answered in that server, or of everybody.

        winners: no more are counted than it takes for medals.
        """
        board = _board(guild_id)
        won = sa.select(sa.literal(1)).where(board.lists_row, puzzle_places.c.wins > 0).limit(LEAST_WINNERS)
        async with self._database.reading() as connection:
            page = await self._ranking.read_page(connection, board, offset, limit)
            winners = (await connection.execute(won)).all()
        return replace(page, winners=len(winners))

    async def ranked(self, guild_id: int | None, user_id: int) -> RankedRecord | None:
        """A person's own row; None before their first answer there."""
        return await self._ranking.own(_board(guild_id), user_id)

    async def _last(self, *where: sa.ColumnElement[bool]) -> Attempt | None:
        query = sa.select(attempts).where(*where).order_by(attempts.c.id.desc()).limit(1)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).first()
        return None if found is None else attempt_of(found)


async def _rated(connection: Connection, attempt: Attempt) -> Record:
    """Rates both, and tells SOLVED; returns the person's new record."""
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
        for hook in SOLVED:
            await hook(connection, attempt.user_id, run_of(person), attempt.ended_at)
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


def _attempt_values(attempt: Attempt) -> Values:
    task = attempt.task
    return values_of(
        attempt, attempts, puzzle=task.key, game=task.game, board=task.board, line=_text_of(task.line),
        grade=task.grade, depth=task.depth, goal=task.goal, moves=_text_of(attempt.moves),
    )  # fmt: skip


def attempt_of(row: sa.Row[Any]) -> Attempt:
    task = Task(row.puzzle, row.game, row.board, _moves_of(row.line), row.grade, row.depth, row.goal)
    return Attempt(
        row.id, row.user_id, row.guild_id, Kind(row.kind), task, row.counts, row.started_at, row.day,
        _moves_of(row.moves), Status(row.status), row.ended_at, row.version, _theme_of(row.theme),
    )  # fmt: skip


def _theme_of(text: str | None) -> PuzzleTheme | None:
    """None also for a theme that there is no longer."""
    return PuzzleTheme(text) if text in set(PuzzleTheme) else None


def _text_of(moves: Iterable[int]) -> str:
    return " ".join(map(str, moves))


def _moves_of(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))
