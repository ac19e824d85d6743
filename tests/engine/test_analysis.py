"""What states are worth: proofs agree with playing everything out, and estimates say that they are some."""

from __future__ import annotations

import random

import pytest

from engine.analysis.valuer import Valuer, Worth, estimate_limit, settled, states_of, value_moves
from engine.core import EngineError, Limit, State, replay
from engine.games import game
from engine.games.othello import OthelloState

SOON = Limit(seconds=5)


def random_states(key: str, board: str | None, seed: int) -> tuple[State, ...]:
    rng = random.Random(f"{key} {board} {seed}")
    rules = game(key)
    state, moves = rules.start(board), []
    while state.outcome() is None:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return states_of(rules.start(board), moves)


def plain(state: State) -> int:
    """1, 0 or -1 for the side to move, by playing everything out."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else 1 if outcome.winner is state.to_move else -1
    after = [state.play(move) for move in state.legal_moves()]
    return max(plain(child) if child.to_move is state.to_move else -plain(child) for child in after)


def test_noughts_and_crosses_is_a_draw_and_always_proved() -> None:
    found = Valuer().value(game("tic-tac-toe").start(), estimate_limit())
    assert found.worth == Worth(0.0, exact=True)
    assert len(found.line) == 9


def test_a_win_in_noughts_and_crosses_counts_the_winners_moves() -> None:
    rules = game("tic-tac-toe")
    state = replay(rules.start(), [0, 1])  # a1 b1: every corner and the middle win in three
    found = Valuer().value(state, SOON)
    assert found.worth == Worth(1.0, exact=True, moves=3)
    assert dict(value_moves(Valuer(), state, SOON))[found.best or 0].moves == 2


@pytest.mark.parametrize("seed", range(6))
def test_connect_four_counts_the_moves_to_the_win_of_best_play(seed: int) -> None:
    states = random_states("connect-four", "6x7x4", seed)
    valuer, state = Valuer(), states[max(0, len(states) - 9)]
    said = valuer.value(state, SOON).worth
    winner, made = state.to_move if said.expectation > 0 else state.to_move.other, 0
    while state.outcome() is None:
        made += state.to_move is winner
        state = state.play(valuer.value(state, SOON).best or 0)
    outcome = state.outcome()
    assert outcome is not None
    if said.result:
        assert outcome.winner is winner
        assert made == said.moves
    else:
        assert outcome.winner is None


@pytest.mark.parametrize(("board", "seed"), [("8x8", 1), ("8x8", 2), ("6x6", 1), ("6x6", 2)])
def test_the_end_of_othello_is_proved(board: str, seed: int) -> None:
    states = random_states("othello", board, seed)
    state = states[max(0, len(states) - 7)]
    assert Valuer().value(state, SOON).worth.result == plain(state)


def test_who_must_pass_is_worth_what_the_other_side_leaves() -> None:
    for seed in range(40):
        for state in random_states("othello", "8x8", seed)[40:]:
            assert isinstance(state, OthelloState)
            if state.legal_moves() == (state.pass_move,):
                valuer = Valuer()
                here = valuer.value(state, SOON)
                assert here.best == state.pass_move
                assert here.worth == -valuer.value(state.play(state.pass_move), SOON).worth
                return
    pytest.fail("no game had a pass")


@pytest.mark.parametrize(
    ("key", "board"), [("connect-four", "6x7x4"), ("othello", "8x8"), ("othello", "6x6")]
)
def test_an_estimate_of_the_first_state_says_that_it_is_one(key: str, board: str) -> None:
    worth = Valuer().value(game(key).start(board), estimate_limit()).worth
    assert not worth.exact
    assert worth.result is None
    assert -0.6 < worth.expectation < 0.6


def test_a_line_is_lost_for_whoever_would_be_next() -> None:
    state = replay(game("connect-four").start(), [0, 1, 0, 1, 0, 1, 0])
    assert settled(state).worth == Worth(-1.0, exact=True, moves=0)
    with pytest.raises(EngineError):
        settled(game("connect-four").start())


def test_empty_squares_count_for_the_winner() -> None:
    state = OthelloState(8, own=0b111, opponent=0, ply=9)
    assert settled(state).worth.discs == 64
