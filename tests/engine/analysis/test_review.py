"""Reviews of games: the losses of moves, the losing move, and exactness."""

from __future__ import annotations

import random
from collections.abc import Sequence
from statistics import mean

import pytest

from engine.agents.levels import levels_of
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.analysis.review import Mark, Question, Review, plan, review
from engine.core import Limit, Move, Player, State, states_of
from engine.games import GAMES, game
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.notation import parse_moves
from engine.score import Evaluation, Evaluator, Score, final_score
from tools.accuracy import accuracies, at_random, best_accuracies, of_level


class Ticks:
    """A clock that a review's deadlines are read from: each look takes `step` seconds."""

    def __init__(self, step: float) -> None:
        self.step, self.now = step, 0.0

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def reviewed(key: str, text: str, board: str | None = None, step: float = 0.01) -> Review:
    rules = game(key)
    return review(rules, board, parse_moves(rules, board, text), Ticks(step))


@pytest.mark.slow
def test_the_losing_move_is_the_last_that_gave_the_game_away() -> None:
    found = reviewed("tic-tac-toe", "a1b1c1a3b3a2")
    losing = found.losing_move(Player.SECOND)
    assert losing is not None
    assert (losing.ply, losing.player, losing.mark) == (5, Player.SECOND, Mark.BLUNDER)
    assert losing.best == 4
    assert (losing.before.result, losing.after.result, losing.after.moves) == (0, -1, 2)


@pytest.mark.slow
def test_the_losing_move_is_never_one_of_the_winners() -> None:
    """White resigned; the last move that crossed the line in one step was Black's b6, given back at once."""
    text = "f5f6e6d6g7e3c6c7c5b4d3d2c3e7f2f4b6b2f3g1a3a6c4g3f7b5d1"
    found = reviewed("othello", text, step=5.0)
    losing = found.losing_move(Player.SECOND)
    assert losing is not None
    assert (game("othello").move_name(found.states[losing.ply], losing.move), losing.mark) == (
        "b2",
        Mark.BLUNDER,
    )


def test_a_mistake_that_was_returned_did_not_lose_the_game() -> None:
    """a2 loses for the second side, c3 gives it back; resigned then, no move had lost it."""
    found = reviewed("tic-tac-toe", "a1a2c3")
    assert [move.after.result for move in found.reviewed if move] == [0, -1, 0]
    assert [found.losing_move(player) for player in Player] == [None, None]
    assert reviewed("tic-tac-toe", "a1a2").losing_move(Player.SECOND) == found.reviewed[1]


def test_a_game_without_a_mistake_keeps_everything() -> None:
    found = reviewed("tic-tac-toe", "b2a1c1a3a2c2b1b3c3")
    assert [found.losing_move(player) for player in Player] == [None, None]
    assert found.worst_move() is None
    assert [found.accuracy(player) for player in Player] == [1.0, 1.0]
    assert found.exact_from == 0


SLOWLY_REVIEWED = [key for key in GAMES if key != "connect-four"]

MOST_AT_RANDOM = {"draughts": 0.55}
"""A side that is some men ahead there wins with almost any move; elsewhere 40 % are the limit."""


@pytest.mark.parametrize(
    "key", [pytest.param(key, marks=[pytest.mark.slow] * (key in SLOWLY_REVIEWED)) for key in GAMES]
)
def test_random_play_is_not_accurate_and_the_best_moves_are_100(key: str) -> None:
    rules = game(key)
    assert best_accuracies(rules) == [1.0, 1.0]
    games = 8 if key == "tic-tac-toe" else 2  # its games are short, and some are drawn by luck
    at_level = of_level(levels_of(key)[-1], 1)
    found = [accuracies(rules, (at_random(seed), at_random(seed + 90))) for seed in range(games)]
    found += [[accuracies(rules, (at_random(seed), at_level))[0]] for seed in range(games)]
    values = [value for pair in found for value in pair if value is not None]
    assert mean(values) <= MOST_AT_RANDOM.get(key, 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["dots-and-boxes", "hex"])
def test_the_strongest_level_is_accurate_although_little_is_proved(key: str) -> None:
    level = levels_of(key)[-1]
    found = [accuracies(game(key), (of_level(level, seed), at_random(seed)))[0] for seed in range(3)]
    assert mean(value for value in found if value is not None) >= 0.65


def test_an_overlooked_threat_is_a_blunder_and_its_answer_the_best_move() -> None:
    found = reviewed("connect-four", "112235774", step=7.0)
    # Red has three in the bottom row, open at one end; Yellow leaves it open.
    open_still = found.reviewed[5]
    assert open_still is not None
    assert (open_still.mark, open_still.best, open_still.after.moves) == (Mark.BLUNDER, 3, 1)


def test_a_forced_move_counts_neither_as_good_nor_as_bad() -> None:
    found = reviewed("tic-tac-toe", "b2a1c1a3a2c2b1b3c3")
    last = found.reviewed[-1]
    assert last is not None
    assert last.is_forced
    assert last.mark is Mark.BEST


def test_without_time_for_proofs_states_have_marked_estimates() -> None:
    rules = game("connect-four")
    moves = parse_moves(rules, None, "44443356")
    states = states_of(rules.start(), moves)
    steps, found = plan(states, moves, Ticks(10.0)), None
    answer: Evaluation | None = None
    shown = []
    while not isinstance(found, Review) or found.share < 1:
        found = steps.send(answer)
        answer = None
        if isinstance(found, Question):
            assert found.limit.depth is not None
            answer = Evaluation(Score.likely(0.1), states[found.ply].legal_moves()[:1])
        else:
            shown.append(found.share)
    assert len(shown) > 3, "first values are shown before all are there"
    assert shown == sorted(shown)
    assert found.share == 1
    assert not any(entry.score.is_proved for entry in found.evaluations if entry)


def test_only_the_last_review_of_a_plan_is_final() -> None:
    rules = game("tic-tac-toe")
    moves = parse_moves(rules, None, "a1b1b2c1c3")
    states = states_of(rules.start(), moves)
    for proved, last in ((Score.drawn(), 0), (Score.likely(0.1), 4)):
        steps, answer, shown = plan(states, moves, Ticks(2.0), later_seconds=60.0), None, []
        while (step := next(steps, None) if answer is None else steps.send(answer)) is not None:
            answer = None
            if isinstance(step, Review):
                shown.append(step)
            else:
                guess = Score.likely(0.9) if step.limit == ESTIMATE else proved
                answer = Evaluation(guess, states[step.ply].legal_moves()[:1])
        assert [one.is_final for one in shown] == [False] * (len(shown) - 1) + [True]
        assert shown[-1].exact_from == last
        assert any(one.share == 1 for one in shown[:-1]), "whole, and not final yet"


def test_a_state_is_worth_at_least_the_score_of_its_move() -> None:
    rules = game("tic-tac-toe")
    moves = parse_moves(rules, None, "a1b1b2c1c3")
    states = states_of(rules.start(), moves)
    low = Evaluation(Score.likely(-0.9), (3,))
    found = Review.of(states, moves, [low] * 5 + [Evaluation(final_score(states[-1]))])
    won = found.evaluations[4]
    assert won is not None
    assert won.score == Score.won()
    assert won.best == 8


def first_pass(states: Sequence[State], moves: Sequence[Move], evaluator: Evaluator, plies: int) -> Review:
    """Return the first complete review, with time to prove `plies` states."""
    steps = plan(states, moves, Ticks(1.2 / plies))
    answer: Evaluation | None = None
    while True:
        step = steps.send(answer)
        if not isinstance(step, Review):
            answer = evaluator.evaluate(states[step.ply], Limit(seconds=60))
        elif step.share == 1:
            return step
        else:
            answer = None


@pytest.mark.slow
@pytest.mark.parametrize("games", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_exact_values_agree_with_the_solver_on_every_ply_of_random_games(games: int) -> None:
    rng, rules, solver = random.Random(200), game("connect-four"), ConnectFourSolver()
    evaluator = Estimator(rules)
    compared = 0
    for _ in range(games):
        state, moves = rules.start(), []
        while state.outcome() is None:
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
        states = states_of(rules.start(), moves)
        found = first_pass(states, moves, evaluator, plies=42)
        for here, entry in zip(states[:-1], found.evaluations, strict=False):
            assert entry is not None
            assert entry.score.is_proved
            score = solver.solve(here)
            assert score is not None
            assert entry.score.result == (score > 0) - (score < 0), here
            stones_left = here.ply // 2 if score > 0 else (here.ply + 1) // 2
            if score and entry.score.moves is not None:
                assert entry.score.moves == 22 - abs(score) - stones_left
            compared += 1
    assert compared > 15 * games
