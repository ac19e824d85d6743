"""Courses of puzzles, and the most that people solved in one: ever and each day, by server and everywhere."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.course import Best, BestBoard, Course, CourseKind
from bot.domain.leaderboard import EVERYWHERE
from bot.domain.names import clean
from bot.domain.seat import Seat
from bot.store.connection import Connection
from bot.store.damage import BATCH
from bot.store.database import Store, uncancellable
from bot.store.players import name_players, players
from bot.store.preferences import is_listed
from bot.store.rows import Part, RowMapper, spaced, store_change
from bot.store.shared import Instant, PlayerKey, Values, id_column, metadata, partial_index, upsert

EVER = ""
"""The day of a best of all time."""

ALL_GAMES = ""
"""The game of a course with puzzles of all games."""

courses = sa.Table(
    "puzzle_courses",
    metadata,
    id_column(),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("seed", sa.BigInteger, nullable=False),
    sa.Column("puzzle", sa.String(64), nullable=False),
    sa.Column("to_beat", sa.Integer, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("solved", sa.Integer, nullable=False),
    sa.Column("wrong", sa.Text, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("ends_at", Instant),
    sa.Column("ended_at", Instant),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Index(None, "user_id", "kind"),
)

IS_TIMED = sa.and_(courses.c.ended_at.is_(None), courses.c.ends_at.is_not(None))
"""The course is a storm with a running clock."""

partial_index("ix_puzzle_courses_ends_at", IS_TIMED, courses.c.ends_at)

COURSE = RowMapper(
    courses,
    Course,
    game=Part(("game",), lambda game: (game or ALL_GAMES,), lambda game: game or None),
    wrong=spaced("wrong"),
)

bests = sa.Table(
    "puzzle_bests",
    metadata,
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("day", sa.String(10), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("best", sa.Integer, nullable=False),
    sa.Column("at", Instant, nullable=False),
    sa.Column("is_shown", sa.Boolean, nullable=False),
    sa.Index(None, "user_id"),
    sqlite_with_rowid=False,
)
"""scope: a server, or 0 for everywhere. day: in UTC, or EVER. at: when it was reached; the first leads."""

sa.Index(
    "ix_puzzle_bests_board",
    bests.c.scope,
    bests.c.kind,
    bests.c.game,
    bests.c.day,
    bests.c.is_shown,
    bests.c.best.desc(),
    bests.c.at,
)


class CourseStore(Store):
    """Loads and stores courses and bests, each in one short transaction."""

    @uncancellable
    async def add(self, course: Course, name: str) -> Course:
        """Store a new course and return it with its id. name: the person's."""
        async with self._database.writing() as connection:
            await name_players(connection, (Seat(name, course.user_id, account=name),))
            return replace(course, id=await COURSE.add(connection, course))

    @uncancellable
    async def save(self, before: Course, after: Course, at: datetime) -> None:
        """Store the change made at that time, and the bests that it beats; raise Conflict."""
        async with self._database.writing() as connection:
            await store_change(connection, COURSE, before, after)
            if after.solved > before.solved:
                await _raise_bests(connection, after, at)

    @uncancellable
    async def course(self, course_id: int) -> Course | None:
        return await self._last(courses.c.id == course_id)

    @uncancellable
    async def last(self, user_id: int, kind: CourseKind) -> Course | None:
        """Return the person's last course of that kind, finished or not."""
        return await self._last(courses.c.user_id == user_id, courses.c.kind == kind.value)

    @uncancellable
    async def due(self, ended_by: datetime) -> list[Course]:
        """Return this process's storms whose time was up then, a batch at most."""
        query = sa.select(courses).where(IS_TIMED, courses.c.ends_at <= ended_by)
        rows = await self._rows(query.where(*self._database.mine(courses.c.guild_id)).limit(BATCH))
        return [COURSE.read(row) for row in rows]

    @uncancellable
    async def bests_of(self, user_id: int, day: date) -> dict[tuple[CourseKind, str | None], tuple[int, int]]:
        """Return (most ever, most on that day) by kind and game, for courses that were tried."""
        found: dict[tuple[CourseKind, str | None], tuple[int, int]] = {}
        query = (
            sa.select(bests)
            .where(bests.c.user_id == user_id, bests.c.scope == EVERYWHERE)
            .where(bests.c.day.in_((EVER, day.isoformat())))
        )
        for row in await self._rows(query):
            key = CourseKind(row.kind), row.game or None
            ever, today = found.get(key, (0, 0))
            found[key] = (row.best, today) if row.day == EVER else (ever, row.best)
        return found

    @uncancellable
    async def page(self, board: BestBoard, *, offset: int, limit: int) -> tuple[tuple[Best, ...], int]:
        """Return a page of the board, the most solved first, and the number of all rows."""
        shown = [*_on(board), bests.c.is_shown.is_(True)]
        total = sa.select(sa.func.count()).select_from(bests).where(*shown)
        rows = _named().where(*shown).order_by(bests.c.best.desc(), bests.c.at).offset(offset).limit(limit)
        async with self._database.reading() as connection:
            count = int(await connection.scalar(total) or 0)
            found: list[Best] = []
            for place, row in enumerate(await connection.execute(rows), start=offset + 1):
                if not found:
                    rank = await _rank(connection, board, row.best)
                elif row.best != found[-1].best:
                    rank = place
                found.append(Best(rank, row.user_id, clean(row.name, str(row.user_id)), row.best))
        return tuple(found), count

    @uncancellable
    async def own(self, board: BestBoard, user_id: int) -> Best | None:
        """Return a person's own row, even if the board hides it."""
        async with self._database.reading() as connection:
            row = (await connection.execute(_named().where(*_on(board), bests.c.user_id == user_id))).first()
            if row is None:
                return None
            rank = await _rank(connection, board, row.best)
            return Best(rank, row.user_id, clean(row.name, str(row.user_id)), row.best)

    async def _last(self, *where: sa.ColumnElement[bool]) -> Course | None:
        query = sa.select(courses).where(*where).order_by(courses.c.id.desc()).limit(1)
        rows = await self._rows(query)
        return COURSE.read(rows[0]) if rows else None


async def _raise_bests(connection: Connection, course: Course, at: datetime) -> None:
    is_everywhere = await is_listed(connection, course.user_id)
    for scope in sorted({EVERYWHERE, course.guild_id or EVERYWHERE}):
        for day in (None, at.date()):
            key = {**_key(BestBoard(scope, course.kind, course.game, day)), "user_id": course.user_id}
            values = {"best": course.solved, "at": at}
            is_shown = scope != EVERYWHERE or is_everywhere
            await connection.execute(
                upsert(bests)
                .values(**key, **values, is_shown=is_shown)
                .on_conflict_do_update(
                    index_elements=list(key), set_=values, where=bests.c.best < course.solved
                )
            )


async def _rank(connection: Connection, board: BestBoard, best: int) -> int:
    better = sa.select(sa.func.count()).select_from(bests)
    better = better.where(*_on(board), bests.c.is_shown.is_(True), bests.c.best > best)
    return 1 + int(await connection.scalar(better) or 0)


def _named() -> sa.Select[Any]:
    own = players.c.player == sa.cast(bests.c.user_id, PlayerKey)
    same = sa.and_(players.c.is_agent.is_(False), own)
    name = sa.func.coalesce(players.c.name, sa.cast(bests.c.user_id, sa.String)).label("name")
    return sa.select(bests.c.user_id, bests.c.best, name).select_from(bests.outerjoin(players, same))


def _key(board: BestBoard) -> Values:
    day = EVER if board.day is None else board.day.isoformat()
    return {"scope": board.scope, "kind": board.kind.value, "game": board.game or ALL_GAMES, "day": day}


def _on(board: BestBoard) -> list[sa.ColumnElement[bool]]:
    return [bests.c[name] == value for name, value in _key(board).items()]
