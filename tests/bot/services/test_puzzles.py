"""Attempts at puzzles as values and in the stores: answers, ratings, and counting once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from random import Random

import pytest

from bot.domain.achievement import PUZZLE_RUN
from bot.domain.errors import NotFound, Refusal
from bot.domain.person import Person
from bot.domain.preferences import Preferences
from bot.domain.puzzle import (
    AnswerMark,
    Attempt,
    DayResult,
    Judged,
    PuzzleKind,
    Status,
    Task,
    daily,
    day_run,
    excused_days,
    first_record,
    rate_attempt,
    run_of,
    suited_grade,
)
from bot.domain.rating import Record
from bot.i18n.texts import english
from bot.presentation import icons
from bot.presentation.puzzle_texts import answer_lines, share_line
from bot.search.pool import SearchPool
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.analysis.evaluators import Estimator
from engine.analysis.puzzles import GRADES, Puzzle, puzzles, select
from engine.core import Limit
from engine.games import GAMES, spec_of
from engine.score import Score, score_of_move
from tests.bot.made_once import database_url
from tests.bot.sittings import settle

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
ADA, BEN = Person(1, "Ada"), Person(2, "Ben")
GUILD, OTHER_GUILD = 100, 200
# Reading the puzzles themselves would cost every worker two seconds, whatever tests it gets.
WITH_PUZZLES = [key for key in GAMES if spec_of(key).teach.puzzle_depths]

WON, DRAWN, LOST = Score.won(1), Score.drawn(), Score.lost(4)


def attempt_at(game: str = "connect-four", grade: int = 5) -> Attempt:
    """An attempt whose win is far away."""
    puzzle = next(iter(select(game, grade).values()))
    return Attempt(1, ADA.user_id, GUILD, PuzzleKind.FREE, Task.of(puzzle), True, NOW)


def judged(attempt: Attempt, kept: Score) -> Judged:
    """The first legal move, said to keep that, and a reply to it."""
    move = attempt.state.legal_moves()[0]
    return Judged(move, kept, attempt.state.play(move).legal_moves()[:1])


# Transitions


def test_right_answers_go_on_until_three_have_been_made() -> None:
    attempt = attempt_at()
    for number in (1, 2):
        attempt = attempt.answered(judged(attempt, WON), NOW)
        assert attempt.status is Status.OPEN
        assert len(attempt.moves) == 2 * number == attempt.turn
        assert attempt.state.to_move is attempt.player
    attempt = attempt.answered(judged(attempt, WON), NOW)
    assert attempt.status is Status.SOLVED
    assert len(attempt.moves) == 5
    assert attempt.ended_at == NOW


@pytest.mark.parametrize(("kept", "goal", "status"), [
    (LOST, 1, Status.FAILED),
    (DRAWN, 1, Status.FAILED),
    (DRAWN, 0, Status.OPEN),
    (WON, 0, Status.OPEN),
    (LOST, 0, Status.FAILED),
])  # fmt: skip
def test_an_answer_that_keeps_less_than_required_is_wrong(kept: Score, goal: int, status: Status) -> None:
    attempt = attempt_at()
    attempt = replace(attempt, task=replace(attempt.task, goal=goal))
    assert attempt.answered(judged(attempt, kept), NOW).status is status


def test_a_wrong_answer_leaves_the_reply_on_the_board_and_knows_where_it_went_wrong() -> None:
    attempt = attempt_at()
    after = attempt.answered(judged(attempt, LOST), NOW)
    assert len(after.moves) == 2
    assert after.before_the_fault() == attempt.state
    with pytest.raises(Refusal, match="puzzle_moved_on"):
        attempt.before_the_fault()


def test_an_unproved_answer_is_refused() -> None:
    attempt = attempt_at()
    with pytest.raises(Refusal, match="puzzle_unproved"):
        attempt.answered(judged(attempt, Score.likely(0.9)), NOW)


def test_the_game_s_end_ends_the_attempt() -> None:
    puzzle = next(puzzle for puzzle in select("tic-tac-toe", 1).values())
    attempt = replace(attempt_at(), task=Task.of(puzzle))
    after = attempt.answered(Judged(puzzle.best, WON, ()), NOW)
    assert after.status is Status.SOLVED
    assert after.state.outcome() is not None


def test_an_answer_is_checked_against_owner_turn_and_rules() -> None:
    attempt = attempt_at()
    move = attempt.state.legal_moves()[0]
    attempt.check(ADA.user_id, 0, move)
    with pytest.raises(Refusal, match="puzzle_of_another"):
        attempt.check(BEN.user_id, 0, move)
    with pytest.raises(Refusal, match="puzzle_moved_on"):
        attempt.check(ADA.user_id, 2, move)
    with pytest.raises(Refusal, match="illegal_no_such_column"):
        attempt.check(ADA.user_id, 0, 77)
    with pytest.raises(Refusal, match="puzzle_moved_on"):
        attempt.answered(judged(attempt, LOST), NOW).check(ADA.user_id, 2, move)


def test_solving_a_harder_puzzle_is_worth_more() -> None:
    gains = [rate_attempt(Record(), first_record(grade), is_solved=True)[0].points for grade in GRADES]
    assert gains == sorted(gains)
    assert gains[0] > Record().points
    person, puzzle = rate_attempt(Record(), first_record(3), is_solved=False)
    assert person.rating < Record().rating
    assert puzzle.rating > first_record(3).rating
    assert run_of(person) == 0


def test_newcomers_get_easy_puzzles_and_masters_hard_ones() -> None:
    assert suited_grade(Record()) == 1
    assert suited_grade(Record(1110, 60)) == 1
    assert suited_grade(Record(2010, 60)) == 5


def test_a_run_of_days_lasts_until_a_day_was_missed() -> None:
    today = date(2026, 11, 21)
    days = [today - timedelta(days=back) for back in (0, 1, 2, 4)]
    assert day_run(days, today) == 3
    assert day_run(days[1:], today) == 2
    assert day_run(days[2:], today) == 0
    assert day_run([], today) == 0


def outage(began: str, ended: str) -> tuple[datetime, datetime]:
    """An outage in November 2026, from a day and an hour to a day and an hour."""
    begins, ends = (
        datetime.strptime(f"2026-11-{text} +0000", "%Y-%m-%d %H:%M %z") for text in (began, ended)
    )
    return begins, ends


@pytest.mark.parametrize(("outages", "days"), [
    ([("20 06:00", "20 18:00")], [20]),
    ([("20 06:01", "20 18:00")], []),
    ([("20 01:00", "20 08:00"), ("20 12:00", "20 17:00")], [20]),  # twelve hours in all
    ([("20 01:00", "20 08:00"), ("20 02:00", "20 07:59")], []),  # noted by two processes
    ([("20 23:50", "21 00:00")], [20]),
    ([("20 23:51", "21 00:30")], []),
    ([("20 23:20", "20 23:59")], []),
    ([("20 23:00", "22 13:00")], [20, 21, 22]),
    ([("20 14:00", "21 11:59")], [20]),
    ([], []),
])  # fmt: skip
def test_a_day_ends_no_run_if_the_bot_was_away_for_half_of_it_or_at_its_end(
    outages: list[tuple[str, str]], days: list[int]
) -> None:
    assert excused_days(outage(*each) for each in outages) == {date(2026, 11, day) for day in days}


def test_an_excused_day_adds_nothing_to_a_run_and_does_not_end_it() -> None:
    today = date(2026, 11, 21)
    solved = [today - timedelta(days=back) for back in (0, 2, 3)]
    assert day_run(solved, today) == 1
    assert day_run(solved, today, {today - timedelta(days=1)}) == 3
    assert day_run(solved, today, {today, today - timedelta(days=1)}) == 3
    assert day_run(solved[1:], today, {today}) == 0


def answers_of_day(*is_best: bool, last: Score = WON) -> Attempt:
    """A try at the day's puzzle with these answers; the last one keeps that."""
    attempt = replace(attempt_at(), kind=PuzzleKind.DAILY, day=NOW.date())
    for number, best in enumerate(is_best, 1):
        given = judged(attempt, last if number == len(is_best) else WON)
        attempt = attempt.answered(replace(given, is_best=best), NOW)
    return attempt


@pytest.mark.parametrize(("answers", "last", "days", "line"), [
    ((True, False, True), WON, 12, "Daily 325 · Connect Four · 3 moves · 🟩🟨🟩 · day 12 🔥"),
    ((True, True, True), WON, 3, "Daily 325 · Connect Four · 3 moves · 🟩🟩🟩 · day 3"),
    ((True, False, False), WON, 1, "Daily 325 · Connect Four · 3 moves · 🟩🟨🟨 · first day"),
    ((True, True), LOST, 0, "Daily 325 · Connect Four · 🟩🟥 · not today"),
    ((True,), WON, 0, ""),
])  # fmt: skip
def test_the_line_to_share_has_a_mark_for_each_answer_and_no_solution(
    answers: tuple[bool, ...], last: Score, days: int, line: str
) -> None:
    assert share_line(english(), answers_of_day(*answers, last=last), days) == line


def test_the_line_to_share_of_an_older_version_has_no_marks_and_of_other_puzzles_there_is_none() -> None:
    solved = answers_of_day(True, True, True)
    assert share_line(english(), replace(solved, marks=()), 2) == "Daily 325 · Connect Four · day 2"
    assert share_line(english(), replace(solved, day=None), 0) == ""


def test_answers_to_other_puzzles_get_no_marks() -> None:
    attempt = attempt_at()
    assert attempt.answered(judged(attempt, WON), NOW).marks == ()


# Stored


class Clock:
    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


class Evening:
    """Stores and the service that uses them."""

    def __init__(self, stores: Stores, search: SearchPool) -> None:
        self.stores, self.clock = stores, Clock()
        self.attempts = stores.puzzles
        self.service = Puzzles(stores, Reviews(search), clock=self.clock, rng=Random(3))

    async def answer(self, attempt: Attempt, *, right: bool) -> Attempt:
        """Answers once, in any way: stored as if the engine had judged so."""
        move = puzzles()[attempt.task.key].best if attempt.task.key in puzzles() else 0
        after = attempt.answered(Judged(move, WON if right else LOST, ()), self.clock())
        if right:
            after = replace(after, status=Status.SOLVED, ended_at=self.clock())
        await self.attempts.save_attempt(attempt, after)
        return after


@asynccontextmanager
async def evening(path: Path) -> AsyncIterator[Evening]:
    stores, search = await Stores.open(database_url(path)), SearchPool(1)
    yield Evening(stores, search)
    await search.close()
    await stores.close()


async def test_only_the_first_try_at_a_puzzle_counts(database: Path) -> None:
    async with evening(database) as table:
        first = await table.service.play(ADA, GUILD, "connect-four", 1)
        assert first.counts
        await table.answer(first, right=False)
        record = await table.attempts.record(ADA.user_id)
        again = await table.service.again(first.id, ADA)
        assert not again.counts
        await table.answer(again, right=True)
        assert await table.attempts.record(ADA.user_id) == record
        assert record.losses == 1
        assert await table.service.first_tries(first.task.key) == (0, 1)


async def test_exactly_one_of_two_simultaneous_answers_counts(database: Path) -> None:
    async with evening(database) as table:
        attempt = await table.service.play(ADA, GUILD, "connect-four", 1)
        done = await asyncio.gather(
            *(table.answer(attempt, right=right) for right in (True, False)), return_exceptions=True
        )
        assert sum(isinstance(found, Conflict) for found in done) == 1
        assert (await table.attempts.record(ADA.user_id)).games == 1


async def test_ten_in_a_row_earn_the_achievement_with_the_tenth(database: Path) -> None:
    async with evening(database) as table:
        for number in range(1, PUZZLE_RUN + 1):
            await table.answer(await table.service.play(ADA, GUILD), right=True)
            awards = await table.stores.achievements.awards(ADA.user_id)
            assert [award.key for award in awards] == (["puzzle-run"] if number == PUZZLE_RUN else [])
        assert run_of(await table.attempts.record(ADA.user_id)) == PUZZLE_RUN
        await table.answer(await table.service.play(ADA, GUILD), right=False)
        assert run_of(await table.attempts.record(ADA.user_id)) == 0


async def test_no_puzzle_comes_twice_before_all_have_come(database: Path) -> None:
    async with evening(database) as table:
        seen = []
        for _ in range(17):
            attempt = await table.service.play(ADA, GUILD, "tic-tac-toe", 2)
            seen.append(attempt.task.key)
            await table.answer(attempt, right=True)
        assert len(set(seen)) == 17 == len(select("tic-tac-toe", 2))
        again = await table.service.play(ADA, GUILD, "tic-tac-toe", 2)
        assert again.task.key in seen
        assert not again.counts


async def test_an_open_attempt_survives_a_restart(database: Path) -> None:
    async with evening(database) as table:
        attempt = await table.service.play(ADA, None)
    async with evening(database) as table:
        assert await table.service.play(ADA, GUILD) == attempt
        assert await table.service.attempt(attempt.id) == attempt
        with pytest.raises(NotFound):
            await table.service.attempt(attempt.id + 1)


async def test_each_person_has_one_try_at_the_days_puzzle(database: Path) -> None:
    async with evening(database) as table:
        attempt = await table.service.daily(ADA, GUILD)
        assert attempt.task.key == daily(NOW.date()).key
        assert attempt.day == NOW.date()
        assert await table.service.daily(ADA, OTHER_GUILD) == attempt
        failed = await table.answer(attempt, right=False)
        assert await table.service.daily(ADA, GUILD) == failed
        other = await table.service.daily(BEN, GUILD)
        await table.answer(other, right=True)
        result = await table.service.result_of_day(NOW.date(), GUILD)
        assert (result.solved, result.answered) == (1, 2)
        assert await table.service.result_of_day(NOW.date(), OTHER_GUILD) == DayResult()


async def test_a_slower_win_keeps_the_day_s_win_and_is_not_its_best_move(database: Path) -> None:
    async with evening(database) as table:
        evaluator = Estimator(GAMES["connect-four"])
        while (puzzle := daily(table.clock().date())).game != "connect-four" or puzzle.depth < 3:
            table.clock.now += timedelta(days=1)
        attempt = await table.service.daily(ADA, GUILD)
        attempt = (await table.service.answer(attempt.id, ADA, 0, puzzle.best)).attempt
        marks = [AnswerMark.BEST]
        while not attempt.is_over:
            scores = {
                move: score_of_move(attempt.state, after, evaluator.evaluate(after, Limit(seconds=5)).score)
                for move in attempt.state.legal_moves()
                if (after := attempt.state.play(move))
            }
            won = {move: score.plies or 0 for move, score in scores.items() if score.result == 1}
            slowest = max(won, key=lambda move: won[move])
            is_best = won[slowest] == min(won.values())
            marks.append(AnswerMark.BEST if is_best else AnswerMark.KEEPS)
            attempt = (await table.service.answer(attempt.id, ADA, attempt.turn, slowest)).attempt
        assert attempt.marks == tuple(marks)
        assert AnswerMark.KEEPS in marks
        assert (await table.service.attempt(attempt.id)).marks == attempt.marks


async def test_a_servers_result_names_its_best_solvers_and_counts_its_days(database: Path) -> None:
    async with evening(database) as table:
        people = [ADA, BEN, Person(3, "Cleo")]
        for days in range(3):
            table.clock.now = NOW + timedelta(days=days)
            for person, worth in zip(people, ("bkb", "bbb", "bl"), strict=True):
                attempt = await table.service.daily(person, GUILD if days else OTHER_GUILD)
                status = Status.FAILED if "l" in worth else Status.SOLVED
                marks = tuple(map(AnswerMark, worth))
                after = replace(attempt, status=status, marks=marks, ended_at=table.clock(), version=1)
                await table.attempts.save_attempt(attempt, after)
        today = table.clock().date()
        result = await table.service.result_of_day(today, GUILD)
        assert [(one.name, one.days) for one in result.best] == [("Ben", 3), ("Ada", 3)]
        assert (result.solved, result.answered, result.run) == (2, 3, 2)
        assert (await table.service.result_of_day(today, OTHER_GUILD)).best == ()
        assert set(await table.service.solved_today()) == {GUILD}
        assert await table.attempts.best_solvers(today, GUILD, 1) == [replace(result.best[0], days=0)]


async def test_a_run_of_days_outlives_a_day_on_which_the_bot_was_away(database: Path) -> None:
    async with evening(database) as table:
        for days, is_away in ((0, False), (1, True), (2, False)):
            table.clock.now = NOW + timedelta(days=days)
            await table.stores.outages.beat(table.clock())
            if is_away:
                table.clock.now += timedelta(hours=12)
                await table.stores.outages.make_up(table.clock())
            else:
                await table.answer(await table.service.daily(ADA, GUILD), right=True)
        assert (await table.service.standing(ADA.user_id)).days == 2
        solved = await table.service.days_attempt(ADA.user_id, NOW.date())
        assert solved is not None
        assert await table.service.days_with(solved) == 1


async def test_days_of_the_future_are_closed(database: Path) -> None:
    async with evening(database) as table:
        for days in (1, -31):
            with pytest.raises(Refusal, match="puzzle_day_over"):
                await table.service.daily(ADA, GUILD, NOW.date() + timedelta(days=days))


async def test_an_older_daily_puzzle_is_begun_once_and_does_not_count_for_that_day(database: Path) -> None:
    async with evening(database) as table:
        yesterday = NOW.date() - timedelta(days=1)
        attempt = await table.service.daily(ADA, GUILD, yesterday)
        assert attempt.day is None
        assert attempt.counts
        assert await table.service.daily(ADA, GUILD, yesterday) == attempt


@pytest.mark.parametrize("game", WITH_PUZZLES)
async def test_puzzles_are_played_to_their_end_against_the_engine(database: Path, game: str) -> None:
    async with evening(database) as table:
        evaluator, spec = Estimator(GAMES[game]), spec_of(game)
        for puzzle in Random(5).sample(list(select(game).values()), 3):
            attempt = await begin(table, puzzle)
            answered = await table.service.answer(attempt.id, ADA, 0, puzzle.best)
            if not spec.play.counts_discs and spec.teach.puzzle_depth is None:
                assert answered.judged.kept.moves in (None, puzzle.depth - 1)
            while not answered.attempt.is_over:
                attempt = answered.attempt
                assert attempt.state.to_move is attempt.player
                best = evaluator.evaluate(attempt.state, Limit(seconds=10)).best
                assert best is not None
                answered = await table.service.answer(attempt.id, ADA, attempt.turn, best)
            assert answered.attempt.status is Status.SOLVED


@pytest.mark.parametrize("game", WITH_PUZZLES)
async def test_the_stored_solution_counts_on_a_machine_that_proves_nothing_in_time(
    database: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setattr("bot.services.puzzles.PROOF_SECONDS", 1e-6)
    async with evening(database) as table:
        for puzzle in list(select(game).values())[-2:]:
            attempt = await begin(table, puzzle)
            answered = await table.service.answer(attempt.id, ADA, 0, puzzle.best)
            assert answered.attempt.status is not Status.FAILED
            assert answered.judged.kept.result == 1
            failed = await table.answer(await begin(table, puzzle), right=False)
            _, state, found = await table.service.solution(failed.id, ADA)
            assert (state, found.best, found.score.result) == (puzzle.state, puzzle.best, 1)


async def test_a_side_without_a_legal_move_passes_automatically(database: Path) -> None:
    async with evening(database) as table:
        puzzle = next(
            puzzle
            for puzzle in select("othello").values()
            if puzzle.state.play(puzzle.best).legal_moves() == (64,)
        )
        attempt = await begin(table, puzzle)
        answered = await table.service.answer(attempt.id, ADA, 0, puzzle.best)
        assert answered.attempt.moves[:2] == (puzzle.best, 64)
        assert answered.attempt.is_over or answered.attempt.state.to_move is attempt.player
        (line, *_) = [
            said for said in answer_lines(english(), answered, (0, 0), icons("othello")) if "passes" in said
        ]
        assert "has no move and passes." in line


async def begin(table: Evening, puzzle: Puzzle) -> Attempt:
    attempt = Attempt(0, ADA.user_id, GUILD, PuzzleKind.FREE, Task.of(puzzle), True, NOW)
    return await table.attempts.add_attempt(attempt, ADA.name)


async def test_a_run_of_daily_puzzles_is_counted_in_days(database: Path) -> None:
    async with evening(database) as table:
        for _ in range(3):
            await table.answer(await table.service.daily(ADA, GUILD), right=True)
            table.clock.now += timedelta(days=1)
        assert (await table.service.standing(ADA.user_id)).days == 3
        table.clock.now += timedelta(days=1)
        assert (await table.service.standing(ADA.user_id)).days == 0


async def test_a_daily_puzzle_that_is_solved_on_a_later_day_does_not_extend_the_run(database: Path) -> None:
    async with evening(database) as table:
        table.clock.now = datetime.combine(NOW.date(), time(23, 59, 59, 999_999), UTC)
        in_time, late = await table.service.daily(ADA, GUILD), await table.service.daily(BEN, GUILD)
        await table.answer(in_time, right=True)
        table.clock.now += timedelta(microseconds=1)
        await table.answer(late, right=True)
        assert (await table.service.standing(ADA.user_id)).days == 1
        assert (await table.service.standing(BEN.user_id)).days == 0


async def test_an_answer_belongs_to_the_day_on_which_it_was_received(database: Path) -> None:
    async with evening(database) as table:
        days = (NOW + timedelta(days=number) for number in range(2, 1000))
        last = next(day for day in days if daily(day.date()).game == "tic-tac-toe")
        for before in (2, 1):
            table.clock.now = last - timedelta(days=before)
            await table.answer(await table.service.daily(ADA, GUILD), right=True)
        midnight = datetime.combine(last + timedelta(days=1), time(), UTC)
        table.clock.now = midnight + timedelta(seconds=0.2)
        pressed = replace(ADA, pressed_at=midnight - timedelta(seconds=0.4))
        attempt = await table.service.daily(pressed, GUILD)
        assert attempt.day == last.date(), "opened on the day of the press"
        while not attempt.is_over:
            state, best = attempt.state, daily(last.date()).best
            wins = [move for move in state.legal_moves() if state.play(move).outcome() is not None]
            move = wins[0] if wins else best
            attempt = (await table.service.answer(attempt.id, pressed, attempt.turn, move)).attempt
        assert attempt.status is Status.SOLVED
        assert (await table.service.standing(ADA.user_id)).days == 3


@pytest.mark.slow
async def test_a_servers_leaderboard_lists_the_people_who_answered_there(database: Path) -> None:
    async with evening(database) as table:
        await table.answer(await table.service.play(ADA, GUILD), right=True)
        await table.answer(await table.service.play(BEN, OTHER_GUILD), right=False)
        await settle(table.stores)
        here = await table.service.leaderboard(GUILD, 1, BEN.user_id)
        assert [(row.rank, row.name) for row in here.rows] == [(1, "Ada")]
        assert here.own is None
        unlisted = await table.service.leaderboard(None, 9, BEN.user_id)
        assert unlisted.rows == ()
        assert unlisted.own is not None
        for person in (ADA, BEN):
            await table.stores.preferences.save_preferences(person.user_id, Preferences(is_listed=True))
        everywhere = await table.service.leaderboard(None, 9, BEN.user_id)
        assert [(row.rank, row.name) for row in everywhere.rows] == [(1, "Ada"), (2, "Ben")]
        assert (everywhere.page, everywhere.pages) == (1, 1)
        assert everywhere.own == everywhere.rows[1]


# The puzzle of the day


def test_the_daily_puzzle_depends_on_the_date_alone_and_does_not_repeat_soon() -> None:
    first = date(2026, 11, 21)
    keys = [daily(first + timedelta(days=number)).key for number in range(600)]
    assert len(set(keys)) == 600
    assert keys[0] == daily(date(2026, 11, 21)).key


def test_a_week_begins_gently_and_ends_hard() -> None:
    monday = date(2026, 11, 23)
    assert [daily(monday + timedelta(days=day)).grade for day in range(7)] == [1, 2, 2, 3, 3, 4, 5]
