"""Dots and Boxes: closing boxes, moving again, and the names of lines."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import BoardError, EndReason, IllegalMove, NotationError, Outcome, Player
from engine.games import game, spec_of
from engine.games.dots_and_boxes.rules import DotsState
from engine.games.reasons import Reason, Why
from engine.games.spec import Piece
from engine.score import Score, final_score
from tests.engine.games.dots_and_boxes import plain_dots as plain

RULES, SPEC = game("dots-and-boxes"), spec_of("dots-and-boxes")


def after(names: str, down: int = 3, across: int = 3) -> DotsState:
    state = DotsState.of(down, across)
    for name in names.split():
        state = state.play(RULES.parse_move(state, name))
    return state


def test_a_box_belongs_to_the_side_that_closes_it_and_moves_again() -> None:
    state = after("b1 a2 c2 b3")
    assert str(state).splitlines()[:3] == ["+-+ + +", "|O|    ", "+-+ + +"]
    assert (state.to_move, state.points) == (Player.SECOND, (0, 1))
    assert after("b1 a2 c2").to_move is Player.SECOND


def test_one_line_can_close_two_boxes() -> None:
    state = after("b1 a2 b3 d1 e2 d3 c2", 1, 2)
    assert state.points == (2, 0)
    assert state.outcome() == Outcome(Player.FIRST, EndReason.POINTS, points=(2, 0))
    assert abs(final_score(state).discs or 0) == 2
    assert final_score(state) == Score.by_discs(2)


def test_a_drawn_line_is_refused_and_so_is_a_dot() -> None:
    state = after("b1")
    with pytest.raises(IllegalMove) as refused:
        RULES.parse_move(state, "b1")
    assert refused.value.reason == "drawn"
    for text in ("a1", "b2", "h1", "b", "11"):
        with pytest.raises(NotationError):
            RULES.parse_move(state, text)
    for board in ("4x4", "5x3", "3"):
        with pytest.raises(BoardError):
            RULES.start(board)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (3, 3), (5, 5)])
def test_random_games_are_those_of_the_plain_rules(size: tuple[int, int]) -> None:
    rng = Random(3)
    for _ in range(5):
        state, points = DotsState.of(*size), [0, 0]
        board = plain.all_lines(*size)
        assert plain.left_in(state) == board
        while state.outcome() is None:
            mover, move = state.to_move, rng.choice(state.legal_moves())
            before, state = plain.left_in(state), state.play(move)
            (line,) = plain.bits(before ^ plain.left_in(state))
            closed = plain.closed(before, line, board)
            points[mover] += closed
            assert state.points == tuple(points)
            assert state.to_move is (mover if closed else mover.other)
        assert sum(points) == size[0] * size[1]


def test_lines_boxes_and_dots_have_places_and_owners_are_drawn() -> None:
    state = after("b1 a2 c2 b3")
    places = SPEC.places_of("3x3")
    assert [[place.shape for place in places].count(shape) for shape in ("edge", "box", "dot")] == [24, 9, 16]
    assert places[0].name == "b1"
    pieces = SPEC.pieces_of(state)
    assert pieces[0] == Piece("bar", Player.FIRST)
    assert pieces[24] == Piece("claim", Player.SECOND)
    assert len(pieces) == 5
    assert SPEC.press_of(state, 1) == (1,)
    assert SPEC.points_of(state) == (0, 1)


def test_reasons_count_the_boxes_that_a_move_closes_or_gives_away() -> None:
    state = after("b1 a2 c2")
    closing, other = RULES.parse_move(state, "b3"), RULES.parse_move(state, "d7")
    assert SPEC.teach.reasons(state, closing) == [Reason(Why.CLOSES_BOXES, 1)]
    assert SPEC.teach.reasons(state, other) == []
    quiet = after("b1 a2")
    giving, safe = RULES.parse_move(quiet, "c2"), RULES.parse_move(quiet, "d7")
    assert SPEC.teach.reasons(quiet, safe) == [Reason(Why.GIVES_NO_BOX)]
    assert SPEC.teach.differences(quiet, safe, giving) == [Reason(Why.KEEPS_BOXES, 1)]
    assert SPEC.teach.differences(quiet, giving, safe) == []
