"""Transitions of a match: what is allowed, in which order it is checked, what each change leaves behind."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.domain.errors import MatchError
from bot.domain.match import ABANDONED_AFTER, End, Location, Match, Result, Seat
from engine.core import Player

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
ADA, BEN, EVE = 1, 2, 3
PLACE = Location(channel_id=10, guild_id=20, message_id=30)
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


def refusal(match: Match, user: int, move: int, **claim: int) -> str:
    with pytest.raises(MatchError) as caught:
        match.play(user, move, NOW, **claim)
    return caught.value.key


def test_a_seat_holds_either_a_user_or_an_agent() -> None:
    for wrong in ({}, {"user_id": 1, "level": "pip"}):
        with pytest.raises(ValueError):
            Seat("nobody", **wrong)


def test_a_move_is_recorded_and_hands_the_turn_on() -> None:
    later = NOW + timedelta(seconds=7)

    match = people().play(ADA, 3, later, turn=0)

    assert match.moves == (3,)
    assert match.turns[0].seconds == 7
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

    with pytest.raises(MatchError, match="stale"):
        match.play_agent(0, NOW, turn=0, seconds=0)


def test_an_agent_cannot_move_for_a_person() -> None:
    with pytest.raises(MatchError, match="not_your_turn"):
        against_agent().play_agent(0, NOW, turn=0, seconds=0)


def test_the_one_who_resigns_loses() -> None:
    assert people().resign(BEN, NOW).result == Result(Player.FIRST, End.RESIGNATION)


def test_a_draw_offer_is_accepted_by_the_other_side_only() -> None:
    offered = people().offer_draw(ADA, NOW)

    with pytest.raises(MatchError, match="own_draw_offer"):
        offered.answer_draw(ADA, True, NOW)
    with pytest.raises(MatchError, match="draw_already_offered"):
        offered.offer_draw(ADA, NOW)
    assert offered.answer_draw(BEN, True, NOW).result == Result(None, End.AGREEMENT)
    assert offered.offer_draw(BEN, NOW).result == Result(None, End.AGREEMENT)
    assert offered.answer_draw(BEN, False, NOW).draw_offer is None


def test_a_move_withdraws_offers_and_requests() -> None:
    match = played(people(), "12").offer_draw(ADA, NOW).ask_undo(BEN, NOW)

    after = match.play(ADA, 0, NOW)

    assert after.draw_offer is None
    assert after.undo_request is None


def test_an_agent_declines_a_draw() -> None:
    with pytest.raises(MatchError, match="agent_declines_draw"):
        against_agent().offer_draw(ADA, NOW)


def test_against_an_agent_undo_takes_its_answer_back_too() -> None:
    match = played(against_agent(), "4455").ask_undo(ADA, NOW)

    assert match.moves == (3, 3)
    assert match.to_move is Player.FIRST


def test_undo_while_the_agent_thinks_takes_one_move_back_and_makes_its_answer_stale() -> None:
    thinking = played(against_agent(), "445")

    match = thinking.ask_undo(ADA, NOW)

    assert match.moves == (3, 3)
    with pytest.raises(MatchError, match="stale"):
        match.play_agent(0, NOW, turn=thinking.turn, seconds=0)


def test_between_people_undo_needs_the_others_consent() -> None:
    match = played(people(), "4455")
    asked = match.ask_undo(BEN, NOW)

    assert asked.moves == match.moves
    with pytest.raises(MatchError, match="own_undo_request"):
        asked.answer_undo(BEN, True, NOW)
    assert asked.answer_undo(ADA, False, NOW).undo_request is None
    assert asked.answer_undo(ADA, True, NOW).moves == (3, 3, 4)
    assert match.ask_undo(ADA, NOW).answer_undo(BEN, True, NOW).moves == (3, 3)


def test_there_is_no_undo_in_a_rated_match() -> None:
    with pytest.raises(MatchError, match="undo_in_rated"):
        played(against_agent(rated=True), "44").ask_undo(ADA, NOW)


def test_who_has_not_moved_has_nothing_to_undo() -> None:
    with pytest.raises(MatchError, match="nothing_to_undo"):
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
    assert match.expire(NOW + timedelta(seconds=59)) is None
    lost = match.expire(NOW + timedelta(seconds=60))
    assert lost is not None
    assert lost.result == Result(Player.SECOND, End.TIME)


def test_a_move_after_the_deadline_is_refused() -> None:
    with pytest.raises(MatchError, match="time_is_up"):
        people(clock_seconds=60).play(ADA, 0, NOW + timedelta(seconds=61))


def test_agents_have_no_clock() -> None:
    match = Match.begin("connect-four", "6x7x4", AGAINST_AGENT, PLACE, NOW, clock_seconds=60)

    assert match.deadline is not None
    assert match.play(ADA, 0, NOW).deadline is None


def test_a_match_untouched_for_a_week_ends_without_result() -> None:
    ended = people().expire(NOW + ABANDONED_AFTER)

    assert ended is not None
    assert ended.result == Result(None, End.ABANDONED)
    assert not ended.result.counts


def test_undo_skips_forced_passes() -> None:
    """Ada's last choice lies behind a pass that was not hers to choose."""
    match = people(game="othello")
    # Random play until somebody was forced to pass; seeded by the position itself, so always the same.
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
