"""Seeds 000 and 001, the class ConnectFour of two notebooks: board, moves, lines, ends."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents import make_agent
from engine.cli.terminal import draw
from engine.core import EndReason, IllegalMove, Limit, Player, State, replay
from engine.games import game

RULES = game("connect-four")
START = RULES.start()


def columns(text: str) -> list[int]:
    """`4453` as moves."""
    return [int(character) - 1 for character in text]


def held(state: State, row: int, column: int) -> Player | None:
    """Row 0 is the top."""
    return state.cells()[row * state.columns + column]


def test_the_board_has_six_rows_and_seven_columns_and_is_empty() -> None:
    assert (START.rows, START.columns) == (6, 7)
    assert set(START.cells()) == {None}


def test_the_same_player_always_begins_and_then_they_take_turns() -> None:
    state = START
    for number, move in enumerate(columns("4453276")):
        assert state.to_move is Player(number % 2)
        state = state.play(move)


def test_a_disc_falls_to_the_lowest_free_cell_of_its_column() -> None:
    state = replay(START, columns("444"))
    assert [held(state, row, 3) for row in (5, 4, 3, 2)] == [Player.FIRST, Player.SECOND, Player.FIRST, None]


def test_every_column_that_is_not_full_can_be_played() -> None:
    state = replay(START, columns("111111"))
    assert START.legal_moves() == (0, 1, 2, 3, 4, 5, 6)
    assert state.legal_moves() == (1, 2, 3, 4, 5, 6)


@pytest.mark.parametrize("column", [-1, 7, 0])
def test_a_full_or_missing_column_cannot_be_played(column: int) -> None:
    with pytest.raises(IllegalMove):
        replay(START, columns("111111")).play(column)


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ("1122334", ((5, 0), (5, 1), (5, 2), (5, 3))),
        ("4455667", ((5, 3), (5, 4), (5, 5), (5, 6))),
        ("1212121", ((2, 0), (3, 0), (4, 0), (5, 0))),
        ("12233434474", ((2, 3), (3, 2), (4, 1), (5, 0))),
        ("76655454414", ((2, 3), (3, 4), (4, 5), (5, 6))),
    ],
)
def test_four_in_a_row_win_across_down_and_on_both_diagonals(
    moves: str, line: tuple[tuple[int, int], ...]
) -> None:
    before = replay(START, columns(moves[:-1]))
    state = before.play(columns(moves[-1:])[0])
    outcome = state.outcome()
    assert before.outcome() is None
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (Player.FIRST, EndReason.LINE)
    assert outcome.line == tuple(sorted(row * 7 + column for row, column in line))


def test_three_in_a_row_and_a_line_around_the_edge_do_not_win() -> None:
    assert replay(START, columns("112233")).outcome() is None
    assert replay(START, columns("5161723")).outcome() is None


def test_the_second_player_wins_like_the_first() -> None:
    outcome = replay(START, columns("71122334")).outcome()
    assert outcome is not None
    assert outcome.winner is Player.SECOND


@pytest.mark.slow
def test_a_full_board_without_a_line_is_a_draw() -> None:
    """Every outcome there is, in games by chance: a side has a line, or all 42 cells are taken."""
    rng, seen = Random(11), set()
    for _ in range(3_000):
        state: State = START
        while (outcome := state.outcome()) is None:
            state = state.play(rng.choice(state.legal_moves()))
        seen.add(outcome.winner)
        if outcome.winner is None:
            assert None not in state.cells()
            assert outcome.reason is EndReason.BOARD_FULL
    assert seen == {Player.FIRST, Player.SECOND, None}


def test_after_the_end_no_move_is_legal() -> None:
    over = replay(START, columns("1122334"))
    assert over.legal_moves() == ()
    with pytest.raises(IllegalMove):
        over.play(0)


def test_playing_on_a_copy_leaves_the_board_unchanged() -> None:
    before = START.cells()
    START.play(3).play(3)
    assert START.cells() == before


def test_the_board_can_be_printed_top_row_first() -> None:
    printed = draw(RULES, replay(START, columns("45")), as_text=True).plain.splitlines()
    assert printed[0].split() == list("1234567")
    assert printed[1].split() == ["."] * 7
    assert printed[-1].split() == [".", ".", ".", "X", "O", ".", "."]


def test_monte_carlo_tree_search_plays_it() -> None:
    winning = replay(START, columns("112233"))
    assert make_agent("mcts", 1).choose(winning, Limit(nodes=500)).move == 3
