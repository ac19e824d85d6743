"""Matches of bench/ at equal time: both colours count alike, and every contestant plays by the rules."""

from __future__ import annotations

import random

import pytest

from bench.othello_matches import OPPONENTS, RUST_REVERSI, Contestant, Patterns, RustReversi, match
from bench.othello_openings import balanced_openings
from bench.references import is_installed
from engine.core import Move
from engine.games.othello import OthelloState
from engine.games.othello.searcher import Searcher, weights_for


class Last:
    """Always the last of the legal moves."""

    def move(self, state: OthelloState, seconds: float) -> Move:
        return state.legal_moves()[-1]


@pytest.fixture(scope="module")
def openings() -> list[OthelloState]:
    return balanced_openings(3, Searcher(weights_for(8)), random.Random(1))


def test_a_player_that_meets_itself_scores_half_of_the_points(openings: list[OthelloState]) -> None:
    row = match(Last(), Last(), openings, 1.0)
    assert row.startswith("6 | 0.500 ± ")
    assert " | +0.0 | " in row


@pytest.mark.slow
def test_the_patterns_win_every_fast_game_against_a_player_that_takes_the_last_move(
    openings: list[OthelloState],
) -> None:
    row = match(Patterns(weights_for(8)), Last(), openings, 0.01)
    assert row.startswith("6 | 1.000 ± 0.500 | +"), row


@pytest.mark.skipif(not is_installed(RUST_REVERSI), reason="needs rust-reversi")
@pytest.mark.parametrize("name", OPPONENTS)
def test_the_searches_of_rust_reversi_see_the_same_board(name: str, openings: list[OthelloState]) -> None:
    other: Contestant = RustReversi(OPPONENTS[name])
    for state in openings:
        assert other.move(state, 0.01) in state.legal_moves()
