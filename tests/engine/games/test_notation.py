"""Games as text: round trips, and errors with their position."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core import IllegalMove, NotationError
from engine.games import GAMES, game
from engine.games.notation import format_moves, parse_moves

BOARDS = [(key, board) for key, rules in GAMES.items() for board in rules.boards]


@pytest.mark.slow
@given(st.sampled_from([*BOARDS, ("connect-four", "12x12x5")]), st.data())
def test_every_game_survives_writing_and_reading(choice: tuple[str, str], data: st.DataObject) -> None:
    rules = game(choice[0])
    state, moves = rules.start(choice[1]), []
    for _ in range(data.draw(st.integers(0, 60))):
        if not state.legal_moves():
            break
        moves.append(data.draw(st.sampled_from(state.legal_moves())))
        state = state.play(moves[-1])

    text = format_moves(rules, choice[1], moves)

    assert parse_moves(rules, choice[1], text) == tuple(moves)
    if text.endswith("--"):
        moves.pop()  # a pass at the end cannot be inferred
    assert parse_moves(rules, choice[1], text.replace("--", "").upper()) == tuple(moves)


def test_a_pass_may_be_left_out_except_at_the_end() -> None:
    text = "c2b2e4c1b1a1a2a3b3d2d1e1--e2f1f2f3e3--b5b4a5a4c5b6f4d5e5f5--"
    assert text.count("--") == 3
    assert text.endswith("--")
    moves = parse_moves(game("othello"), "6x6", text)
    assert parse_moves(game("othello"), "6x6", text.replace("--", "")) == moves[:-1]
    assert format_moves(game("othello"), "6x6", moves) == text


def test_moves_that_the_rules_forbid_are_not_written() -> None:
    with pytest.raises(IllegalMove, match="full"):
        format_moves(game("connect-four"), None, [3] * 7)


def test_the_usual_notations_are_understood() -> None:
    assert parse_moves(game("connect-four"), None, "44 53") == (3, 3, 4, 2)
    assert parse_moves(game("othello"), None, "f5 D6c3") == (37, 43, 18)
    assert parse_moves(game("tic-tac-toe"), None, "b2a1") == (4, 0)
    assert format_moves(game("connect-four"), "12x12x4", [9, 11]) == "ac"


@pytest.mark.parametrize(
    ("key", "text", "column", "problem"),
    [
        ("connect-four", "44x", 2, "write the columns 1 to 7"),
        ("connect-four", "448", 2, "no column 8"),
        ("connect-four", "4444444", 6, "Column 4 is full"),
        ("connect-four", "12121212", 7, "over"),
        ("othello", "f5f", 2, "no square"),
        ("othello", "f5a1", 2, "turns no disc"),
        ("othello", "--", 0, "cannot pass"),
        ("tic-tac-toe", "b2b2", 2, "taken"),
    ],
)
def test_a_bad_text_is_refused_with_the_place_and_the_reason(
    key: str, text: str, column: int, problem: str
) -> None:
    with pytest.raises(NotationError, match=problem) as caught:
        parse_moves(game(key), None, text)
    assert caught.value.column == column
    assert f"Character {column + 1}" in str(caught.value)
