"""Tests of the Connect Four benchmark: its position sets, its timings, and a correct reference engine."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from bench.connect_four import (
    BEGIN,
    END,
    MIDDLE,
    SETS,
    Ours,
    Position,
    Tutorial,
    can_win,
    mean_seconds,
    plies_left,
    random_position,
)
from engine.core import Outcome
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import NO_SCORES
from engine.games.connect_four.exact_solver import ConnectFourSolver


def random_positions(count: int, least: int, most: int) -> list[Position]:
    rng, solver = random.Random(least), ConnectFourSolver()
    return [random_position(rng, solver, rng.randint(least, most)) for _ in range(count)]


def play_out(state: ConnectFourState) -> tuple[int, Outcome]:
    """The plies that perfect play takes from a state, and how it ends."""
    solver, plies = ConnectFourSolver(), 0
    while (outcome := state.outcome()) is None:
        best = solver.best(state)
        assert best is not None
        # The most central best move is as quick as any: a score is the number of stones left.
        state = state.play(best[0])
        plies += 1
    return plies, outcome


@pytest.mark.slow
def test_the_plies_left_are_those_of_perfect_play() -> None:
    for position in random_positions(60, 20, 38):
        plies, outcome = play_out(position.state)
        assert plies == plies_left(position.score, position.state.ply)
        assert (outcome.winner is None) == (position.score == 0)


@pytest.mark.slow
def test_the_tutorials_solver_finds_the_same_scores() -> None:
    plain = Tutorial()
    positions = random_positions(150, 16, 38)
    assert len({position.score for position in positions}) > 10
    for position in positions:
        assert plain.solve(plain.prepare(position)) == position.score
    plain.forget()
    assert plain.solve(plain.prepare(positions[0])) == positions[0].score


def test_the_sets_share_no_position_and_cover_every_length_of_begin_and_middle() -> None:
    for stones in (BEGIN, MIDDLE):
        lengths = sorted(entry.plies for entry in SETS if entry.stones == stones)
        for (_, most), (least, _) in pairwise(lengths):
            assert least == most + 1
    assert BEGIN[1] + 1 == MIDDLE[0]
    assert MIDDLE[1] + 1 == END[0]


@pytest.mark.slow
def test_positions_of_the_sets_are_still_open() -> None:
    for position in random_positions(50, 10, 38):
        assert position.state.outcome() is None
        assert not can_win(position.state)


def test_a_wrong_engine_is_detected() -> None:
    position = random_positions(1, 30, 30)[0]
    ours = Ours("ours", NO_SCORES)
    assert mean_seconds([ours], [position])[0] > 0
    with pytest.raises(RuntimeError, match="ours says"):
        mean_seconds([ours], [Position(position.moves, position.state, position.score + 1)])
