"""Matches with agents, the pie rule, places of matches, and what a match keeps beside its moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bot.domain.asker import Asker
from bot.domain.clock import MAX_PRESS_DELAY, Clock
from bot.domain.errors import MatchError
from bot.domain.location import Channel, Web
from bot.domain.match import ABANDONED_AFTER, BOARD_GONE_FOR, Forfeits, Match, Pace, RatingChange, TimedMove
from bot.domain.names import clean
from bot.domain.offers import Offers
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair, is_rated_on
from engine.core import Player
from engine.games import game
from tests.bot.domain.test_match import ADA, BEN, EVE, NOW, PEOPLE, PLACE

LATER = NOW + timedelta(seconds=9)
AGENTS = (Seat("Pip", level="pip"), Seat("Una", level="una"))


def begun(
    seats: tuple[Seat, Seat] = PEOPLE,
    *,
    fair: Fair = Fair.USUAL,
    rated: bool = False,
    clock_seconds: int | None = None,
    begun_by: int | None = None,
) -> Match:
    return Match.begin(
        "connect-four", "6x7x4", seats, PLACE, NOW,
        fair=fair, rated=rated, clock_seconds=clock_seconds, begun_by=begun_by,
    )  # fmt: skip


def refusal(change: Callable[[], object]) -> str:
    with pytest.raises(MatchError) as caught:
        change()
    return caught.value.key


# Boards and fields


@pytest.mark.parametrize(
    ("key", "board", "has_agent", "is_rated"),
    [
        ("hex", "11x11", True, True),
        ("hex", "7x7", True, False),
        ("hex", "7x7", False, True),
        ("connect-four", "6x7x3", True, False),
        ("connect-four", "6x7x3", False, False),
        ("connect-four", "6x7x4", False, True),
    ],
)
def test_levels_are_rated_on_their_own_board_and_people_on_a_few_more(
    key: str, board: str, has_agent: bool, is_rated: bool
) -> None:
    assert is_rated_on(key, board, has_agent=has_agent) is is_rated


def test_ways_to_begin_are_stored_by_these_words() -> None:
    assert list(Fair) == ["usual", "pie", "balanced"]


def test_a_match_keeps_how_it_was_begun() -> None:
    plain = begun()
    assert (plain.is_local, plain.is_coached, plain.pace, plain.begun_by) == (False, False, Pace.NORMAL, None)
    match = Match.begin(
        "connect-four", "6x7x4", AGENTS, PLACE, NOW, is_coached=True, pace=Pace.QUICK, begun_by=EVE
    )
    assert (match.is_coached, match.pace, match.begun_by) == (True, Pace.QUICK, EVE)


def test_places_speak_english_unless_told_otherwise() -> None:
    assert Channel(10) == Channel(10, None, None, "en-US", None)
    web = Web()
    assert web.locale == "en-US"
    assert (web.channel_id, web.guild_id, web.message_id, web.parent_id) == (None, None, None, None)


def test_what_is_not_stored_with_a_match_makes_no_difference() -> None:
    seat = Seat("Ada", ADA, account="ada99")
    move = TimedMove(3, 1.0, NOW, "too slow")
    match = begun((seat, PEOPLE[1]))
    counted = replace(match, rating_changes=(RatingChange(1, 2, 3), RatingChange(1, 2, 3)))
    assert seat == Seat("Ada", ADA)
    assert move == TimedMove(3, 1.0, NOW)
    assert match == counted
    assert match.rating_changes == ()
    for text in (repr(seat), repr(move), repr(counted)):
        assert not any(name in text for name in ("ada99", "too slow", "RatingChange"))


def test_people_are_called_by_their_names_of_today() -> None:
    match = begun((Seat("Ada", ADA), Seat("Pip", level="pip")))
    called = match.called({ADA: clean("Countess"), EVE: clean("Eve")})
    assert called.seats == (Seat("Countess", ADA), Seat("Pip", level="pip"))
    assert match.called({}).seats == match.seats


# Agents


def test_an_agent_has_failed_at_nothing_yet() -> None:
    assert TimedMove(3, 1.0, NOW).forfeit == ""
    assert Forfeits().reason == ""


def test_moves_that_an_agent_did_not_make_are_noted() -> None:
    match = begun(AGENTS).play_agent(3, LATER, turn=0, seconds=0.12345678, forfeit="x" * 300)
    assert match.timed_moves == (TimedMove(3, 0.123457, LATER),)
    assert match.timed_moves[0].forfeit == "x" * 300
    assert match.forfeits == (Forfeits(1, "x" * 200), Forfeits())
    after = match.play_agent(3, LATER, turn=1, seconds=0.1)
    assert after.timed_moves[1].forfeit == ""
    assert after.forfeits is match.forfeits


def test_a_match_of_agents_is_watched_at_a_pace_until_its_starter_stops_it() -> None:
    match = begun(AGENTS, begun_by=EVE)
    assert match.is_watched
    assert not begun((PEOPLE[0], AGENTS[1])).is_watched

    quick = match.paced(Pace.QUICK, LATER)
    assert (quick.pace, quick.touched_at, quick.version) == (Pace.QUICK, LATER, 1)
    stopped = match.stop(EVE, LATER)
    assert (stopped.result, stopped.touched_at) == (Result(None, End.STOPPED), LATER)

    assert refusal(lambda: match.stop(ADA, LATER)) == "not_yours_to_stop"
    own = begun(PEOPLE, begun_by=ADA)
    assert refusal(lambda: own.stop(ADA, LATER)) == "not_yours_to_stop"
    assert refusal(lambda: own.paced(Pace.SLOW, LATER)) == "not_watched"


def test_an_agent_waits_for_a_rated_match() -> None:
    match = begun((AGENTS[0], PEOPLE[0]))
    assert match.lets_agent_move
    waiting = match.wait_for(77, LATER, turn=0)
    assert (waiting.waits_for, waiting.touched_at, waiting.version) == (77, LATER, 1)
    assert waiting.awaits_agent
    assert not waiting.lets_agent_move
    assert waiting.wait_for(None, LATER, turn=0).lets_agent_move
    assert not begun().lets_agent_move

    assert refusal(lambda: match.wait_for(77, LATER, turn=1)) == "stale"
    assert refusal(lambda: begun().wait_for(77, LATER, turn=0)) == "stale"


def test_a_person_who_keeps_an_agent_waiting_for_a_week_loses() -> None:
    match = begun((AGENTS[0], PEOPLE[0]), rated=True)
    for column in (0, 1, 0, 1):
        match = (
            match.play_agent(column, NOW, turn=match.turn, seconds=0.1)
            if match.seat_to_move.is_agent
            else match.play(ADA, column, NOW)
        )
    waiting = match.wait_for(77, NOW, turn=match.turn)
    after_a_week = waiting.expire(NOW + ABANDONED_AFTER + MAX_PRESS_DELAY)
    assert after_a_week is not None
    assert after_a_week.result == Result(Player.FIRST, End.TIME)
    left = match.expire(NOW + ABANDONED_AFTER + MAX_PRESS_DELAY)
    assert left is not None
    assert left.result == Result(None, End.ABANDONED), "agents lose nothing by waiting"


def test_a_casual_match_becomes_rated_with_a_clock_and_without_a_coach() -> None:
    match = replace(begun((PEOPLE[0], AGENTS[0])), is_coached=True)
    rated = match.make_rated(ADA, 300, LATER)
    assert (rated.rated, rated.clock_seconds, rated.is_coached, rated.touched_at) == (True, 300, False, LATER)
    assert refusal(lambda: rated.make_rated(ADA, 300, LATER)) == "rated_already"
    assert refusal(lambda: begun().make_rated(ADA, 300, LATER)) == "too_late_for_rated"
    opened = Match.begin("connect-four", "6x7x4", match.seats, PLACE, NOW, rated=False, opening=(3, 3))
    assert refusal(lambda: opened.make_rated(ADA, 300, LATER)) == "too_late_for_rated"


# The pie rule


def pie(seats: tuple[Seat, Seat] = PEOPLE, *, clock_seconds: int | None = None) -> Match:
    match = begun(seats, fair=Fair.PIE, clock_seconds=clock_seconds)
    if match.seat_to_move.is_agent:
        return match.play_agent(3, NOW, turn=0, seconds=0.1, forfeit="broken")
    return match.play(ADA, 3, NOW)


def test_the_first_move_is_taken_over() -> None:
    match = replace(pie(), draws=Offers(Player.FIRST), undos=Offers(Player.FIRST))
    swapped = match.swap(BEN, LATER, turn=1)
    assert swapped.seats == (PEOPLE[1], PEOPLE[0])
    assert (swapped.moves, swapped.opening, swapped.is_swapped) == ((3,), 1, True)
    assert (swapped.turn, swapped.version) == (2, match.version + 1)
    assert swapped.turn_started_at == swapped.touched_at == LATER
    assert (swapped.draw_offer, swapped.undo_request) == (None, None)
    assert swapped.forfeits == match.forfeits
    assert not swapped.can_swap


def test_an_offer_stays_with_the_person_that_swaps() -> None:
    swapped = pie().offer_draw(BEN, NOW).swap(BEN, LATER, turn=1)
    assert swapped.draws == Offers(Player.FIRST, (1, None))
    assert swapped.answer_draw(ADA, True, LATER).is_over


def test_failed_moves_stay_with_the_agent_that_swaps() -> None:
    match = pie(AGENTS)
    swapped = match.swap_agent(LATER, turn=1)
    assert swapped.seats == (AGENTS[1], AGENTS[0])
    assert swapped.forfeits == (Forfeits(), Forfeits(1, "broken"))
    assert swapped.touched_at == LATER
    assert refusal(lambda: match.swap_agent(LATER, turn=0)) == "stale"
    assert refusal(lambda: pie().swap_agent(LATER, turn=1)) == "stale"


def test_a_match_is_swapped_only_by_the_pie_rule() -> None:
    assert not pie().is_swapped
    balanced = Match.begin("connect-four", "6x7x4", PEOPLE, PLACE, NOW, opening=(3, 3), fair=Fair.BALANCED)
    assert not balanced.is_swapped
    two = Match.begin("connect-four", "6x7x4", PEOPLE, PLACE, NOW, opening=(3, 3), fair=Fair.PIE)
    assert two.is_swapped


def test_there_is_one_moment_to_swap() -> None:
    match = pie()
    assert match.can_swap
    assert not begun(fair=Fair.PIE).can_swap, "nothing to take over"
    assert not begun().play(ADA, 3, NOW).can_swap, "without the pie rule"
    assert not match.play(BEN, 3, NOW).can_swap
    answered = match.play(BEN, 3, NOW).play(ADA, 3, NOW)
    assert not answered.can_swap
    assert not match.resign(ADA, NOW).can_swap
    assert refusal(lambda: answered.swap(BEN, NOW)) == "no_swap"
    assert refusal(lambda: match.swap(BEN, NOW, turn=0)) == "stale"
    assert refusal(lambda: match.swap(ADA, NOW)) == "not_your_turn"
    late = NOW + timedelta(days=1)
    assert refusal(lambda: pie(clock_seconds=300).swap(BEN, late)) == "time_is_up"


# Places


def test_a_rematch_has_the_place_but_not_the_message() -> None:
    assert begun().location_of_rematch() == replace(PLACE, message_id=None)
    web = replace(begun(), location=Web("de"))
    assert web.location_of_rematch() == Web("de")


def test_a_match_on_the_web_has_no_channel() -> None:
    assert begun().channel == PLACE
    with pytest.raises(ValueError, match="match 0 is in no channel"):
        _ = replace(begun(), location=Web()).channel


def test_searches_are_those_of_a_person_in_a_server() -> None:
    assert begun(AGENTS, begun_by=EVE).asker == Asker(20, EVE)
    assert begun((AGENTS[0], PEOPLE[1])).asker == Asker(20, BEN)
    assert begun(AGENTS).asker == Asker(20, None)
    in_private = replace(begun(), location=Channel(10))
    assert in_private.asker == Asker(10, ADA)
    assert replace(begun(), location=Web()).asker == Asker(("web", ADA), ADA)


def test_a_clock_stands_once_when_the_channel_is_gone() -> None:
    gone = begun().without_channel(LATER)
    assert gone.location == replace(PLACE, message_id=None)
    assert (gone.stands_since, gone.version) == (LATER, 1)
    assert refusal(lambda: gone.without_channel(LATER)) == "stale"


def without_board(match: Match, at: datetime) -> Match:
    return match.without_board(match.location.message_id or 0, at)


def test_a_clock_stands_for_a_day_once_when_the_board_is_gone() -> None:
    match = replace(begun(clock_seconds=300), location=replace(PLACE, message_id=7))
    assert refusal(lambda: match.without_board(8, LATER)) == "stale"
    gone = without_board(match, LATER)
    assert refusal(lambda: without_board(gone, LATER)) == "stale"
    assert gone.deadline == NOW + timedelta(seconds=300) + BOARD_GONE_FOR
    an_hour = timedelta(hours=1)
    played = gone.play(ADA, 3, LATER + an_hour)
    assert played.timed_moves[-1].seconds == 9
    back = gone.moved_to(replace(PLACE, message_id=8), LATER + an_hour)
    assert back.deadline == NOW + timedelta(seconds=300) + an_hour
    again = without_board(back, LATER + 2 * an_hour)
    assert (again.has_lost_board, again.deadline) == (True, back.deadline)
    late = gone.play(ADA, 3, LATER + BOARD_GONE_FOR + timedelta(seconds=5))
    assert late.timed_moves[-1].seconds == 14


def test_without_its_board_a_match_that_bars_help_is_lost_in_time_and_others_are_abandoned_later() -> None:
    place = replace(PLACE, message_id=7)
    barring = replace(begun(clock_seconds=300, rated=True), location=place, bars_help=True)
    assert without_board(barring, LATER).deadline == barring.deadline
    free = without_board(replace(begun(), location=place), LATER)
    assert free.ends_at == NOW + ABANDONED_AFTER + BOARD_GONE_FOR
    lost = free.without_channel(LATER + timedelta(hours=1))
    assert (lost.has_lost_channel, lost.turn_started_at) == (True, NOW + timedelta(hours=1))


def test_two_bots_stop_with_their_board_except_in_a_tournament() -> None:
    place = replace(PLACE, message_id=7)
    watched = replace(begun(AGENTS, begun_by=EVE), location=place)
    assert without_board(watched, LATER).result == Result(None, End.STOPPED)
    assert refusal(lambda: without_board(replace(watched, begun_by=None), LATER)) == "stale"


def test_a_moderator_ends_only_matches_of_their_channel_that_they_do_not_play() -> None:
    ended = begun(rated=True).moderate(EVE, PLACE.channel_id, LATER)
    assert (ended.result, ended.counts) == (Result(None, End.MODERATED), False)
    assert refusal(lambda: begun().moderate(ADA, PLACE.channel_id, LATER)) == "moderate_own"
    assert refusal(lambda: begun().moderate(EVE, PLACE.channel_id + 1, LATER)) == "moderate_elsewhere"
    on_the_web = replace(begun(), location=Web())
    assert refusal(lambda: on_the_web.moderate(EVE, None, LATER)) == "moderate_elsewhere"
    assert refusal(lambda: ended.moderate(EVE, PLACE.channel_id, LATER)) == "match_over"


# Clocks


def test_the_last_half_second_of_a_clock_is_granted() -> None:
    match = begun(clock_seconds=Clock(180, 0).number).play(ADA, 3, NOW + timedelta(seconds=179.5))
    match = match.play(BEN, 3, match.touched_at)
    assert match.deadline == match.turn_started_at + timedelta(seconds=0.5)
    assert match.warning_at is None, "too little is left"


def test_without_a_clock_there_is_no_time_left() -> None:
    assert begun().clock is None
    with pytest.raises(ValueError, match=r"^a match without a clock$"):
        begun().time_left(Player.FIRST)


def test_an_illegal_move_is_named() -> None:
    match = Match.begin("gomoku", "15x15", PEOPLE, PLACE, NOW).play(ADA, 112, NOW)
    with pytest.raises(MatchError) as caught:
        match.play(BEN, 112, NOW)
    assert caught.value.key == "illegal_occupied"
    assert caught.value.params["move"] == game("gomoku").move_name(match.state, 112) == "h8"
