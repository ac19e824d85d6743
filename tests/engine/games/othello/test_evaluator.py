"""The evaluator of Othello: exact if it says so, and never outside the rules."""

from __future__ import annotations

import random

import pytest

from engine.core import EngineError, Limit, Move, NotationError, Player, State, replay
from engine.games import game
from engine.games.othello.evaluator import OthelloEvaluator
from engine.games.othello.notation import read_board, write_board
from engine.games.othello.position import Position
from engine.score import Evaluation, Score
from tests.engine.games.othello.positions import random_twin, solved, state_of


def evaluated(state: State, limit: Limit | None = None) -> Evaluation:
    return OthelloEvaluator().evaluate(state, limit or Limit())


def moves_of(state: State, limit: Limit | None = None) -> dict[Move, Score]:
    return dict(OthelloEvaluator().evaluate_moves(state, limit or Limit()).moves)


@pytest.mark.parametrize("size", [8, 6])
@pytest.mark.parametrize("empties", [1, 3, 6, pytest.param(8, marks=pytest.mark.slow)])
def test_the_exact_score_of_every_move_agrees_with_a_full_search(size: int, empties: int) -> None:
    rng = random.Random(empties)
    for _ in range(3):
        twin = random_twin(size, rng, empties)
        state = state_of(twin)
        here = Position.of(state)
        scores = moves_of(state)
        expected = {here.move_of(square): -solved(twin.play(square)) for square in twin.placements()}
        assert scores == {move: Score.by_discs(discs) for move, discs in expected.items()}
        assert [score.discs for score in scores.values()] == sorted(expected.values(), reverse=True)
        assert evaluated(state).score == Score.by_discs(max(expected.values()))
        solved.cache_clear()


def test_the_solution_carries_a_legal_line_that_begins_with_a_best_move() -> None:
    rng = random.Random(4)
    state = state_of(random_twin(8, rng, 12))
    found = evaluated(state)
    assert found.score.exact
    assert found.best in {move for move, score in moves_of(state).items() if score == found.score}
    replay(state, found.line)


def test_a_forced_pass_has_the_score_of_its_continuation() -> None:
    # Black, to move, has no move; white takes the last square.
    state = read_board("XXXXXXXX" * 7 + "XXXXXXO- " + "O")
    assert state.to_move is Player.SECOND
    state = read_board("O" * 62 + "X-" + " O")
    mirrored = read_board("X" * 61 + "XO-" + " O")
    assert mirrored.legal_moves() == (64,)
    assert evaluated(mirrored).score == Score.by_discs(-64)
    assert evaluated(mirrored).best == 64
    assert moves_of(mirrored) == {64: Score.by_discs(-64)}
    assert evaluated(state).score == Score.by_discs(64)


def test_scores_early_in_the_game_are_called_estimates() -> None:
    start = game("othello").start()
    scores = moves_of(start, Limit(depth=6))
    assert sorted(scores) == list(start.legal_moves())
    assert {(score.exact, score.is_proved, score.depth) for score in scores.values()} == {(False, False, 6)}
    assert len(set(scores.values())) == 1, "the four first moves are mirror images"
    assert evaluated(start, Limit(depth=6)).score.depth == 6


def test_an_analysis_respects_its_limit_and_still_scores_every_move() -> None:
    start = game("othello").start()
    for limit in (Limit(nodes=1), Limit(nodes=5000), Limit(seconds=0.05)):
        assert sorted(moves_of(start, limit)) == list(start.legal_moves())
        assert evaluated(start, limit).best in start.legal_moves()


def test_an_unfinished_search_proves_nothing() -> None:
    assert not evaluated(game("othello").start(), Limit(nodes=2000)).score.is_proved


def test_claims_about_the_winner_alone_are_true() -> None:
    """Stopped after any number of nodes, it claims nothing that the complete search contradicts."""
    kinds = set()
    for seed in range(4):
        state = state_of(random_twin(8, random.Random(seed), 14))
        truth = evaluated(state).score
        for nodes in range(500, 30_000, 500):
            score = evaluated(state, Limit(nodes=nodes)).score
            kinds.add((score.is_proved, score.exact))
            assert score.result in (None, truth.result)
            if score.exact:
                assert score == truth
                break
    assert kinds == {(False, False), (True, False), (True, True)}


def test_a_finished_game_has_its_final_score_and_no_moves() -> None:
    over = read_board("X" * 40 + "." * 24 + "X")
    assert evaluated(over) == Evaluation(Score.by_discs(64))
    with pytest.raises(EngineError, match="over"):
        moves_of(over)


def test_boards_survive_writing_and_reading() -> None:
    start = game("othello").start()
    text = "---------------------------OX------XO---------------------------"
    assert read_board(text + " X") == start
    assert read_board(text.replace("-", ".").lower() + "*") == start
    small = read_board("." * 14 + "OX....XO" + "." * 14 + "X")
    assert small == game("othello").start("6x6")
    assert [read_board(write_board(state)) for state in (start, small)] == [start, small]


def test_a_board_without_its_middle_is_refused_before_a_search_fails_on_it() -> None:
    with pytest.raises(NotationError, match="middle") as refused:
        read_board("--XO" + "-" * 60 + " X")
    assert refused.value.column == 27


@pytest.mark.parametrize("text", ["", "X", "-" * 64, "-" * 63 + " X", "-" * 64 + " Z", "?" * 64 + " X"])
def test_an_invalid_board_is_refused_with_the_format(text: str) -> None:
    with pytest.raises(NotationError, match="64 squares"):
        read_board(text)


def test_another_game_is_refused_with_a_message() -> None:
    with pytest.raises(EngineError, match="plays Othello only"):
        moves_of(game("tic-tac-toe").start())
