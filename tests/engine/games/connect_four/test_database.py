"""Our scores are those of a database that others computed: the 4,200,899 positions of bitbully-databases."""

from __future__ import annotations

import random

import numpy as np
import pytest

from bench.references import HOW_TO_INSTALL, PLY, Database, database, is_installed
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import (
    NO_SCORES,
    UNKNOWN,
    EarlyScores,
    early_scores,
    stored_positions,
)
from engine.games.connect_four.exact_solver import ConnectFourSolver

COUNT = 2000

pytestmark = pytest.mark.skipif(
    not is_installed("bitbully_databases"), reason=f"bitbully-databases is missing: {HOW_TO_INSTALL}"
)


@pytest.fixture(scope="module")
def known() -> Database:
    return database()


@pytest.fixture(scope="module")
def early(known: Database) -> EarlyScores:
    """Return the scores of the first twelve plies that follow from the database."""
    keys = known.own + known.mask + sum(1 << 7 * column for column in range(7))
    image = sum((keys >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    canonical = np.minimum(keys, image)
    order = np.argsort(canonical)
    assert (canonical[order] == stored_positions(PLY)).all(), "our enumeration has the same positions"
    return EarlyScores.of(known.scores[order].astype(np.int8), PLY)


def test_the_solver_agrees_on_random_positions_of_ply_12(known: Database) -> None:
    solver, rng = ConnectFourSolver(), random.Random(12)
    for place in rng.sample(range(len(known.scores)), COUNT):
        state = ConnectFourState(own=int(known.own[place]), mask=int(known.mask[place]), ply=PLY)
        assert solver.solve(state) == known.scores[place], f"\n{state}"


def test_the_value_of_every_beginning_follows_from_the_database(early: EarlyScores) -> None:
    values = early.scores_of_moves(ConnectFourState())
    assert values == {0: -2, 1: -1, 2: 0, 3: 1, 4: 0, 5: -1, 6: -2}


@pytest.mark.skipif(early_scores() is NO_SCORES, reason="the file of early scores has not been made")
def test_every_solved_score_of_the_file_agrees(early: EarlyScores) -> None:
    for ply, ours in enumerate(early_scores().scores):
        is_solved = ours != UNKNOWN
        assert (early_scores().keys[ply] == early.keys[ply]).all()
        assert (ours[is_solved] == early.scores[ply][is_solved]).all()
