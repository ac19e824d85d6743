"""Scores: order, negation and wording of proved, bounded and estimated ones."""

from __future__ import annotations

import doctest
import itertools

import pytest

import engine.score
from engine.core import EngineError, replay
from engine.games import game
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.score import Evaluation, Score, best_of, final_score

WON, LOST, DRAWN, BETWEEN = Score.won, Score.lost, Score.drawn, Score.between

ASCENDING = (
    (LOST(0), LOST(2), LOST(40), LOST(), Score.likely(-0.5), BETWEEN(LOST(4), WON(9)), DRAWN()),
    (LOST(30), Score.guess(-2000), Score.guess(-3), Score(), Score.guess(3), Score.guess(2000), WON(30)),
    (DRAWN(), Score.likely(0.5), WON(), BETWEEN(WON(39), WON(3)), WON(37), WON(3), WON(1)),
    (Score.by_discs(-64), Score.about(-2, 9), Score.by_discs(-2), Score.by_discs(0), Score.about(1, 9, 1)),
)


def test_the_examples_of_the_module_are_correct() -> None:
    done = doctest.testmod(engine.score)
    assert (done.failed, done.attempted > 0) == (0, True)


@pytest.mark.parametrize("scores", ASCENDING)
def test_scores_are_ordered_from_a_quick_loss_to_a_quick_win(scores: tuple[Score, ...]) -> None:
    assert sorted(scores) == list(scores)
    for low, high in itertools.combinations(scores, 2):
        assert low < high
        assert high > low
        assert low <= high
        assert high >= low


@pytest.mark.parametrize("score", [*itertools.chain(*ASCENDING), Score()])
def test_the_other_side_sees_the_opposite(score: Score) -> None:
    theirs = -score
    assert -theirs == score
    assert theirs.expectation == -score.expectation
    assert theirs.result == (None if score.result is None else -score.result)
    assert (theirs.plies, theirs.depth, theirs.exact) == (score.plies, score.depth, score.exact)


@pytest.mark.parametrize(
    ("stones", "ply", "words"),
    [
        (0, 0, "draw"),
        (1, 0, "wins in 21"),  # the empty board: with the first player's very last stone
        (18, 0, "wins in 4"),  # the fastest win
        (18, 6, "wins in 1"),
        (-18, 5, "loses in 1"),
        (-1, 1, "loses in 20"),  # it has made one of its moves
        (1, 40, "wins in 1"),
        (1, 41, "wins in 1"),
        (-1, 40, "loses in 1"),
    ],
)
def test_a_count_of_stones_becomes_moves_of_the_winner(stones: int, ply: int, words: str) -> None:
    score = Score.of_stones(stones, 42 - ply)
    assert str(score) == words
    assert score.points(42 - ply) == stones


def test_the_words_count_the_winners_moves_of_a_game_played_out() -> None:
    """Both sides of a won game are given the same end, move by move."""
    game = [2, 2, 3, 3, 4, 0, 1]
    for to_play in range(1, 8):
        ply = len(game) - to_play
        stones = (43 - 6) >> 1 if to_play % 2 else -((43 - 6) >> 1)
        score = Score.of_stones(stones, 42 - ply)
        assert score == (WON(to_play) if to_play % 2 else LOST(to_play))
        assert score.moves == (to_play + 1) // 2
        assert (-score).earlier().points(43 - ply) == -stones, "stones from the end stay, plies grow"
    state = ConnectFourState()
    for move in game:
        assert state.outcome() is None
        state = state.play(move)
    assert final_score(state) == LOST(0)


@pytest.mark.parametrize(("stones", "ply"), [(22, 0), (-22, 1), (2, 40), (-1, 41), (-2, 40), (1, 42)])
def test_an_impossible_score_is_refused(stones: int, ply: int) -> None:
    with pytest.raises(ValueError, match=f"with {42 - ply} empty cells has the score {stones}"):
        Score.of_stones(stones, 42 - ply)


@pytest.mark.parametrize(
    ("discs", "proved", "winner", "estimated"),
    [
        (0, "draw", "draw", "about even"),
        (6, "wins by 6", "wins", "about 6 ahead"),
        (-64, "loses by 64", "loses", "about 64 behind"),
    ],
)
def test_discs_are_worded_as_proved_or_estimated(
    discs: int, proved: str, winner: str, estimated: str
) -> None:
    exact = Score.by_discs(discs)
    assert str(exact) == proved
    assert str(Score.about(discs, 8, exact.result)) == winner
    assert str(Score.about(discs, 8)) == str(exact.unproved()) == estimated


def test_inexact_scores_have_no_number_or_are_estimates() -> None:
    assert [str(score) for score in (WON(), LOST(), LOST(0), Score())] == ["wins", "loses", "lost", "unknown"]
    assert str(Score.likely(0.24)) == "about 62 %"
    assert str(Score.guess(-7)) == "about -7 points"
    assert str(BETWEEN(LOST(14), DRAWN())) == "undecided for 13 plies"
    assert Score.likely(1.5).expectation == 1.0
    assert DRAWN().unproved() == Score.likely(0.0)
    assert not WON(3).unproved().is_proved
    assert BETWEEN(WON(9), WON(3)).unproved() == Score()


def test_bounds_give_the_winner_or_the_plies_without_one() -> None:
    undecided, winning, losing = BETWEEN(LOST(8), WON(5)), BETWEEN(WON(9), WON(3)), BETWEEN(LOST(2), LOST(8))
    assert BETWEEN(WON(3), WON(3)) == WON(3)
    assert (undecided.result, undecided.depth, undecided.points(20)) == (None, 4, 0)
    assert (winning.result, winning.depth, winning.points(20)) == (1, 2, WON(9).points(20))
    assert (losing.result, losing.depth, losing.points(20)) == (-1, 1, LOST(8).points(20))
    assert (undecided.low, undecided.high) == (LOST(8), WON(5))
    assert undecided.earlier() == BETWEEN(LOST(9), WON(6))


def test_the_best_score_is_exact_only_if_every_moves_is() -> None:
    proved, guessed = Score.by_discs(4), Score.about(2, 9)
    assert best_of([proved, Score.by_discs(2)]) == proved
    assert best_of([proved, guessed]) == Score.about(4, 9, 1), "a win is one, whatever else there is"
    assert best_of([Score.by_discs(-4), Score.about(-6, 9)]) == Score.about(-4, 9)
    assert best_of([WON(5), BETWEEN(LOST(6), WON(7))]) == WON(5)
    assert best_of([DRAWN(), BETWEEN(LOST(6), WON(7))]) == BETWEEN(DRAWN(), WON(7))
    assert best_of([LOST(4), BETWEEN(LOST(8), DRAWN())]) == BETWEEN(LOST(8), DRAWN())
    assert best_of([WON(5), Score()]) == WON()
    assert best_of([Score.likely(0.5), Score.likely(0.25)]) == Score.likely(0.5)


def test_an_evaluation_of_moves_names_the_first_of_the_best() -> None:
    found = Evaluation.of_moves({3: DRAWN(), 1: WON(3), 2: WON(3)}, 7)
    assert (found.score, found.best, found.nodes) == (WON(3), 1, 7)
    assert Evaluation(LOST(0)).best is None


def test_a_finished_game_is_scored_for_the_side_that_would_move_next() -> None:
    line = replay(game("connect-four").start(), [0, 1, 0, 1, 0, 1, 0])
    assert final_score(line) == LOST(0)
    full = replay(game("tic-tac-toe").start(), [0, 1, 2, 4, 3, 5, 7, 6, 8])
    assert final_score(full) == DRAWN()
    with pytest.raises(EngineError):
        final_score(game("connect-four").start())


@pytest.mark.parametrize(("own", "opponent", "discs"), [(0b111, 0, 64), (0, 0b111, -64)])
def test_empty_squares_count_for_the_winner(own: int, opponent: int, discs: int) -> None:
    assert final_score(OthelloState(8, own, opponent, ply=9)) == Score.by_discs(discs)
