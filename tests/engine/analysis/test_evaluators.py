"""Evaluators: proofs agree with playing everything out, and estimates are marked."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from engine.analysis.evaluators import ESTIMATE, Estimator, Playouts, evaluator_of
from engine.core import Game, Limit, State, replay, states_of
from engine.games import GAMES, game
from engine.games.othello import OthelloState
from engine.score import Evaluator, Score, final_score, score_of_move

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


def is_short(state: State, most: int = 3_000) -> bool:
    """Whether moves are left, and they can be played out in that many states."""
    waiting, seen = [state], 0
    while waiting and seen <= most:
        here, seen = waiting.pop(), seen + 1
        waiting.extend(map(here.play, here.legal_moves()))
    return 1 < seen <= most


def test_noughts_and_crosses_is_a_draw_and_always_proved() -> None:
    rules = game("tic-tac-toe")
    found = Estimator(rules).evaluate(rules.start(), ESTIMATE)
    assert found.score == Score.drawn()
    assert len(found.line) == 9


def test_a_win_in_noughts_and_crosses_counts_the_winners_moves() -> None:
    rules = game("tic-tac-toe")
    state = replay(rules.start(), [0, 1])  # a1 b1: every corner and the middle win in three
    found = Estimator(rules).evaluate(state, SOON)
    assert (found.score, found.score.moves) == (Score.won(5), 3)
    moves = Estimator(rules).evaluate_moves(state, SOON).moves
    assert moves[found.best or 0] == Score.won(5), "the move itself is counted"


@pytest.mark.parametrize("seed", range(6))
def test_connect_four_counts_the_moves_to_the_win_of_best_play(seed: int) -> None:
    states = random_states("connect-four", "6x7x4", seed)
    evaluator, state = Estimator(game("connect-four")), states[max(0, len(states) - 9)]
    said = evaluator.evaluate(state, SOON).score
    winner, made = state.to_move if said.expectation > 0 else state.to_move.other, 0
    while state.outcome() is None:
        made += state.to_move is winner
        state = state.play(evaluator.evaluate(state, SOON).best or 0)
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
    assert Estimator(game("othello")).evaluate(state, SOON).score.result == plain(state)


def test_a_forced_pass_is_scored_by_its_continuation() -> None:
    for seed in range(40):
        for state in random_states("othello", "8x8", seed)[40:]:
            assert isinstance(state, OthelloState)
            if state.legal_moves() == (state.pass_move,):
                evaluator = Estimator(game("othello"))
                here = evaluator.evaluate(state, SOON)
                assert here.best == state.pass_move
                assert here.score == -evaluator.evaluate(state.play(state.pass_move), SOON).score
                return
    pytest.fail("no game had a pass")


@pytest.mark.parametrize(
    ("key", "board"), [("connect-four", "6x7x4"), ("othello", "8x8"), ("othello", "6x6")]
)
def test_an_estimate_of_the_first_state_is_marked_as_an_estimate(key: str, board: str) -> None:
    found = Estimator(game(key)).evaluate(game(key).start(board), ESTIMATE)
    assert not found.score.is_proved
    assert found.best is not None
    assert -0.6 < found.score.expectation < 0.6


def test_a_proof_of_the_winner_alone_is_no_estimate() -> None:
    rules = game("gomoku")
    # An open three of Black, which is to move, then an open four: White loses, in no proved number of moves.
    state = replay(rules.start(), [112, 0, 113, 2, 114, 4])
    assert Estimator(rules).evaluate(state, SOON).score == Score.won(3)
    assert Estimator(rules).evaluate(state.play(111), SOON).score == Score.lost()


def test_a_finished_game_has_its_final_score() -> None:
    state = replay(game("connect-four").start(), [0, 1, 0, 1, 0, 1, 0])
    found = Estimator(game("connect-four")).evaluate(state, SOON)
    assert (found.score, found.best) == (Score.lost(0), None)


SMALL = {"connect-four": "4x4x4", "othello": "6x6"}
"""Boards whose last squares can be played out here."""

EVALUATORS = [
    pytest.param(make, rules, id=f"{name}-{key}", marks=[pytest.mark.slow] * (key == "kalah"))
    for key, rules in GAMES.items()
    for name, make in (("own", evaluator_of), ("estimator", Estimator), ("playouts", lambda _: Playouts()))
]


@pytest.mark.parametrize(("make", "rules"), EVALUATORS)
def test_every_evaluators_scores_agree_with_the_scores_of_the_moves(
    make: Callable[[Game], Evaluator], rules: Game
) -> None:
    """Whatever is proved is true, and every move and every line is legal."""
    evaluator = make(rules)
    for seed in range(3):
        states = random_states(rules.key, SMALL.get(rules.key), seed)
        late = [state for state in states if state.cells().count(None) <= 5 and is_short(state)]
        for state in late:
            for found in (evaluator.evaluate(state, SOON), evaluator.evaluate_moves(state, SOON)):
                replay(state, found.line)
                assert found.best in state.legal_moves()
                assert found.score.result in (None, plain(state))
            assert sorted(found.moves) == list(state.legal_moves())
            assert found.score >= max(score for score in found.moves.values() if score.is_known)
            for move, score in found.moves.items():
                after = state.play(move)
                result = score_of_move(state, after, Score(plain(after))).result
                assert score.result in (None, result)
                if after.outcome() is not None and score.is_proved:
                    assert score == score_of_move(state, after, final_score(after)).earlier()
            assert evaluator.solve(state, SOON).score.result in (None, plain(state))
