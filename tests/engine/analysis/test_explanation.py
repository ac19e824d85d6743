"""Why a move is good: what strikes the eye on the board."""

from __future__ import annotations

from random import Random

import pytest

from engine.analysis.explanation import Reason, Why, reasons
from engine.core import Player, State, replay
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.notation import parse_moves
from engine.games.othello import OthelloState
from tests.slow_cases import mark_slow


def position(key: str, text: str) -> State:
    rules = game(key)
    return replay(rules.start(), parse_moves(rules, None, text))


@pytest.mark.parametrize(
    ("key", "text", "move", "first"),
    [
        ("connect-four", "112233", 3, Reason(Why.WINS)),
        ("connect-four", "11223", 3, Reason(Why.STOPS_ROW, 4)),
        ("connect-four", "12121", 0, Reason(Why.STOPS_COLUMN, 4)),
        ("connect-four", "1223343447", 3, Reason(Why.WINS)),
        ("connect-four", "4455", 5, Reason(Why.TWO_THREATS)),
        ("connect-four", "", 3, Reason(Why.CENTRE)),
        ("tic-tac-toe", "a1b1b2", 8, Reason(Why.STOPS_DIAGONAL, 3)),
        ("tic-tac-toe", "a1b1", 4, Reason(Why.THREAT, 3)),
    ],
)
def test_the_strongest_reason_comes_first(key: str, text: str, move: int, first: Reason) -> None:
    assert reasons(position(key, text), move)[0] == first


@pytest.mark.parametrize(
    "key", mark_slow(["connect-four", "tic-tac-toe", "pop-out"], lambda key: key != "tic-tac-toe")
)
def test_two_threats_are_not_said_of_a_move_after_which_the_other_side_wins_at_once(key: str) -> None:
    rng, praised = Random(5), 0
    for state in (state for _ in range(30) for state, _ in playout(spec_of(key), game(key).boards[0], rng)):
        for move in state.legal_moves():
            if Reason(Why.TWO_THREATS) in reasons(state, move):
                praised += 1
                after = state.play(move)
                for reply in after.legal_moves():
                    outcome = after.play(reply).outcome()
                    assert outcome is None or outcome.winner is not after.to_move, f"{state}\n{move}"
    assert praised > 20


def test_an_open_four_is_no_two_threats_where_the_other_side_makes_five_first() -> None:
    l8 = 7 * 15 + 11
    behind, ahead = position("gomoku", "i8g7j8g8k8g9a1g10"), position("gomoku", "i8g7j8g8k8g9a1o1")
    assert Reason(Why.TWO_THREATS) not in reasons(behind, l8)
    assert Reason(Why.TWO_THREATS) in reasons(ahead, l8)


STOPS = {Why.STOPS_ROW, Why.STOPS_COLUMN, Why.STOPS_DIAGONAL, Why.STOPS_LINE}


@pytest.mark.parametrize(
    ("key", "text", "move"),
    [
        ("gomoku", "g8a1h8c1i8", "k8"),  # f8 or j8 makes four
        ("gomoku", "g8a1h8c1i8", "j8"),  # f8 makes four
        ("gomoku", "g8a1h8c1i8e1j8", "k8"),  # f8 makes five
        ("gomoku", "g8f8h8a1i8", "k8"),  # j8 makes a four, though one between two discs
        ("gomoku", "a1c1e1o15o14o13", "g3"),  # next to nothing
        ("tic-tac-toe", "a1b2c3a3c1", "b1"),  # c2 wins
        ("connect-four", "41424", "1"),  # 4 wins
        ("connect-four", "415161", "3"),
    ],
)
def test_a_move_stops_no_line_that_the_other_side_makes_all_the_same(key: str, text: str, move: str) -> None:
    state = position(key, text)
    assert not STOPS & {reason.why for reason in reasons(state, game(key).parse_move(state, move))}


@pytest.mark.parametrize(
    ("text", "move", "number"),
    [
        ("g8f8h8a1i8", "j8", 4),
        ("g8a1h8c1j8", "i8", 4),  # between the three
        ("g8f8h8a1i8c1j8", "k8", 5),
        ("f8a1g8c1i8e1j8", "h8", 5),
    ],
)
def test_a_move_that_leaves_no_four_or_five_stops_it(text: str, move: str, number: int) -> None:
    state = position("gomoku", text)
    assert reasons(state, game("gomoku").parse_move(state, move))[0] == Reason(Why.STOPS_LINE, number)


@pytest.mark.parametrize(
    ("key", "board"),
    mark_slow(
        [("gomoku", "9x9"), ("connect-four", "6x7x4"), ("tic-tac-toe", "3x3"), ("pop-out", "6x7")],
        lambda case: case[0] in ("gomoku", "pop-out"),
    ),
)
def test_no_line_is_said_to_be_stopped_before_the_other_side_makes_it(key: str, board: str) -> None:
    rng, praised = Random(5), 0
    for state in (state for _ in range(12) for state, _ in playout(spec_of(key), board, rng)):
        for move in state.legal_moves():
            stopped = next((reason for reason in reasons(state, move) if reason.why in STOPS), None)
            if stopped is None:
                continue
            praised += 1
            after = state.play(move)
            for reply in after.legal_moves():
                assert longest(after.play(reply), after.to_move) < stopped.number, f"{state}\n{move} {reply}"
    assert praised > 5


def longest(state: State, player: Player) -> int:
    """Return the player's most discs in a row."""
    at, best = {divmod(cell, state.columns) for cell, owner in enumerate(state.cells()) if owner is player}, 0
    for row, column in at:
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            length = 1
            while (row + length * down, column + length * right) in at:
                length += 1
            best = max(best, length)
    return best


def test_a_quiet_move_has_no_reason() -> None:
    assert reasons(position("connect-four", ""), 0) == ()


def test_a_corner_of_othello_is_pointed_out() -> None:
    # a1 takes the disc on b1, between a1 and c1; the other side can still move.
    state = OthelloState(8, own=1 << 2 | 1 << 27, opponent=1 << 1 | 1 << 28 | 1 << 35, ply=40)
    assert Reason(Why.CORNER) in reasons(state, 0)


def test_a_move_without_replies_keeps_the_turn() -> None:
    # d5 is shielded by the edge behind e5 to h5, and nothing lies next to h8.
    row = 1 << 36 | 1 << 37 | 1 << 38 | 1 << 39
    state = OthelloState(8, own=1 << 2 | row, opponent=1 << 1 | 1 << 35 | 1 << 63, ply=40)
    assert [reason.why for reason in reasons(state, 0)] == [Why.CORNER, Why.KEEPS_TURN]
