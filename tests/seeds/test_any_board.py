"""Seed 003's agent takes any rows, columns and discs in a row; so does everything that plays Connect Four."""

from __future__ import annotations

from random import Random

import pytest

from engine.agents import make_agent
from engine.analysis.evaluators import evaluator_of
from engine.analysis.review import review
from engine.core import BoardError, Limit, State
from engine.games import game
from tests.engine.cli.commands import engine
from tests.slow_cases import mark_slow

RULES = game("connect-four")
BOARDS = ("3x3x3", "4x9x3", "8x8x4", "9x9x5", "10x10x4", "12x3x6", "7x12x7", "12x12x8")
PLAYERS = ("random", "one-step", "minimax:depth=2", "alphabeta:depth=3", "mcts:simulations=40", "perfect")


@pytest.mark.parametrize("board", mark_slow(BOARDS, lambda board: board in ("7x12x7", "12x12x8")))
@pytest.mark.parametrize("name", PLAYERS)
def test_every_agent_plays_whole_games_on_any_board(name: str, board: str) -> None:
    players = make_agent(name, 1), make_agent("random", 2)
    state: State = RULES.start(board)
    while state.outcome() is None:
        state = state.play(players[state.to_move].choose(state, Limit(nodes=5_000)).move)
    assert state.legal_moves() == ()


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", [name for name in PLAYERS if name != "random"])
def test_every_agent_except_the_random_one_takes_a_win_on_any_board(name: str, board: str) -> None:
    k = int(board.rpartition("x")[2])
    state: State = RULES.start(board)
    first, second = (0, 1) if k <= state.rows else (None, None)
    for number in range(2 * (k - 1)):
        here = number % 2 if first is None else (first, second)[number % 2]
        column = number // 2 if first is None else here
        state = state.play(int(column or 0))
    if state.outcome() is None:
        choice = make_agent(name, 1).choose(state, Limit(nodes=5_000))
        outcome = state.play(choice.move).outcome()
        assert outcome is not None
        assert outcome.winner is state.to_move


@pytest.mark.parametrize("board", ["2x7x4", "7x13x4", "13x7x4", "6x7x2", "9x9x9", "4x4x5"])
def test_a_board_out_of_range_is_refused_with_the_range(board: str) -> None:
    with pytest.raises(BoardError, match=r"3 to 12 rows|k is from 3 to 8|do not fit on 4 x 4"):
        RULES.start(board)


def test_alpha_beta_and_minimax_agree_on_boards_beyond_64_bits() -> None:
    rng = Random(3)
    for board in ("8x8x4", "10x10x5"):
        for _ in range(6):
            state: State = RULES.start(board)
            for _ in range(rng.randrange(20)):
                after = state.play(rng.choice(state.legal_moves()))
                state = state if after.outcome() is not None else after
            full = make_agent("minimax:depth=3", 5).choose(state, Limit())
            pruned = make_agent("alphabeta:depth=3", 5).choose(state, Limit())
            assert (full.move, full.info.score) == (pruned.move, pruned.info.score)
            assert pruned.info.nodes <= full.info.nodes


def test_unproved_positions_have_marked_estimates() -> None:
    state = RULES.start("10x10x5").play(4).play(5)
    found = evaluator_of(RULES).evaluate_moves(state, Limit(nodes=20_000))
    assert not found.score.is_proved
    assert {str(score)[:5] for score in found.moves.values()} == {"about"}


def test_short_forced_wins_are_proved_on_large_boards() -> None:
    state = RULES.start("10x10x4")
    for move in (4, 4, 4, 4, 5, 5):
        state = state.play(move)
    found = evaluator_of(RULES).evaluate_moves(state, Limit(nodes=200_000))
    assert str(found.score) == "wins in 2"
    assert {move for move, score in found.moves.items() if score.exact} == {3, 6}


@pytest.mark.slow
def test_a_game_on_a_large_board_is_reviewed_with_every_move_valued() -> None:
    rng, state, moves = Random(8), RULES.start("9x9x5"), []
    while state.outcome() is None:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    ticks = iter(range(10**9))
    found = review(RULES, "9x9x5", moves, lambda: next(ticks) / 4)
    assert found.share == 1
    assert found.exact_from is not None
    assert any(entry is not None and not entry.score.is_proved for entry in found.evaluations)


@pytest.mark.slow
def test_the_terminal_plays_and_counts_and_analyzes_them() -> None:
    assert "20,736" in engine("perft", "--board", "12x12x5", "--depth", "4").stdout
    assert "12" in engine("analyze", "--board", "12x12x5", "--seconds", "0.2", "--as-text").stdout
    done = engine("play", "pip", "otto", "--board", "10x10x4", "--as-text", "--seed", "1")
    assert done.returncode == 0
    assert " 10 " in done.stdout
