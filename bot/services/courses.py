"""Storms and streaks of puzzles: how one goes on with each answer, and who solved most."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from random import Random

from bot.domain.clock import heard_until, moment_of
from bot.domain.course import PER_GRADE, Best, BestBoard, Course, CourseKind
from bot.domain.errors import NotFound, Refusal
from bot.domain.leaderboard import EVERYWHERE
from bot.domain.person import Person
from bot.domain.puzzle import check_legal
from bot.services.changes import retry_conflicts
from bot.store.stores import Stores
from engine.analysis.puzzles import Puzzle, course, puzzles
from engine.core import Move

PAGE_ROWS = 10


@dataclass(frozen=True, slots=True)
class CourseAnswer:
    """The result of an answer. puzzle: the one that waited. is_right: None if it came too late.

    was_closed: it had been answered before, or the course had ended, so nothing has changed.
    """

    course: Course
    puzzle: Puzzle
    move: Move
    is_right: bool | None
    was_closed: bool = False


@dataclass(frozen=True, slots=True)
class Bests:
    """The most that a person solved in a course of that kind and game (None: all), ever and today."""

    kind: CourseKind
    game: str | None
    ever: int
    today: int


@dataclass(frozen=True, slots=True)
class BestPage:
    """One page of a board of courses. own: the reader's row, if any."""

    board: BestBoard
    rows: tuple[Best, ...]
    page: int
    pages: int
    own: Best | None


class Courses:
    """One for each process. clock: the UTC time. rng: draws which puzzles come."""

    def __init__(self, stores: Stores, *, clock: Callable[[], datetime], rng: Random) -> None:
        self._store = stores.courses
        self._clock = clock
        self._rng = rng

    @property
    def today(self) -> date:
        return self._clock().date()

    async def course(self, course_id: int) -> Course:
        """As it stands, over if its time is; raises NotFound."""
        found = await self._store.course(course_id)
        if found is None:
            raise NotFound("puzzle_gone")
        return await self._up_to_date(found)

    async def begin(self, person: Person, guild_id: int | None, kind: CourseKind, game: str | None) -> Course:
        """The person's last one of that kind and game, if it is not over, or a new one."""
        last = await self._store.last(person.user_id, kind)
        if last is not None and last.game == game:
            last = await self._up_to_date(last)
            if not last.is_over:
                return last
        await asyncio.to_thread(puzzles)
        now, seed = self._clock(), self._rng.getrandbits(32)
        ever, _ = (await self._store.bests_of(person.user_id, now.date())).get((kind, game), (0, 0))
        first = course(seed, PER_GRADE[kind], game)[0]
        made = Course(0, person.user_id, guild_id, kind, game, seed, first, ever, now)
        return await self._store.add(made, person.account or person.name)

    async def answer(self, course_id: int, person: Person, number: int, move: Move) -> CourseAnswer:
        """The course after the answer to its puzzle of that number.

        Raises Refusal.
        """

        async def attempt() -> CourseAnswer:
            before = await self.course(course_id)
            before.check_owner(person.user_id)
            puzzle = await self.puzzle(before)
            if before.is_over or number != before.number:
                return CourseAnswer(before, puzzle, move, None, was_closed=True)
            check_legal(puzzle.game, puzzle.state, move)
            at = moment_of(person.pressed_at, self._clock())
            keys = course(before.seed, PER_GRADE[before.kind], before.game)
            following = keys[number + 1] if number + 1 < len(keys) else None
            after = before.answered(puzzle, move, following, at)
            await self._store.save(before, after, at)
            is_right = None if after.number == before.number else after.solved > before.solved
            return CourseAnswer(after, puzzle, move, is_right)

        return await retry_conflicts(attempt)

    async def puzzle(self, found: Course) -> Puzzle:
        """The one that waits; raises NotFound where another version of the bot no longer has it."""
        known = (await asyncio.to_thread(puzzles)).get(found.puzzle)
        if known is None:
            raise NotFound("puzzle_gone")
        return known

    async def missed(self, found: Course) -> dict[int, Puzzle]:
        """Return the puzzles that were answered wrongly, by their numbers in the course."""
        known = await asyncio.to_thread(puzzles)
        keys = course(found.seed, PER_GRADE[found.kind], found.game)
        return {number: known[keys[number]] for number in found.wrong if number < len(keys)}

    async def stop(self, course_id: int, person: Person) -> Course:
        """End the course with the puzzles solved until now; raises Refusal."""
        before = await self.course(course_id)
        before.check_owner(person.user_id)
        return await self._end(before, moment_of(person.pressed_at, self._clock()))

    async def end_due(self) -> None:
        """End the storms whose time is up, whether or not a message of this process shows them."""
        for found in await self._store.due(heard_until(self._clock())):
            with suppress(Refusal):  # answered at the same time
                await self._end(found, self._clock())

    async def bests(self, user_id: int) -> tuple[Bests, ...]:
        """Of every kind and game that the person has solved something of, storms first."""
        found = await self._store.bests_of(user_id, self.today)
        return tuple(
            Bests(kind, game, *found[kind, game])
            for kind, game in sorted(found, key=lambda key: (list(CourseKind).index(key[0]), key[1] or ""))
        )

    async def page(
        self, guild_id: int | None, game: str | None, user_id: int, *, is_today: bool, page: int = 1
    ) -> BestPage:
        """Of storms; a page beyond the last is the last. guild_id: None for everywhere."""
        day = self.today if is_today else None
        board = BestBoard(guild_id or EVERYWHERE, CourseKind.STORM, game, day)
        page = max(1, page)
        rows, total = await self._store.page(board, offset=(page - 1) * PAGE_ROWS, limit=PAGE_ROWS)
        pages = max(1, -(-total // PAGE_ROWS))
        if page > pages:
            return await self.page(guild_id, game, user_id, is_today=is_today, page=pages)
        return BestPage(board, rows, page, pages, await self._store.own(board, user_id))

    async def _up_to_date(self, found: Course) -> Course:
        """Over, if its time ran out; a press that was made in time may still be under way."""
        if found.is_over or not found.is_out_of_time(heard_until(self._clock())):
            return found
        return await self._end(found, self._clock())

    async def _end(self, found: Course, at: datetime) -> Course:
        """End the course; one that another change has ended meanwhile stays as it is."""

        async def attempt() -> Course:
            before = await self._store.course(found.id)
            if before is None:
                raise NotFound("puzzle_gone")
            if before.is_over:
                return before
            after = before.ended(at)
            await self._store.save(before, after, at)
            return after

        return await retry_conflicts(attempt)
