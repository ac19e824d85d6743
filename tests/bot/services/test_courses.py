"""Storms and streaks as values and in the stores: answers, and bests that are never lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from bot.domain.clock import MAX_PRESS_DELAY
from bot.domain.course import PENALTY, PER_GRADE, STORM_TIME, Course, CourseKind
from bot.domain.errors import NotFound, Refusal
from bot.domain.person import Person
from bot.domain.preferences import Preferences
from bot.services.courses import CourseAnswer, Courses
from bot.store.stores import Stores
from engine.analysis.puzzles import GRADES, Puzzle, course, has_course, puzzles
from engine.core import Move
from engine.games import GAMES, SPECS
from tests.bot.exports import exported
from tests.bot.made_once import database_url

NOW = datetime(2026, 11, 21, 23, 59, tzinfo=UTC)
ADA, BEN, EVE = Person(1, "Ada"), Person(2, "Ben"), Person(3, "Eve")
GUILD = 100
STORM, STREAK = CourseKind.STORM, CourseKind.STREAK
C4 = "connect-four"
PUZZLED = ("connect-four", "othello", "tic-tac-toe")


# Which puzzles


@pytest.mark.parametrize("game", [None, "connect-four", "othello"])
@pytest.mark.parametrize("kind", CourseKind)
def test_a_course_gets_harder_and_no_puzzle_comes_twice(kind: CourseKind, game: str | None) -> None:
    for seed in range(5):
        keys = course(seed, PER_GRADE[kind], game)
        found = [puzzles()[key] for key in keys]
        grades = [puzzle.grade for puzzle in found]
        assert len(set(keys)) == len(keys) >= 50 + 4 * PER_GRADE[kind]
        assert grades == sorted(grades)
        assert [grades.count(grade) for grade in GRADES][:-1] == [PER_GRADE[kind]] * 4
        games = {puzzle.game for puzzle in found}
        with_puzzles = {key for key, spec in SPECS.items() if spec.teach.puzzle_depths}
        assert games == {game} if game else {"connect-four", "othello"} <= games <= with_puzzles
        if game:
            depths = [puzzle.depth for puzzle in found]
            assert depths == sorted(depths)
    assert course(1, 5, game) != course(2, 5, game)
    assert [game for game in GAMES if has_course(game)] == [
        "connect-four",
        "othello",
        "kalah",
        "draughts",
        "dots-and-boxes",
    ]


# Values


def begun(kind: CourseKind) -> tuple[Course, Puzzle, Move]:
    """A course, the puzzle that waits, and a wrong move in it."""
    key = course(7, PER_GRADE[kind], C4)[0]
    puzzle = puzzles()[key]
    wrong = next(move for move in puzzle.state.legal_moves() if move != puzzle.best)
    return Course(1, ADA.user_id, GUILD, kind, C4, 7, key, 0, NOW), puzzle, wrong


def test_a_storms_clock_begins_with_the_first_answer_and_a_wrong_one_costs_ten_seconds() -> None:
    storm, puzzle, wrong = begun(STORM)
    assert storm.ends_at is None
    assert not storm.is_out_of_time(NOW + timedelta(days=1))
    right = storm.answered(puzzle, puzzle.best, puzzle.key, NOW)
    assert (right.solved, right.missed, right.ends_at) == (1, 0, NOW + STORM_TIME)
    missed = right.answered(puzzle, wrong, puzzle.key, NOW)
    assert (missed.solved, missed.missed, missed.ends_at) == (1, 1, NOW + STORM_TIME - PENALTY)
    assert not missed.is_over


def test_a_storm_ends_with_its_time_and_later_answers_do_not_count() -> None:
    storm, puzzle, wrong = begun(STORM)
    running = storm.answered(puzzle, puzzle.best, puzzle.key, NOW)
    assert running.answered(puzzle, wrong, puzzle.key, NOW + STORM_TIME - PENALTY).is_over
    late = running.answered(puzzle, puzzle.best, puzzle.key, NOW + STORM_TIME)
    assert (late.solved, late.is_over, late.ended_at) == (1, True, NOW + STORM_TIME)


def test_a_streak_ends_with_the_first_mistake_and_has_no_clock() -> None:
    streak, puzzle, wrong = begun(STREAK)
    further = streak.answered(puzzle, puzzle.best, puzzle.key, NOW + timedelta(days=9))
    assert (further.solved, further.ends_at, further.is_over) == (1, None, False)
    over = further.answered(puzzle, wrong, puzzle.key, NOW)
    assert (over.solved, over.missed, over.is_over, over.is_record) == (1, 1, True, True)


def test_a_course_ends_with_its_last_puzzle() -> None:
    for kind in CourseKind:
        found, puzzle, _ = begun(kind)
        assert found.answered(puzzle, puzzle.best, None, NOW).is_over


# Stored


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Evening:
    """Stores and the services that use them."""

    def __init__(self, stores: Stores) -> None:
        self.stores, self.clock = stores, Clock()
        self.service = Courses(stores, clock=self.clock, rng=Random(3))

    async def answer(self, found: Course, person: Person = ADA, *, right: bool = True) -> Course:
        """Answers the puzzle that waits."""
        given = await self.service.answer(found.id, person, found.number, await self.move(found, right=right))
        assert isinstance(given, CourseAnswer)
        assert given.is_right is right
        return given.course

    async def move(self, found: Course, *, right: bool = True) -> Move:
        puzzle = await self.service.puzzle(found)
        return next(move for move in puzzle.state.legal_moves() if (move == puzzle.best) is right)

    async def stored(self, found: Course) -> Course:
        """As the database has it; the service would end one whose time is up."""
        course = await self.stores.courses.course(found.id)
        assert course is not None
        return course

    async def storm(self, person: Person, solved: int, guild_id: int | None = GUILD) -> Course:
        """A whole one, over."""
        found = await self.service.begin(person, guild_id, STORM, C4)
        for _ in range(solved):
            found = await self.answer(found, person)
        return await self.service.stop(found.id, person)

    async def rows(
        self, guild_id: int | None, reader: Person = ADA, *, is_today: bool = False
    ) -> list[tuple[int, str, int]]:
        found = await self.service.page(guild_id, C4, reader.user_id, is_today=is_today)
        return [(row.rank, row.name, row.best) for row in found.rows]


@asynccontextmanager
async def evening(path: Path) -> AsyncIterator[Evening]:
    stores = await Stores.open(database_url(path))
    yield Evening(stores)
    await stores.close()


async def test_a_course_goes_on_after_a_restart_where_it_was(database: Path) -> None:
    async with evening(database) as table:
        storm = await table.answer(await table.service.begin(ADA, GUILD, STORM, C4))
        streak = await table.answer(await table.service.begin(ADA, GUILD, STREAK, None))
    async with evening(database) as table:
        assert await table.service.begin(ADA, None, STORM, C4) == storm
        assert await table.service.begin(ADA, None, STREAK, None) == streak
        other = await table.service.begin(ADA, None, STORM, "othello")
        assert (other.id, other.number) != (storm.id, storm.number)
        with pytest.raises(NotFound):
            await table.service.course(99)


async def test_players_lose_no_time_while_the_bot_was_away(database: Path) -> None:
    async with evening(database) as table:
        storm = await table.answer(await table.service.begin(ADA, GUILD, STORM, C4))
        await table.stores.outages.beat(NOW + timedelta(seconds=10))
    async with evening(database) as table:
        await table.stores.outages.make_up(NOW + timedelta(minutes=30))
        table.clock.now = NOW + timedelta(minutes=30)
        again = await table.service.course(storm.id)
        assert not again.is_over
        assert again.ends_at is not None
        assert again.ends_at - table.clock.now == STORM_TIME - timedelta(seconds=10)


async def test_an_abandoned_storm_is_over_when_opened_and_keeps_its_best(
    database: Path,
) -> None:
    async with evening(database) as table:
        storm = await table.answer(await table.service.begin(ADA, GUILD, STORM, C4))
        assert await table.rows(GUILD) == [(1, "Ada", 1)]
        table.clock.now += timedelta(hours=1)
        over = await table.service.course(storm.id)
        assert over.ended_at == storm.ends_at
        assert (await table.service.begin(ADA, GUILD, STORM, C4)).id != storm.id


async def test_a_storm_that_ran_at_a_restart_ends_by_the_clock(database: Path) -> None:
    async with evening(database) as table:
        storm = await table.answer(await table.service.begin(ADA, GUILD, STORM, C4))
        streak = await table.answer(await table.service.begin(ADA, GUILD, STREAK, C4))
    async with evening(database) as table:
        table.clock.now += STORM_TIME
        await table.service.end_due()
        assert not (await table.stored(storm)).is_over, "a press made in time may be on its way"
        table.clock.now += MAX_PRESS_DELAY
        await table.service.end_due()
        assert (await table.stored(storm)).ended_at == storm.ends_at
        assert not (await table.stored(streak)).is_over


async def test_one_of_two_simultaneous_presses_counts(database: Path) -> None:
    async with evening(database) as table:
        found = await table.service.begin(ADA, GUILD, STREAK, C4)
        moves = [await table.move(found, right=right) for right in (True, True)]
        given = await asyncio.gather(
            *(table.service.answer(found.id, ADA, found.number, move) for move in moves)
        )
        assert sorted((one.is_right, one.was_closed) for one in given if one.is_right) == [(True, False)]
        assert sum(one.was_closed for one in given) == 1
        assert (await table.service.course(found.id)).number == 1
        assert (await table.service.answer(found.id, ADA, 0, moves[0])).was_closed


async def test_an_answer_after_the_end_is_told_that_its_puzzle_was_closed(database: Path) -> None:
    async with evening(database) as table:
        found = await table.service.begin(ADA, GUILD, STREAK, C4)
        move = await table.move(found)
        over = await table.service.stop(found.id, ADA)
        assert await table.service.stop(found.id, ADA) == over, "a second press finds it ended"
        given = await table.service.answer(found.id, ADA, 0, move)
        assert (given.course, given.is_right, given.was_closed) == (over, None, True)


async def test_other_people_cannot_answer_or_end_it_and_illegal_moves_do_not_count(database: Path) -> None:
    async with evening(database) as table:
        found = await table.service.begin(ADA, GUILD, STREAK, C4)
        for press in (table.service.answer(found.id, BEN, 0, 0), table.service.stop(found.id, BEN)):
            with pytest.raises(Refusal, match="puzzle_of_another"):
                await press
        with pytest.raises(Refusal, match="illegal_no_such_column"):
            await table.service.answer(found.id, ADA, 0, 99)
        assert await table.service.course(found.id) == found


async def test_a_press_made_in_time_counts_though_it_arrives_late(database: Path) -> None:
    async with evening(database) as table:
        found = await table.answer(await table.service.begin(ADA, GUILD, STORM, C4))
        table.clock.now = NOW + STORM_TIME + timedelta(seconds=1)
        pressed_at = NOW + STORM_TIME - timedelta(seconds=1)
        given = await table.service.answer(
            found.id, replace(ADA, pressed_at=pressed_at), 1, await table.move(found)
        )
        assert given.is_right
        late = await table.service.answer(found.id, ADA, 2, await table.move(given.course))
        assert late.is_right is None
        assert late.course.is_over


async def test_daily_and_all_time_bests_are_kept_after_a_worse_result(
    database: Path,
) -> None:
    async with evening(database) as table:
        await table.storm(ADA, 4)
        table.clock.now += timedelta(days=1)
        worse = await table.storm(ADA, 2)
        assert (worse.to_beat, worse.is_record) == (4, False)
        (best,) = await table.service.bests(ADA.user_id)
        assert (best.kind, best.game, best.ever, best.today) == (STORM, C4, 4, 2)
        assert await table.rows(GUILD) == [(1, "Ada", 4)]
        assert await table.rows(GUILD, is_today=True) == [(1, "Ada", 2)]
        better = await table.storm(ADA, 5)
        assert (better.to_beat, better.is_record) == (4, True)
        assert await table.rows(GUILD) == [(1, "Ada", 5)]


async def test_boards_share_ranks_on_ties_and_global_ones_name_only_listed_people(database: Path) -> None:
    async with evening(database) as table:
        for person, solved in ((ADA, 2), (BEN, 3), (EVE, 2)):
            await table.storm(person, solved)
            table.clock.now += timedelta(seconds=1)
        assert await table.rows(GUILD) == [(1, "Ben", 3), (2, "Ada", 2), (2, "Eve", 2)]
        assert await table.rows(200) == []
        assert await table.rows(None) == []
        own = (await table.service.page(None, C4, EVE.user_id, is_today=False)).own
        assert own is not None
        assert own.best == 2
        for person in (BEN, EVE):
            await table.stores.preferences.save_preferences(person.user_id, Preferences(is_listed=True))
        assert await table.rows(None) == [(1, "Ben", 3), (2, "Eve", 2)]
        await table.storm(EVE, 4)
        await table.stores.preferences.save_preferences(BEN.user_id, Preferences(is_listed=False))
        assert await table.rows(None) == [(1, "Eve", 4)]


@pytest.mark.slow
async def test_boards_have_pages(database: Path) -> None:
    async with evening(database) as table:
        for number in range(1, 13):
            await table.storm(Person(number, f"P{number}"), 1 + number % 2)
        second = await table.service.page(GUILD, C4, 1, is_today=False, page=9)
        assert (second.page, second.pages, len(second.rows)) == (2, 2, 2)
        assert {row.rank for row in second.rows} == {7}


async def test_courses_are_exported_and_deleted_with_their_person(database: Path) -> None:
    async with evening(database) as table:
        await table.storm(ADA, 2)
        await table.storm(BEN, 1)
        found = exported(table.stores, ADA.user_id)
        assert len(found["puzzle_courses"]) == 1
        assert {row["best"] for row in found["puzzle_bests"]} == {2}
        await table.stores.privacy.erase(ADA.user_id)
        assert await table.service.bests(ADA.user_id) == ()
        assert await table.rows(GUILD, BEN) == [(1, "Ben", 1)]


async def test_a_puzzle_of_another_version_is_refused_politely(database: Path) -> None:
    async with evening(database) as table:
        found = await table.service.begin(ADA, GUILD, STORM, C4)
        gone = replace(found, puzzle="gone", version=found.version + 1)
        await table.stores.courses.save(found, gone, NOW)
        with pytest.raises(NotFound, match="puzzle_gone"):
            await table.service.answer(found.id, ADA, 0, 0)
