"""Solving and analysing Othello positions: exact where it says so, and never better than the rules allow."""

from __future__ import annotations

import random

import pytest

from engine.core import EngineError, Limit, NotationError, Player, replay
from engine.games import game
from engine.games.othello.analysis import analyze, read_board, solve
from engine.games.othello.searcher import Position
from tests.engine.othello.positions import random_twin, solved, state_of


@pytest.mark.parametrize("size", [8, 6])
@pytest.mark.parametrize("empties", [1, 3, 6, 8])
def test_the_exact_value_of_every_move_is_that_of_searching_everything(size: int, empties: int) -> None:
    rng = random.Random(empties)
    for _ in range(3):
        twin = random_twin(size, rng, empties)
        state = state_of(twin)
        here = Position.of(state)
        values = analyze(state, Limit())
        expected = {here.move_of(square): -solved(twin.play(square)) for square in twin.placements()}
        assert {value.move: value.value for value in values} == expected
        assert all(value.exact for value in values)
        assert [value.value for value in values] == sorted(expected.values(), reverse=True)
        assert solve(state, Limit()).value == max(expected.values())
        solved.cache_clear()


def test_the_solution_carries_a_legal_line_that_begins_with_a_best_move() -> None:
    rng = random.Random(4)
    state = state_of(random_twin(8, rng, 12))
    solution = solve(state, Limit())
    best = {value.move for value in analyze(state, Limit()) if value.value == solution.value}
    assert solution.line[0] in best
    assert not solution.winner_only
    replay(state, solution.line)


def test_a_forced_pass_is_worth_what_follows_it() -> None:
    # Black, to move, has no move; white takes the last square.
    state = read_board("XXXXXXXX" * 7 + "XXXXXXO- " + "O")
    assert state.to_move is Player.SECOND
    state = read_board("O" * 62 + "X-" + " O")
    mirrored = read_board("X" * 61 + "XO-" + " O")
    assert mirrored.legal_moves() == (64,)
    assert solve(mirrored, Limit()).value == -64
    assert solve(mirrored, Limit()).line[0] == 64
    (only,) = analyze(mirrored, Limit())
    assert (only.move, only.value, only.exact) == (64, -64.0, True)
    assert solve(state, Limit()).value == 64


def test_values_early_in_the_game_are_called_estimates() -> None:
    start = game("othello").start()
    values = analyze(start, Limit(depth=6))
    assert sorted(value.move for value in values) == list(start.legal_moves())
    assert {value.exact for value in values} == {False}
    assert {value.depth for value in values} == {6}
    assert len({value.value for value in values}) == 1, "the four first moves are mirror images"


def test_an_analysis_keeps_within_its_limit_and_still_values_every_move() -> None:
    start = game("othello").start()
    for limit in (Limit(nodes=1), Limit(nodes=5000), Limit(seconds=0.05)):
        assert sorted(value.move for value in analyze(start, limit)) == list(start.legal_moves())


def test_an_unfinished_solution_has_no_value() -> None:
    assert solve(game("othello").start(), Limit(nodes=2000)).value is None


def test_a_game_that_is_over_has_its_final_value_and_no_moves() -> None:
    over = read_board("X" * 40 + "." * 24 + "X")
    assert analyze(over, Limit()) == ()
    assert solve(over, Limit()).value == 64


def test_boards_are_read_as_they_are_written() -> None:
    start = game("othello").start()
    text = "---------------------------OX------XO---------------------------"
    assert read_board(text + " X") == start
    assert read_board(text.replace("-", ".").lower() + "*") == start
    small = read_board("." * 14 + "OX....XO" + "." * 14 + "X")
    assert small == game("othello").start("6x6")


@pytest.mark.parametrize("text", ["", "X", "-" * 64, "-" * 63 + " X", "-" * 64 + " Z", "?" * 64 + " X"])
def test_a_board_that_is_none_is_refused_in_words(text: str) -> None:
    with pytest.raises(NotationError, match="64 squares"):
        read_board(text)


def test_another_game_is_refused_in_words() -> None:
    with pytest.raises(EngineError, match="plays Othello only"):
        analyze(game("tic-tac-toe").start(), Limit())
