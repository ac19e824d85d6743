"""Strengths from results: agreement with another implementation, and general properties."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.arena.elo import strengths

KEPT = json.loads((Path(__file__).parents[2] / "data" / "bradley_terry.json").read_text("utf-8"))


@pytest.mark.parametrize("case", KEPT["cases"], ids=lambda case: f"{len(case['wins'])} entrants")
def test_strengths_match_those_of_choix(case: dict[str, list[float]]) -> None:
    assert strengths(np.array(case["wins"])) == pytest.approx(case["nats"], abs=1e-6)


@pytest.mark.slow
@given(st.integers(2, 8), st.integers(0, 2**32 - 1), st.floats(0.1, 300))
def test_the_expected_wins_equal_the_actual_wins(contenders: int, seed: int, most: float) -> None:
    wins = np.random.default_rng(seed).uniform(0.05, most, (contenders, contenders))
    np.fill_diagonal(wins, 0)
    found = strengths(wins)
    expected = (wins + wins.T) / (1 + np.exp(found[None, :] - found[:, None]))
    assert expected.sum(axis=1) == pytest.approx(wins.sum(axis=1), rel=1e-6)
    assert found.mean() == pytest.approx(0, abs=1e-9)


def test_a_chain_of_crushing_wins_has_finite_strengths_evenly_apart() -> None:
    wins = np.zeros((6, 6))
    for better in range(5):
        wins[better, better + 1], wins[better + 1, better] = 1000.05, 0.05
    assert -np.diff(strengths(wins)) == pytest.approx([np.log(1000.05 / 0.05)] * 5)


def test_a_single_contender_and_disconnected_groups_are_handled() -> None:
    assert strengths(np.zeros((1, 1))) == pytest.approx([0.0])
    apart = np.kron(np.eye(2), np.array([[0.0, 3.0], [1.0, 0.0]]))
    with pytest.raises(ValueError, match="linked"):
        strengths(apart)
