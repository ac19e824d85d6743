"""Transitions of a match: their checks, the order of the checks, and their results."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from inspect import signature
from types import FrameType
from typing import Any

import pytest

from bot.domain.clock import MAX_PRESS_DELAY, Clock
from bot.domain.errors import MatchError
from bot.domain.location import Channel
from bot.domain.match import ABANDONED_AFTER, CoachChoice, Forfeits, Held, Match, Pace, TimedMove
from bot.domain.offers import Offers
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from engine.core import Player, states_of
from engine.games import game as game_of
from engine.games.connect_four.rules import ConnectFourState

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ADA, BEN, EVE = 1, 2, 3
ALL_COLUMNS = "1, 2, 3, 4, 5, 6, 7"
PLACE = Channel(channel_id=10, guild_id=20, message_id=30)
PEOPLE = (Seat("Ada", ADA), Seat("Ben", BEN))
AGAINST_AGENT = (Seat("Ada", ADA), Seat("Pip", level="pip"))


def people(*, rated: bool = False, clock_seconds: int | None = None, game: str = "connect-four") -> Match:
    board = {"connect-four": "6x7x4", "othello": "6x6"}[game]
    return Match.begin(game, board, PEOPLE, PLACE, NOW, rated=rated, clock_seconds=clock_seconds)


def against_agent(*, rated: bool = False) -> Match:
    return Match.begin("connect-four", "6x7x4", AGAINST_AGENT, PLACE, NOW, rated=rated)


def played(match: Match, moves: str) -> Match:
    """The match after the 1-based columns in `moves`, each side moving in turn."""
    for name in moves:
        seat = match.seat_to_move
        move = int(name) - 1
        match = (
            match.play_agent(move, NOW, turn=match.turn, seconds=0.5)
            if seat.user_id is None
            else match.play(seat.user_id, move, NOW, turn=match.turn)
        )
    return match


def refusal(match: Match, user: int, move: int, **claim: Any) -> str:
    with pytest.raises(MatchError) as caught:
        match.play(user, move, NOW, **claim)
    return caught.value.key


def test_an_agent_resigns_for_itself_alone_and_in_its_own_turn() -> None:
    match = against_agent()
    with pytest.raises(MatchError):
        match.resign_agent(NOW, turn=match.turn)
    thinking = match.play(ADA, 3, NOW)
    with pytest.raises(MatchError):
        thinking.resign_agent(NOW, turn=match.turn)
    over = thinking.resign_agent(NOW, turn=thinking.turn)
    assert over.result == Result(Player.FIRST, End.RESIGNATION)
    assert over.moves == (3,)


def test_a_seat_holds_either_a_user_or_an_agent() -> None:
    wrongs: tuple[dict[str, Any], ...] = ({}, {"user_id": 1, "level": "pip"})
    for wrong in wrongs:
        with pytest.raises(ValueError):
            Seat("nobody", **wrong)


def test_a_move_is_recorded_and_the_other_side_is_to_move() -> None:
    later = NOW + timedelta(seconds=7)

    match = people().play(ADA, 3, later, turn=0)

    assert match.moves == (3,)
    assert match.timed_moves[0].seconds == 7
    assert (match.turn, match.version) == (1, 1)
    assert match.to_move is Player.SECOND
    assert match.turn_started_at == match.touched_at == later


def test_a_press_is_checked_in_the_order_seat_over_stale_turn_legal() -> None:
    match = played(people(), "1")
    over = match.resign(ADA, NOW)

    assert refusal(over, EVE, 0, turn=0) == "not_your_match"
    assert refusal(over, BEN, 0, turn=0) == "match_over"
    assert refusal(match, ADA, 99, turn=0) == "stale"
    assert refusal(match, ADA, 99, turn=1) == "not_your_turn"
    assert refusal(match, BEN, 99, turn=1) == "illegal_no_such_column"


def test_a_full_column_is_refused() -> None:
    assert refusal(played(people(), "111111"), ADA, 0) == "illegal_column_full"


def test_four_in_a_row_ends_the_match() -> None:
    match = played(people(), "1212121")

    assert match.result == Result(Player.FIRST, End.LINE)
    assert match.due_at is None


def test_an_agents_answer_to_an_older_turn_is_stale() -> None:
    match = played(against_agent(), "1")

    with pytest.raises(MatchError, match=r"^stale\b"):
        match.play_agent(0, NOW, turn=0, seconds=0)


def test_an_agent_cannot_move_for_a_person() -> None:
    with pytest.raises(MatchError, match=r"^not_your_turn\b"):
        against_agent().play_agent(0, NOW, turn=0, seconds=0)


def test_the_one_who_resigns_loses() -> None:
    assert people().resign(BEN, NOW).result == Result(Player.FIRST, End.RESIGNATION)


def test_a_draw_offer_is_accepted_by_the_other_side_only() -> None:
    offered = people().offer_draw(ADA, NOW)

    with pytest.raises(MatchError, match=r"^own_draw_offer\b"):
        offered.answer_draw(ADA, True, NOW)
    with pytest.raises(MatchError, match=r"^draw_already_offered\b"):
        offered.offer_draw(ADA, NOW)
    assert offered.answer_draw(BEN, True, NOW).result == Result(None, End.AGREEMENT)
    assert offered.offer_draw(BEN, NOW).result == Result(None, End.AGREEMENT)
    assert offered.answer_draw(BEN, False, NOW).draw_offer is None


def test_the_last_move_that_a_match_may_have_wins_or_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.domain.match.MAX_PLIES", 7)
    assert played(people(), "121212").result is None
    assert played(people(), "1212123").result == Result(None, End.TOO_LONG)
    assert played(people(), "1212121").result == Result(Player.FIRST, End.LINE)


def test_a_move_declines_the_other_sides_offer_and_leaves_ones_own() -> None:
    match = played(people(), "12").offer_draw(ADA, NOW)
    moved = match.play(ADA, 0, NOW)
    assert moved.draw_offer is Player.FIRST, "as over the board, where it comes with the move"
    assert moved.answer_draw(BEN, True, NOW).result == Result(None, End.AGREEMENT)
    assert moved.offer_draw(BEN, NOW).result == Result(None, End.AGREEMENT)
    assert moved.play(BEN, 0, NOW).draw_offer is None


def test_a_request_for_a_take_back_stands_while_its_side_moves_on() -> None:
    asked = played(people(), "12").ask_undo(ADA, NOW)
    moved = asked.play(ADA, 2, NOW)
    assert (moved.undo_request, moved.undo_ply) == (Player.FIRST, 0)
    assert moved.answer_undo(BEN, True, NOW).moves == (), "the move that it is about, and all after it"
    assert moved.play(BEN, 0, NOW).undo_request is None


def test_a_side_that_moves_several_times_asks_for_the_move_that_it_had_made() -> None:
    match = Match.begin("kalah", "6x4", PEOPLE, PLACE, NOW, rated=False).play(ADA, 2, NOW)
    assert match.to_move is Player.FIRST, "the last seed fell into her own store"
    moved = match.offer_draw(ADA, NOW).ask_undo(ADA, NOW).play(ADA, 0, NOW)
    assert (moved.draw_offer, moved.undo_request, moved.undo_ply) == (Player.FIRST, Player.FIRST, 0)
    assert moved.answer_undo(BEN, True, NOW).moves == ()


def test_the_position_that_ends_a_match_ends_its_offers() -> None:
    over = played(played(people(), "121212").offer_draw(ADA, NOW), "1")
    assert (over.result, over.draw_offer) == (Result(Player.FIRST, End.LINE), None)


@pytest.mark.parametrize("ask", [Match.offer_draw, Match.ask_undo])
def test_a_side_may_offer_once_in_five_of_its_moves(ask: Callable[..., Match]) -> None:
    refused = "draw_too_soon" if ask is Match.offer_draw else "undo_too_soon"
    match = ask(played(people(), "12"), ADA, NOW)
    decline = Match.answer_draw if ask is Match.offer_draw else Match.answer_undo
    match = decline(match, BEN, False, NOW)
    for left, moves in zip((5, 4, 3, 2, 1), ("36", "57", "36", "57", "1"), strict=True):
        with pytest.raises(MatchError) as caught:
            ask(match, ADA, NOW)
        assert (caught.value.key, caught.value.params) == (refused, {"n": left})
        assert ask(match, BEN, NOW).version == match.version + 1, "the other side has its own count"
        match = played(match, moves)
    assert ask(match, ADA, NOW).version == match.version + 1


def test_moves_that_are_taken_back_do_not_count_towards_the_next_offer() -> None:
    match = played(people(), "12").offer_draw(ADA, NOW).answer_draw(BEN, False, NOW)
    match = played(match, "34").ask_undo(ADA, NOW).answer_undo(BEN, True, NOW)
    for moves in (2, 0):
        assert len(match.moves) == moves
        with pytest.raises(MatchError) as caught:
            match.offer_draw(ADA, NOW)
        assert caught.value.params == {"n": 5}, "also where moves from before the offer go back"
        if moves:
            match = match.ask_undo(ADA, NOW).answer_undo(BEN, True, NOW)


def test_a_granted_take_back_may_be_asked_for_again_at_once() -> None:
    match = played(people(), "12").ask_undo(ADA, NOW).answer_undo(BEN, True, NOW)
    assert played(match, "12").ask_undo(ADA, NOW).undo_request is Player.FIRST


def test_an_offer_of_0_3_0_ends_with_the_next_move_of_either_side() -> None:
    offered = replace(played(people(), "12"), draws=Offers(Player.FIRST), undos=Offers(Player.FIRST))
    assert (offered.draw_turn, offered.undo_turn, offered.undo_ply) == (2, 2, 0)
    moved = played(offered, "3")
    assert (moved.draw_offer, moved.undo_request) == (None, None), (
        "it names no move, so it would mean this one"
    )
    moved = played(replace(offered, draws=Offers(Player.SECOND), undos=Offers(Player.SECOND)), "3")
    assert (moved.draw_offer, moved.undo_request) == (None, None)


def test_an_agent_declines_a_draw() -> None:
    with pytest.raises(MatchError, match=r"^agent_declines_draw\b"):
        against_agent().offer_draw(ADA, NOW)


def test_against_an_agent_undo_takes_its_answer_back_too() -> None:
    match = played(against_agent(), "4455").ask_undo(ADA, NOW)

    assert match.moves == (3, 3)
    assert match.to_move is Player.FIRST


def test_undo_while_the_agent_thinks_takes_one_move_back_and_makes_its_answer_stale() -> None:
    thinking = played(against_agent(), "445")

    match = thinking.ask_undo(ADA, NOW)

    assert match.moves == (3, 3)
    with pytest.raises(MatchError, match=r"^stale\b"):
        match.play_agent(0, NOW, turn=thinking.turn, seconds=0)


def test_between_people_undo_needs_the_others_consent() -> None:
    match = played(people(), "4455")
    asked = match.ask_undo(BEN, NOW)

    assert asked.moves == match.moves
    with pytest.raises(MatchError, match=r"^own_undo_request\b"):
        asked.answer_undo(BEN, True, NOW)
    assert asked.answer_undo(ADA, False, NOW).undo_request is None
    assert asked.answer_undo(ADA, True, NOW).moves == (3, 3, 4)
    assert match.ask_undo(ADA, NOW).answer_undo(BEN, True, NOW).moves == (3, 3)


def test_there_is_no_undo_in_a_rated_match() -> None:
    with pytest.raises(MatchError, match=r"^undo_in_rated\b"):
        played(against_agent(rated=True), "44").ask_undo(ADA, NOW)


def test_a_player_without_a_move_has_nothing_to_undo() -> None:
    with pytest.raises(MatchError, match=r"^nothing_to_undo\b"):
        played(people(), "4").ask_undo(BEN, NOW)


def test_a_press_on_a_board_from_before_an_undo_is_stale() -> None:
    before = played(against_agent(), "44")
    after = played(before.ask_undo(ADA, NOW), "44")

    assert len(after.moves) == len(before.moves)
    assert refusal(after, ADA, 0, turn=before.turn) == "stale"


def test_the_clock_warns_and_then_ends_the_match() -> None:
    match = people(clock_seconds=60)

    assert match.warning_at == NOW + timedelta(seconds=45)
    assert match.due_at == match.warning_at
    assert match.warn().due_at == match.deadline == NOW + timedelta(seconds=60)
    assert match.expire(NOW + timedelta(seconds=62)) is None, "a press made in time may be under way"
    lost = match.expire(NOW + timedelta(seconds=63))
    assert lost is not None
    assert lost.result == Result(Player.SECOND, End.TIME)


def test_a_move_after_the_deadline_is_refused() -> None:
    with pytest.raises(MatchError, match=r"^time_is_up\b"):
        people(clock_seconds=60).play(ADA, 0, NOW + timedelta(seconds=61))


def after(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_a_clock_of_a_whole_match_adds_the_increment_after_each_move() -> None:
    match = people(clock_seconds=Clock(180, 2).number)
    assert match.deadline == after(180)
    match = match.play(ADA, 0, after(30))
    assert (match.time_left(Player.FIRST), match.time_left(Player.SECOND)) == (152, 180)
    assert match.deadline == after(30 + 180)
    match = match.play(BEN, 0, after(50)).play(ADA, 1, after(200))
    assert (match.time_left(Player.FIRST), match.time_left(Player.SECOND)) == (4, 162)
    match = match.play(BEN, 1, after(201))
    assert match.deadline == after(205)
    assert match.expire(after(207)) is None
    lost = match.expire(after(208))
    assert lost is not None
    assert lost.result == Result(Player.SECOND, End.TIME)


def test_taking_a_move_back_gives_its_time_back() -> None:
    match = people(clock_seconds=Clock(180, 2).number).play(ADA, 0, after(30))
    match = match.ask_undo(ADA, after(31)).answer_undo(BEN, True, after(40))
    assert (match.time_left(Player.FIRST), match.deadline) == (180, after(220))


def test_the_moves_of_an_opening_neither_take_nor_give_time() -> None:
    match = Match.begin(
        "connect-four", "6x7x4", PEOPLE, PLACE, NOW, clock_seconds=Clock(60, 5).number, opening=(3, 3, 3)
    )
    assert (match.time_left(Player.FIRST), match.time_left(Player.SECOND)) == (60, 60)
    assert match.play(BEN, 0, after(10)).time_left(Player.SECOND) == 55


def three_stones(**options: Any) -> Match:
    """A match in which the first side has moved three times in a row: under swap2."""
    match = Match.begin("gomoku", "15x15-swap2", PEOPLE, PLACE, NOW, **options)
    for second, move in ((1, 100), (2, 101), (3, 102)):
        assert not match.can_swap
        match = match.play(ADA, move, after(10 * second))
    return match


def test_a_side_that_moves_again_uses_its_own_time() -> None:
    match = three_stones(clock_seconds=Clock(180, 2).number)
    assert match.movers == (Player.FIRST,) * 3
    assert (match.time_left(Player.FIRST), match.time_left(Player.SECOND)) == (156, 180)


def test_the_pie_rule_takes_over_all_moves_that_the_first_side_made_in_a_row() -> None:
    match = three_stones(fair=Fair.PIE, rated=False)
    assert match.can_swap
    swapped = match.swap(BEN, after(40))
    assert (swapped.opening, swapped.is_swapped) == (3, True)
    assert swapped.seat_to_move.user_id == ADA


def test_a_match_becomes_rated_before_its_person_has_moved_however_often_the_agent_has() -> None:
    match = Match.begin("gomoku", "15x15-swap2", AGAINST_AGENT[::-1], PLACE, NOW, rated=False)
    for move in (100, 101, 102):
        match = match.play_agent(move, NOW, turn=match.turn, seconds=0.5)
    assert match.make_rated(ADA, None, NOW).rated
    with pytest.raises(MatchError, match="too_late_for_rated"):
        match.play(ADA, 103, NOW).make_rated(ADA, None, NOW)


@pytest.mark.parametrize("number", [10, 30, Clock(50, 3).number])
def test_there_is_no_warning_with_less_than_a_minute_left(number: int) -> None:
    match = people(clock_seconds=number)
    assert match.warning_at is None
    assert match.due_at == match.deadline


def test_the_time_that_a_press_waits_is_not_the_players() -> None:
    match = people(clock_seconds=10)
    moved = match.play(ADA, 0, after(9)).stored(match, after(11))
    assert (moved.timed_moves[0].seconds, moved.timed_moves[0].at) == (9, after(9))
    assert moved.deadline == after(21), "the other side's time begins with our answer"
    with pytest.raises(MatchError, match="time_is_up"):
        match.play(ADA, 0, after(10))
    early = match.play(ADA, 0, after(-2))
    assert (early.timed_moves[0].seconds, early.timed_moves[0].at) == (0, NOW)


def test_a_match_that_a_late_press_ends_keeps_the_moment_of_the_press() -> None:
    match = played(people(rated=True), "121212")
    assert match.play(ADA, 0, after(9)).stored(match, after(11)).touched_at == after(9)
    assert match.resign(BEN, after(9)).stored(match, after(11)).touched_at == after(9)
    offered = match.offer_draw(ADA, after(10)).stored(match, after(11))
    assert (offered.touched_at, offered.turn_started_at) == (after(10), match.turn_started_at)
    assert offered.resign(BEN, after(9)).touched_at == after(10), "the moments of a match only grow"


ACTIONS: dict[str, Callable[[Match, datetime], Match]] = {
    "play": lambda match, now: match.play(ADA, 0, now),
    "swap": lambda match, now: match.swap(BEN, now),
    "make_rated": lambda match, now: match.make_rated(ADA, None, now),
    "stop": lambda match, now: match.stop(ADA, now),
    "moderate": lambda match, now: match.moderate(EVE, PLACE.channel_id, now),
    "resign": lambda match, now: match.resign(BEN, now),
    "offer_draw": lambda match, now: match.offer_draw(ADA, now),
    "answer_draw": lambda match, now: match.answer_draw(ADA, True, now),
    "ask_undo": lambda match, now: match.ask_undo(BEN, now),
    "answer_undo": lambda match, now: match.answer_undo(ADA, False, now),
    "answer_coach": lambda match, now: match.answer_coach(ADA, CoachChoice.ON, now),
    "paced": lambda match, now: match.paced(Pace.QUICK, now),
}
"""Every transition that a person makes, in a match of `ready_for`."""


def ready_for(action: str) -> Match:
    """A match in which that action is possible."""
    if action == "swap":
        return Match.begin(
            "connect-four", "6x7x4", PEOPLE, PLACE, NOW, clock_seconds=60, fair=Fair.PIE
        ).play(ADA, 0, NOW)  # fmt: skip
    if action == "make_rated":
        return replace(against_agent(), clock_seconds=60)
    if action == "answer_coach":
        held = Held(0, 3, None, 1, 0, 1, None, is_stopped=True)
        return replace(against_agent().play(ADA, 0, NOW), held=held)
    if action in ("stop", "paced"):
        agents = Seat("Pip", level="pip"), Seat("Bo", level="bo")
        return Match.begin("connect-four", "6x7x4", agents, PLACE, NOW, rated=False, begun_by=ADA)
    match = played(people(clock_seconds=60), "1234")
    return replace(match, draws=Offers(Player.SECOND if action == "answer_draw" else None),
                   undos=Offers(Player.SECOND if action == "answer_undo" else None))  # fmt: skip


def test_every_action_of_a_person_is_refused_from_the_deadline_on_and_not_before() -> None:
    taken = {
        name for name, function in vars(Match).items()
        if not name.startswith(("_", "check_", "play_agent", "swap_agent"))
        and callable(function)
        and {"now", "user_id"} & set(signature(function).parameters) == {"now", "user_id"}
    }  # fmt: skip
    assert taken | {"paced"} == set(ACTIONS)
    for name, act in ACTIONS.items():
        match = ready_for(name)
        assert act(match, match.ends_at - timedelta(microseconds=1)).version == match.version + 1
        for late in (timedelta(), MAX_PRESS_DELAY):
            with pytest.raises(MatchError, match=r"^time_is_up\b"):
                act(match, match.ends_at + late)


def test_agents_have_no_clock() -> None:
    match = Match.begin("connect-four", "6x7x4", AGAINST_AGENT, PLACE, NOW, clock_seconds=60)

    assert match.deadline is not None
    assert match.play(ADA, 0, NOW).deadline is None


def test_a_match_untouched_for_a_week_ends_without_result() -> None:
    ended = people().expire(NOW + ABANDONED_AFTER + MAX_PRESS_DELAY)

    assert ended is not None
    assert ended.result == Result(None, End.ABANDONED)
    assert not ended.result.counts


def test_undo_skips_forced_passes() -> None:
    """Ada's last choice lies behind a pass that was not hers to choose."""
    match = people(game="othello")
    # Random play until a player was forced to pass; seeded by the position itself, so always the same.
    passes = 36
    while not match.is_over and passes not in match.moves:
        legal = match.state.legal_moves()
        seat = match.seat_to_move
        assert seat.user_id is not None
        match = match.play(seat.user_id, legal[(match.turn * 7) % len(legal)], NOW)
    if match.is_over:
        pytest.fail("no pass came up: choose another way through the game")
    passed = match.seats[match.state.to_move.other]
    assert passed.user_id is not None

    undone = match.ask_undo(passed.user_id, NOW).answer_undo(match.seat_to_move.user_id or 0, True, NOW)

    assert undone.seat_to_move == passed
    assert len(undone.state.legal_moves()) > 1


@pytest.mark.parametrize(
    ("clock", "before_the_end"),
    [(60, 15), (300, 60), (304, 60), (3600, 720), (86_400, 17_280), (259_200, 21_600)],
)
def test_the_warning_comes_with_a_fifth_of_the_time_left_within_bounds(
    clock: int, before_the_end: int
) -> None:
    match = people(clock_seconds=clock)
    assert match.deadline == NOW + timedelta(seconds=clock)
    assert match.warning_at == match.deadline - timedelta(seconds=before_the_end)


def test_at_the_deadline_itself_the_time_is_up() -> None:
    match = people(clock_seconds=60)
    end = NOW + timedelta(seconds=60)
    moment = timedelta(microseconds=1)

    assert match.play(ADA, 0, end - moment).moves == (0,)
    assert match.expire(end + MAX_PRESS_DELAY - moment) is None
    with pytest.raises(MatchError, match=r"^time_is_up\b"):
        match.play(ADA, 0, end)
    assert match.expire(end + MAX_PRESS_DELAY) is not None


def test_who_plays_with_a_clock_is_never_forgotten_and_who_has_none_within_a_week() -> None:
    week = NOW + ABANDONED_AFTER
    moment = timedelta(microseconds=1)

    assert timedelta(days=7) == ABANDONED_AFTER
    assert people().due_at == week
    assert people().expire(week + MAX_PRESS_DELAY - moment) is None
    assert people(clock_seconds=60).play(ADA, 0, NOW).due_at == NOW + timedelta(seconds=45)
    waiting = Match.begin("connect-four", "6x7x4", AGAINST_AGENT[::-1], PLACE, NOW, clock_seconds=60)
    assert (waiting.deadline, waiting.warning_at, waiting.due_at) == (None, None, week)
    ended = people(clock_seconds=60).resign(ADA, NOW)
    assert (ended.deadline, ended.warning_at, ended.due_at) == (None, None, None)
    assert ended.expire(week) is None


def test_a_match_begins_at_its_start_with_the_moves_that_were_given() -> None:
    match = Match.begin(
        "connect-four", "6x7x4", PEOPLE, PLACE, NOW,
        rated=False, clock_seconds=300, rematch_of=7, opening=(3, 3),
    )  # fmt: skip

    assert (match.id, match.game, match.board) == (0, "connect-four", "6x7x4")
    assert (match.seats, match.location) == (PEOPLE, PLACE)
    assert match.created_at == match.turn_started_at == match.touched_at == NOW
    assert match.timed_moves == (TimedMove(3, 0.0, NOW), TimedMove(3, 0.0, NOW))
    assert (match.opening, match.turn, match.version) == (2, 0, 0)
    assert (match.rated, match.clock_seconds, match.rematch_of) == (False, 300, 7)
    assert match.state.ply == 2
    assert (match.draw_offer, match.undo_request, match.warned_turn, match.result) == (None,) * 4
    plain = Match.begin("connect-four", "6x7x4", PEOPLE, PLACE, NOW)
    assert (plain.rated, plain.clock_seconds, plain.rematch_of, plain.opening) == (True, None, None, 0)
    assert plain == replace(plain, states=played(plain, "1").states), "the states are derived from the moves"
    assert "state" not in repr(plain)
    assert plain == Match(0, "connect-four", "6x7x4", PEOPLE, PLACE, NOW, NOW, NOW, plain.states)


def test_a_move_plays_one_step_and_replays_none() -> None:
    match, steps = played(people(), "1212123"), []

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is ConnectFourState.play.__code__:
            steps.append(frame)

    sys.setprofile(note)
    try:
        moved = match.play(BEN, 6, NOW)
        taken_back = moved.ask_undo(ADA, NOW).answer_undo(BEN, True, NOW)
        assert (moved.last_choice(Player.FIRST), moved.is_short, len(moved.movers)) == (6, False, 8)
    finally:
        sys.setprofile(None)

    assert len(steps) == 1
    assert taken_back.moves == (0, 1, 0, 1, 0, 1)


@pytest.mark.parametrize("moves", ["", "1", "11223", "1212123"])
def test_a_match_has_the_state_before_each_move_and_the_last(moves: str) -> None:
    match = played(people(), moves)
    for one in (match, match.ask_undo(ADA, NOW).answer_undo(BEN, True, NOW) if moves else match):
        assert one.states == states_of(game_of("connect-four").start(one.board), one.moves)


def test_given_moves_are_not_taken_back() -> None:
    match = Match.begin("connect-four", "6x7x4", PEOPLE, PLACE, NOW, rated=False, opening=(3, 3, 2))
    with pytest.raises(MatchError, match=r"^nothing_to_undo\b"):
        match.ask_undo(ADA, NOW)
    after = match.play(BEN, 0, NOW).ask_undo(BEN, NOW).answer_undo(ADA, True, NOW)
    assert after.moves == (3, 3, 2)


def test_whose_turn_it_is_and_who_are_agents() -> None:
    match = against_agent()
    assert (match.seat_to_move, match.awaits_agent, match.has_agent) == (AGAINST_AGENT[0], False, True)
    after = match.play(ADA, 0, NOW)
    assert (after.seat_to_move, after.awaits_agent) == (AGAINST_AGENT[1], True)
    assert not after.resign(ADA, NOW).awaits_agent
    assert not people().has_agent
    assert not people().awaits_agent


def test_a_person_who_plays_both_sides_is_always_to_move() -> None:
    alone = Match.begin("connect-four", "6x7x4", (PEOPLE[0], PEOPLE[0]), PLACE, NOW, rated=False)
    assert alone.players_of(ADA) == (Player.FIRST, Player.SECOND)
    assert alone.play(ADA, 0, NOW).play(ADA, 1, NOW).moves == (0, 1)
    assert alone.play(ADA, 0, NOW).player_of(ADA) is Player.SECOND
    offered = alone.offer_draw(ADA, NOW)
    assert offered.answer_draw(ADA, True, NOW).result == Result(None, End.AGREEMENT)


def test_refusals_name_the_people_that_they_are_about() -> None:
    match, agents = people(), against_agent()
    found = defaultdict[str, list[object]](list)
    actions: tuple[Callable[[], object], ...] = (
        lambda: match.play(EVE, 0, NOW),
        lambda: match.play(BEN, 0, NOW),
        lambda: agents.offer_draw(ADA, NOW),
        lambda: agents.play_agent(0, NOW, turn=0, seconds=1.0),
        lambda: match.offer_draw(ADA, NOW).offer_draw(ADA, NOW),
        lambda: match.offer_draw(ADA, NOW).answer_draw(ADA, True, NOW),
        lambda: played(match, "1").ask_undo(ADA, NOW).ask_undo(ADA, NOW),
        lambda: played(match, "1").ask_undo(ADA, NOW).answer_undo(ADA, True, NOW),
        lambda: match.play(ADA, 99, NOW),
        lambda: match.play(ADA, -3, NOW),
        lambda: played(match, "111111").play(ADA, 0, NOW),
    )
    for action in actions:
        with pytest.raises(MatchError) as caught:
            action()
        found[caught.value.key].append(caught.value.params)
    assert found == {
        "not_your_match": [{"first": "Ada", "second": "Ben"}],
        "not_your_turn": [{"name": "Ada"}, {"name": "Ada"}],
        "agent_declines_draw": [{"name": "Pip"}],
        "draw_already_offered": [{"name": "Ben"}],
        "own_draw_offer": [{"name": "Ben"}],
        "undo_already_asked": [{"name": "Ben"}],
        "own_undo_request": [{"name": "Ben"}],
        "illegal_no_such_column": [
            {"move": "100", "why": "There is no column 100: the columns are 1 to 7.", "allowed": ALL_COLUMNS},
            {"move": "-3", "why": "There is no column -2: the columns are 1 to 7.", "allowed": ALL_COLUMNS},
        ],
        "illegal_column_full": [
            {
                "move": "1",
                "why": "Column 1 is full: choose one of 2, 3, 4, 5, 6, 7.",
                "allowed": "2, 3, 4, 5, 6, 7",
            }
        ],
    }


def test_nothing_more_happens_in_a_match_that_is_over() -> None:
    over = people().resign(ADA, NOW)
    waiting = played(against_agent(), "4").resign(ADA, NOW)
    actions: tuple[Callable[[], object], ...] = (
        lambda: over.resign(BEN, NOW),
        lambda: over.offer_draw(BEN, NOW),
        lambda: over.answer_draw(BEN, True, NOW),
        lambda: over.ask_undo(BEN, NOW),
        lambda: over.answer_undo(BEN, True, NOW),
        lambda: waiting.play_agent(0, NOW, turn=1, seconds=0.0),
    )
    for action in actions:
        with pytest.raises(MatchError, match=r"^match_over\b"):
            action()


def test_a_stranger_does_nothing() -> None:
    match = people()
    for action in (match.resign, match.offer_draw, match.ask_undo):
        with pytest.raises(MatchError, match=r"^not_your_match\b"):
            action(EVE, NOW)
    for answer in (match.answer_draw, match.answer_undo):
        with pytest.raises(MatchError, match=r"^not_your_match\b"):
            answer(EVE, True, NOW)


def test_there_must_be_something_to_answer() -> None:
    with pytest.raises(MatchError, match=r"^no_draw_offer\b"):
        people().answer_draw(BEN, True, NOW)
    with pytest.raises(MatchError, match=r"^no_undo_request\b"):
        people().answer_undo(BEN, True, NOW)


def test_a_clock_stands_while_the_match_has_no_channel() -> None:
    match = people(clock_seconds=300)
    gone = match.without_channel(NOW + timedelta(seconds=100))
    assert gone.deadline is None
    assert gone.due_at == NOW + timedelta(seconds=100) + ABANDONED_AFTER
    back = gone.moved_to(match.location, NOW + timedelta(days=2))
    assert back.deadline == NOW + timedelta(days=2, seconds=200)
    moved = gone.play(1, 3, NOW + timedelta(days=2))
    assert moved.timed_moves[-1].seconds == 100
    late = moved.moved_to(match.location, NOW + timedelta(days=3))
    assert late.turn_started_at == NOW + timedelta(days=3)
    with pytest.raises(MatchError, match="stale"):
        gone.without_channel(NOW)


def test_every_change_is_stamped_and_counted() -> None:
    later = NOW + timedelta(minutes=3)
    match = played(people(), "12")
    offered = match.offer_draw(ADA, later)
    assert (offered.draw_offer, offered.touched_at, offered.version) == (Player.FIRST, later, 3)
    assert offered.turn_started_at == NOW
    asked = match.ask_undo(BEN, later)
    assert (asked.undo_request, asked.touched_at, asked.version) == (Player.SECOND, later, 3)
    for answered in (offered.answer_draw(BEN, False, later), asked.answer_undo(ADA, False, later)):
        assert (answered.draw_offer, answered.undo_request, answered.version) == (None, None, 4)
        assert answered.touched_at == later
    undone = replace(asked, draws=Offers(Player.FIRST)).answer_undo(ADA, True, later)
    assert (undone.moves, undone.state.ply, undone.turn, undone.version) == ((0,), 1, 3, 4)
    assert undone.touched_at == undone.turn_started_at == later
    assert (undone.draw_offer, undone.undo_request) == (None, None)
    ended = replace(asked, draws=Offers(Player.FIRST)).resign(ADA, later)
    assert ended.result == Result(Player.SECOND, End.RESIGNATION)
    assert (ended.draw_offer, ended.undo_request, ended.touched_at, ended.version) == (None, None, later, 4)
    warned = match.warn()
    assert (warned.warned_turn, warned.version, warned.touched_at) == (2, 3, NOW)
    elsewhere = replace(PLACE, message_id=99)
    moved = match.moved_to(elsewhere, later)
    assert (moved.location, moved.version, moved.touched_at) == (elsewhere, 3, NOW)
    for agreed in (offered.answer_draw(BEN, True, later), offered.offer_draw(BEN, later)):
        assert (agreed.result, agreed.touched_at) == (Result(None, End.AGREEMENT), later)
    late = people(clock_seconds=60).expire(later)
    week = NOW + ABANDONED_AFTER + MAX_PRESS_DELAY
    forgotten = people().expire(week)
    assert late is not None
    assert forgotten is not None
    assert (late.touched_at, forgotten.touched_at) == (later, week)
    assert match.resign(BEN, later).expire(later + ABANDONED_AFTER) is None


def test_where_there_were_two_moves_there_was_a_choice_to_take_back() -> None:
    match = Match.begin("tic-tac-toe", "3x3", PEOPLE, PLACE, NOW, rated=False)
    match = played(match, "12354687")
    assert match.ask_undo(BEN, NOW).answer_undo(ADA, True, NOW).moves == match.moves[:-1]


def test_an_agents_move_takes_the_seconds_that_it_thought() -> None:
    later = NOW + timedelta(seconds=9)
    after = against_agent().play(ADA, 0, NOW).play_agent(4, later, turn=1, seconds=0.25)
    assert after.timed_moves[-1] == TimedMove(4, 0.25, later)


def test_both_may_want_the_same_and_then_have_it() -> None:
    match = played(people(), "1234")
    both = match.ask_undo(ADA, NOW).ask_undo(BEN, NOW)
    assert both.moves == (0, 1), "what was asked for first is taken back: Ada's last move"
    assert both.undo_request is None


def test_stored_words_stay_as_they_are() -> None:
    assert [end.value for end in End] == [
        "line", "board_full", "disc_count", "repetition", "points", "other", "resignation", "time",
        "agreement", "too_long", "abandoned", "stopped", "moderated", "unvoted",
    ]  # fmt: skip
    assert [end for end in End if not Result(None, end).counts] == [*End][-4:]
    assert [pace.value for pace in Pace] == ["slow", "normal", "quick"]
    assert Channel(10) == Channel(10, None, None, "en-US")


def test_a_seat_without_an_occupant_or_with_two_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"^a seat holds either a user or an agent$"):
        Seat("nobody")
    assert Seat("Pip", level="pip").is_agent
    assert not Seat("Ada", ADA).is_agent


def test_a_match_counts_once_both_sides_have_moved_twice() -> None:
    match = played(people(rated=True), "123")
    assert match.is_short
    assert not match.resign(ADA, NOW).counts
    longer = played(match, "4")
    assert not longer.is_short
    assert not longer.counts, "it is not over"
    assert longer.resign(ADA, NOW).counts
    assert not replace(longer, rated=False).resign(ADA, NOW).counts
    forgotten = replace(longer, rated=False).expire(NOW + ABANDONED_AFTER + MAX_PRESS_DELAY)
    assert forgotten is not None
    assert not replace(forgotten, rated=True).counts, "nobody has lost it"
    given = Match.begin("connect-four", "6x7x4", PEOPLE, PLACE, NOW, opening=(0, 1, 2, 3))
    assert given.is_short, "the moves of an opening do not count"


def test_several_moves_of_one_side_count_for_that_side_alone() -> None:
    match = Match.begin("kalah", "6x4", PEOPLE, PLACE, NOW, rated=True)
    for user, pit in ((ADA, "c"), (ADA, "f"), (BEN, "g"), (ADA, "a")):
        move = game_of("kalah").parse_move(match.state, pit)
        match = match.play(user, move, NOW, turn=match.turn)
    assert len(match.moves) == 4
    assert match.is_short, "Ben has moved once"


def test_a_match_is_visible_to_its_players_and_in_its_channel() -> None:
    match = people()
    match.check_visible(ADA, 99)
    match.check_visible(EVE, PLACE.channel_id)
    with pytest.raises(MatchError, match=r"^not_your_match\b"):
        match.check_visible(EVE, 99)


def test_only_a_finished_match_with_a_move_is_reviewed() -> None:
    for match, key in ((played(people(), "1"), "not_over"), (people().resign(ADA, NOW), "nothing_to_review")):
        with pytest.raises(MatchError, match=rf"^{key}\b"):
            match.check_reviewable()
    played(people(), "1").resign(BEN, NOW).check_reviewable()


def test_a_rated_match_untouched_for_a_week_is_lost_by_the_player_to_move() -> None:
    week, lost = NOW + ABANDONED_AFTER + MAX_PRESS_DELAY, Result(Player.SECOND, End.TIME)
    abandoned = Result(None, End.ABANDONED)
    thinking = replace(played(against_agent(rated=True), "12345"), clock_seconds=None)
    for match, result in (
        (played(people(rated=True), "1234"), lost),
        (played(people(rated=True), "123"), abandoned),
        (played(people(), "1234"), abandoned),
        (thinking, abandoned),
    ):
        ended = match.expire(week)
        assert ended is not None
        assert (ended.result, ended.touched_at) == (result, week)


def test_a_match_cannot_become_rated_after_a_move_was_taken_back() -> None:
    match = against_agent()
    assert match.make_rated(ADA, None, NOW).rated
    taken_back = match.play(ADA, 3, NOW).ask_undo(ADA, NOW)
    assert not taken_back.moves
    with pytest.raises(MatchError) as refused:
        taken_back.make_rated(ADA, None, NOW)
    assert refused.value.key == "too_late_for_rated"


def test_the_clock_of_a_match_that_becomes_rated_begins_then() -> None:
    later = NOW + timedelta(days=6)
    rated = against_agent().make_rated(ADA, 300, later)
    assert rated.deadline == later + timedelta(seconds=300)
    timed = replace(against_agent(), clock_seconds=600)
    assert timed.make_rated(ADA, 600, after(40)).deadline == timed.deadline, "a clock that ran goes on"


def test_offers_of_a_draw_do_not_keep_an_abandoned_match_alive() -> None:
    match = played(people(rated=True), "4455")
    later = NOW + ABANDONED_AFTER - timedelta(hours=1)
    offered = match.offer_draw(ADA, later).answer_draw(BEN, False, later)
    ended = offered.expire(NOW + ABANDONED_AFTER + MAX_PRESS_DELAY)
    assert ended is not None
    assert ended.result == Result(Player.SECOND, End.TIME)
    assert offered.due_at == NOW + ABANDONED_AFTER


def test_failed_moves_are_counted_for_their_side_with_the_first_reason() -> None:
    pip = Seat("Pip", level="pip")
    match = Match.begin("connect-four", "6x7x4", (pip, Seat("Bo", level="bo")), Channel(1), NOW)
    for turn, reason in enumerate(("", "late", "raised", "late again")):
        match = match.play_agent(turn, NOW, turn=match.turn, seconds=0.1, forfeit=reason)
    assert match.forfeits == (Forfeits(1, "raised"), Forfeits(2, "late"))
