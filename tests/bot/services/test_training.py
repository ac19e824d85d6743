"""Positions of one's own games: which are kept, when each comes again, and whose they are."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.preferences import Preferences
from bot.domain.training import MAX_MISTAKES, Mistake, TrainingDay, blunders
from bot.services.settings import SettingsCache
from bot.services.training import Training
from bot.store.check import Checker
from bot.store.training import mistakes
from engine.analysis.review import Review, review
from engine.core import Player, states_of
from engine.games import game as game_of
from engine.games.notation import parse_moves
from engine.score import Evaluation, Score
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, both_move_twice, paired, sitting, terms_of

TODAY = date(2026, 5, 1)
GAME = "tic-tac-toe"

LOST = "a1b1a2b2c1b3"
"""Ada, who begins, plays c1 where a3 wins, and Ben wins at b3."""


def moves_of(text: str, game: str = GAME) -> tuple[int, ...]:
    return parse_moves(game_of(game), None, text)


def reviewed(text: str = LOST) -> Review:
    return review(game_of(GAME), None, moves_of(text), time.monotonic)


def mistake(**changes: object) -> Mistake:
    """Ada's fifth ply of the match above."""
    found = reviewed()
    (judged,) = blunders(found, [Player.FIRST])
    made = Mistake.of(ADA.user_id, None, GAME, game_of(GAME).boards[0], found, judged, TODAY)
    return replace(made, **changes)  # type: ignore[arg-type]


# As values


@pytest.mark.parametrize(
    ("answers", "days"),
    [
        ([True], 3),
        ([True, True], 3 + 7),
        ([True, True, True], 3 + 7 + 30),
        ([True, True, True, True], None),
        ([False], 1),
        ([True, False], 3 + 1),
        ([True, True, False, True], 3 + 7 + 1 + 3),
        ([True, True, True, False], 3 + 7 + 30 + 1),
        ([False, False, False], 3),
    ],
)
def test_a_position_comes_again_on_its_day(answers: Sequence[bool], days: int | None) -> None:
    one = mistake()
    for is_right in answers:
        assert one.due_on is not None
        one = one.answered(one.due_on, is_right=is_right)
    assert one.due_on == (None if days is None else TODAY + timedelta(days=days))


def test_three_right_answers_in_a_row_have_learnt_a_position_until_a_wrong_one() -> None:
    one, learnt = mistake(), []
    for is_right in (True, True, False, True, True, True, False):
        assert one.due_on is not None
        one = one.answered(one.due_on, is_right=is_right)
        learnt.append(one.is_learnt)
    assert learnt == [False, False, False, False, False, True, False]


def test_an_answer_before_its_day_is_practice() -> None:
    one = mistake().answered(TODAY, is_right=False)
    assert one.answered(TODAY, is_right=True) is one
    assert one.answered(TODAY + timedelta(days=1), is_right=True).rights == 1


def test_a_position_knows_the_better_move_and_what_it_keeps() -> None:
    one = mistake()
    names = [game_of(GAME).move_name(one.state, move) for move in (one.played, one.best)]
    assert names == ["c1", "a3"]
    assert (one.goal, one.player, len(one.line), one.due_on) == (1, Player.FIRST, 4, TODAY)


@pytest.mark.parametrize(
    ("name", "score", "is_right"),
    [("a3", Score.lost(0), True), ("c1", Score.won(1), False), ("b3", Score.drawn(), False)],
)
def test_a_proved_result_is_to_be_kept(name: str, score: Score, is_right: bool) -> None:
    one = mistake()
    judged = one.judge(game_of(GAME).parse_move(one.state, name), score)
    assert one.is_right(judged) is is_right


def test_on_a_busy_machine_the_known_moves_are_still_judged_and_others_refused() -> None:
    one, unknown = mistake(), Score()
    assert one.is_right(one.judge(one.best, unknown))
    assert not one.is_right(one.judge(one.played, unknown))
    other = game_of(GAME).parse_move(one.state, "b3")
    with pytest.raises(Refusal, match="puzzle_unproved"):
        one.judge(other, unknown)


@pytest.mark.parametrize(("mean", "is_right"), [(-0.55, True), (-0.3, False), (0.9, False)])
def test_beside_an_estimate_a_move_about_as_good_is_right(mean: float, is_right: bool) -> None:
    one = mistake(goal=None, worth=0.6)
    other = game_of(GAME).parse_move(one.state, "b3")
    assert one.is_right(one.judge(other, Score.likely(mean))) is is_right


def test_the_move_that_was_played_stays_wrong_whatever_is_estimated_now() -> None:
    one = mistake(goal=None, worth=0.6)
    assert not one.is_right(one.judge(one.played, Score.likely(-0.6)))


@pytest.mark.slow
def test_a_day_counts_what_waits_what_is_done_and_what_is_learnt() -> None:
    found = [
        mistake(id=1),
        mistake(id=2, due_on=TODAY - timedelta(days=2)),
        mistake(id=3, due_on=TODAY + timedelta(days=2), answered_on=TODAY),
        mistake(id=4, due_on=None, rights=4),
    ]
    day = TrainingDay.of(found, TODAY)
    assert [one.id for one in day.waiting] == [2, 1]
    assert (day.done, day.total, day.learnt, day.following) == (1, 3, 1, TODAY + timedelta(days=2))


# Stored


def training_of(table: Sitting, settings: SettingsCache | None = None) -> Training:
    settings = settings or SettingsCache(table.stores.preferences, {}, {})
    return Training(
        table.stores, table.services.reviews, table.services.allowed_help, settings, clock=table.clock
    )


async def played(table: Sitting, text: str = LOST, first: Person = ADA, second: Person = BEN) -> Match:
    """A casual match with these moves."""
    match = await paired(table, first.seat, second.seat, GAME, rated=False)
    for number, move in enumerate(moves_of(text)):
        match = await table.services.playing.play(match.id, (first, second)[number % 2], move)
    return match


@pytest.fixture
async def lost(table: Sitting) -> Match:
    """Ada's match, whose blunder is kept."""
    match = await played(table)
    assert await training_of(table).keep_match(match, ADA) == 1
    return match


async def the_one(table: Sitting, person: Person = ADA) -> Mistake:
    (found,) = await table.stores.mistakes.of_person(person.user_id)
    return found


async def test_a_blunder_is_kept_once_however_often_it_is_asked_for(table: Sitting, lost: Match) -> None:
    training = training_of(table)
    assert await asyncio.gather(*(training.keep_match(lost, ADA) for _ in range(2))) == [1, 1]
    assert replace(await the_one(table), id=0, match_id=None) == mistake()
    assert await training.keep_match(lost, BEN) == 1
    theirs = await the_one(table, BEN)
    assert (theirs.line, theirs.player) == (moves_of("a1"), Player.SECOND)


async def test_a_position_outlives_its_match_and_a_restart(file: Path) -> None:
    async with sitting(file) as table:
        match = await played(table)
        await training_of(table).keep_match(match, ADA)
        assert (await training_of(table).posed((await the_one(table)).id, ADA)).match == match
        await table.stores.privacy.erase(BEN.user_id)
    async with sitting(file) as table:
        one, training = await the_one(table), training_of(table)
        before, one = one, replace(one, match_id=match.id + 1, version=1)
        await table.stores.mistakes.save(before, one)
        assert (await training.posed(one.id, ADA)).match is None
        trained = await training.answer(one.id, ADA, one.version, one.best)
        assert trained.is_right
        assert trained.posed.mistake.due_on == TODAY + timedelta(days=3)


async def test_another_match_with_the_number_of_a_positions_match_is_not_its_own(
    table: Sitting, lost: Match
) -> None:
    """After a backup was restored numbers are given again."""
    other, one = await played(table, "b2a1a2"), await the_one(table)
    await table.stores.mistakes.save(one, replace(one, match_id=other.id, version=1))
    assert (await training_of(table).posed(one.id, ADA)).match is None


async def test_a_wrong_answer_comes_again_tomorrow_and_trying_again_changes_nothing(
    table: Sitting, lost: Match
) -> None:
    training, one = training_of(table), await the_one(table)
    wrong = await training.answer(one.id, ADA, 0, one.played)
    assert (wrong.is_right, wrong.posed.mistake.due_on) == (False, TODAY + timedelta(days=1))
    assert game_of(GAME).move_name(one.state.play(one.played), wrong.reply or 0) == "b3"
    again = await training.answer(one.id, ADA, wrong.posed.mistake.version, one.best)
    assert (again.is_right, again.posed) == (True, wrong.posed)
    assert await training.next(ADA) is None
    table.clock.advance(days=1)
    found = await training.next(ADA)
    assert found is not None
    assert found.mistake == wrong.posed.mistake


async def test_of_two_presses_at_once_one_counts(table: Sitting, lost: Match) -> None:
    training, one = training_of(table), await the_one(table)
    pressed = [training.answer(one.id, ADA, 0, move) for move in (one.best, one.played)]
    results = await asyncio.gather(*pressed, return_exceptions=True)
    (refused,) = (result for result in results if isinstance(result, Refusal))
    assert refused.key == "mistake_moved_on"
    assert (await the_one(table)).version == 1


async def test_a_better_move_that_was_shown_counts_as_not_found(table: Sitting, lost: Match) -> None:
    training, one = training_of(table), await the_one(table)
    both = await asyncio.gather(*(training.give_up(one.id, ADA) for _ in range(2)))
    after = both[0].mistake
    assert after == both[1].mistake == await the_one(table)
    assert (after.due_on, after.rights) == (TODAY + timedelta(days=1), 0)


async def test_another_persons_position_is_as_unknown_as_one_that_does_not_exist(
    table: Sitting, lost: Match
) -> None:
    training, one = training_of(table), await the_one(table)
    for press in (training.answer(one.id, BEN, 0, one.best), training.give_up(one.id, BEN)):
        with pytest.raises(NotFound, match="mistake_gone"):
            await press
    assert (await the_one(table)).version == 0
    assert await training.next(BEN) is None


async def test_nothing_is_kept_of_a_match_that_one_only_watched(table: Sitting, lost: Match) -> None:
    with pytest.raises(MatchError, match="not_your_match"):
        await training_of(table).keep_match(lost, EVE)
    assert await table.stores.mistakes.of_person(EVE.user_id) == []


async def test_a_rated_match_against_a_bot_bars_its_game_alone(table: Sitting, lost: Match) -> None:
    training, one = training_of(table), await the_one(table)
    other = replace(one, game="othello", board="8x8", line=moves_of("f5", "othello"), played=18, best=20)
    await table.stores.mistakes.add(ADA.user_id, [other])
    await table.services.starting.start(ADA, terms_of(GAME), "pip", HERE)
    barred = (training.keep_match(lost, ADA), training.answer(one.id, ADA, 0, one.best))
    for press in (*barred, training.give_up(one.id, ADA)):
        with pytest.raises(MatchError, match="help_barred"):
            await press
    found = await training.next(ADA)
    assert found is not None
    assert found.mistake.game == "othello"
    await training.give_up(found.mistake.id, ADA)
    with pytest.raises(MatchError, match="help_barred"):
        await training.next(ADA)


async def test_the_last_matches_of_a_barred_game_keep_no_other_game_from_training(table: Sitting) -> None:
    starting, playing, training = table.services.starting, table.services.playing, training_of(table)
    await played(table)
    over = await starting.start(ADA, terms_of("connect-four", rated=False), "pip", HERE)
    await playing.resign((await both_move_twice(table, over)).id, ADA)
    await starting.start(ADA, terms_of("connect-four"), "pip", HERE)
    await training.look_through(ADA)
    assert (await the_one(table)).game == GAME
    await training.give_up((await the_one(table)).id, ADA)
    with pytest.raises(MatchError, match="help_barred"):
        await training.look_through(ADA)


async def test_blunders_of_the_last_matches_are_found_without_a_review(table: Sitting) -> None:
    await played(table)
    await played(table, "a1b1a2b2a3", BEN, ADA)
    training = training_of(table)
    await training.look_through(ADA)
    day = await training.day(ADA)
    assert len(day.waiting) == len(await table.stores.mistakes.of_person(ADA.user_id)) > 0


def many(count: int, **changes: object) -> list[Mistake]:
    """Different positions, as of other games: only their keys matter."""
    return [mistake_number(number, **changes) for number in range(count)]


ONE = mistake()


def mistake_number(number: int, **changes: object) -> Mistake:
    return replace(ONE, line=(number,), **changes)  # type: ignore[arg-type]


async def test_at_the_limit_the_oldest_learnt_positions_make_room(table: Sitting) -> None:
    store = table.stores.mistakes
    learnt = [
        mistake_number(number, rights=3, answered_on=TODAY - timedelta(days=number), due_on=None)
        for number in range(3)
    ]
    await store.add(ADA.user_id, [*learnt, *many(MAX_MISTAKES + 3)[6:]])
    assert len(await store.of_person(ADA.user_id)) == MAX_MISTAKES
    fresh = [mistake_number(number) for number in (900, 901)]
    assert await store.add(ADA.user_id, fresh) == 0
    lines = {one.line for one in await store.of_person(ADA.user_id)}
    assert len(lines) == MAX_MISTAKES
    assert (0,) in lines, "the one that was learnt last"
    assert {(900,), (901,)} <= lines
    assert not {(1,), (2,)} & lines


async def test_a_full_list_of_positions_to_learn_takes_no_more_and_says_so(table: Sitting) -> None:
    await table.stores.mistakes.add(ADA.user_id, many(MAX_MISTAKES))
    match = await played(table)
    with pytest.raises(Refusal, match="mistakes_full"):
        await training_of(table).keep_match(match, ADA)
    assert len(await table.stores.mistakes.of_person(ADA.user_id)) == MAX_MISTAKES


@pytest.mark.parametrize("line", ["0 0 0", "x"])
async def test_a_damaged_position_stops_no_training_of_the_others(
    table: Sitting, lost: Match, line: str
) -> None:
    sound = await the_one(table)
    await table.stores.mistakes.add(ADA.user_id, [mistake_number(7)])
    async with table.stores.database.writing() as connection:
        is_newer = mistakes.c.id != sound.id
        await connection.execute(sa.update(mistakes).where(is_newer).values(line=line))
    training = training_of(table)
    found = await training.next(ADA)
    assert found is not None
    assert found.mistake == sound
    assert (await training.day(ADA)).waiting == (sound,)
    assert await training.keep_match(lost, ADA) == 1
    with pytest.raises(NotFound, match="mistake_gone"):
        await training.posed(sound.id + 1, ADA)
    problem = (await Checker(table.stores.database).check()).problems
    assert len(problem) == 1
    assert problem[0].startswith(f"mistake {sound.id + 1}: ")


# Reminders


async def test_a_person_is_reminded_once_a_day_where_something_waits(table: Sitting, lost: Match) -> None:
    settings = SettingsCache(table.stores.preferences, {}, {})
    training = training_of(table, settings)
    assert await training.to_remind(BEN) == 0
    assert settings.person(BEN.user_id) == Preferences()
    assert sorted(await asyncio.gather(*(training.to_remind(ADA) for _ in range(2)))) == [0, 1]
    table.clock.advance(days=1)
    settings = await SettingsCache.load(table.stores.preferences)
    training = training_of(table, settings)
    assert await training.to_remind(ADA) == 1
    await settings.be_quiet(ADA.user_id, date.max)
    table.clock.advance(days=400)
    assert await training_of(table, await SettingsCache.load(table.stores.preferences)).to_remind(ADA) == 0


async def test_deleting_ones_data_removes_positions(table: Sitting, lost: Match) -> None:
    await table.stores.privacy.erase(ADA.user_id)
    assert await table.stores.mistakes.of_person(ADA.user_id) == []


# Estimates


@pytest.mark.parametrize(("ply", "kept"), [(4, 1), (0, 0)])
async def test_an_estimated_loss_is_kept_only_if_a_longer_search_confirms_it(
    table: Sitting, ply: int, kept: int
) -> None:
    moves = moves_of(LOST)
    states = states_of(game_of(GAME).start(), moves)
    found = [
        Evaluation(Score.likely(0.9), state.legal_moves()[1:2]) if number in (ply, ply + 1) else None
        for number, state in enumerate(states)
    ]
    guessed = Review.of(states, moves, found)
    assert [one.ply for one in blunders(guessed, [Player.FIRST])] == [ply]
    assert await training_of(table).keep(ADA, GAME, "3x3", guessed, [Player.FIRST]) == kept
