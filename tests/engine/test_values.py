"""Scores in people's words."""

from __future__ import annotations

import pytest

from engine.games.connect_four import ConnectFourState
from engine.score import disc_label, estimate_label, label, moves_to_win, winner_label


@pytest.mark.parametrize(
    ("score", "ply", "words"),
    [
        (0, 0, "draw"),
        (1, 0, "wins in 21"),  # the empty board: with the first player's very last stone
        (18, 0, "wins in 4"),  # nobody wins sooner
        (18, 6, "wins in 1"),
        (-18, 5, "loses in 1"),
        (-1, 1, "loses in 20"),  # it has made one of its moves
        (1, 40, "wins in 1"),
        (1, 41, "wins in 1"),
        (-1, 40, "loses in 1"),
    ],
)
def test_a_score_is_told_in_moves_of_the_winner(score: int, ply: int, words: str) -> None:
    assert label(score, ply) == words


def test_the_word_counts_the_winners_moves_of_a_game_played_out() -> None:
    """Both sides of a won game are told the same end, move by move."""
    game = [2, 2, 3, 3, 4, 0, 1]
    for to_play in range(1, 8):
        ply = len(game) - to_play
        winners_moves = (to_play + 1) // 2
        score = (43 - 6) >> 1 if to_play % 2 else -((43 - 6) >> 1)
        assert label(score, ply) == f"{'wins' if score > 0 else 'loses'} in {winners_moves}"
    state = ConnectFourState()
    for move in game:
        assert state.outcome() is None
        state = state.play(move)
    assert state.outcome() is not None


@pytest.mark.parametrize(("score", "ply"), [(22, 0), (-22, 1), (2, 40), (-1, 41), (-2, 40), (1, 42)])
def test_a_score_that_cannot_be_is_refused(score: int, ply: int) -> None:
    with pytest.raises(ValueError, match=f"no position of ply {ply}"):
        moves_to_win(score, ply)


@pytest.mark.parametrize(
    ("discs", "proved", "winner", "estimated"),
    [
        (0, "draw", "draw", "about even"),
        (6, "wins by 6", "wins", "about 6 ahead"),
        (-64, "loses by 64", "loses", "about 64 behind"),
    ],
)
def test_discs_are_told_as_proved_or_as_guessed(discs: int, proved: str, winner: str, estimated: str) -> None:
    assert (disc_label(discs), winner_label(discs), estimate_label(discs)) == (proved, winner, estimated)
