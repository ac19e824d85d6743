"""Weights from nothing but the rules, round after round, and nothing made twice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.games.othello.kernels.shapes import PHASES, WEIGHTS, phase_of
from tools.othello_rounds import ROUNDS, Round, make

SHORT = (
    Round("a", 6, 1, (30, 46), "a", below=10),
    Round("b", 4, 2, (30, 44), "ab", below=20),
)


@pytest.mark.slow
def test_each_round_learns_from_earlier_rounds_and_keeps_existing_results(tmp_path: Path) -> None:
    last = make(tmp_path, SHORT)
    with np.load(tmp_path / "weights_a.npz") as first, np.load(last) as second:
        near_the_end, earlier = phase_of(8), phase_of(17)
        assert first["packed"].shape == second["packed"].shape == (PHASES, WEIGHTS + 1)
        assert np.count_nonzero(first["packed"][near_the_end])
        assert not np.array_equal(first["packed"][earlier], second["packed"][earlier])
    files = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert {path.name for path in files} == {"a.npz", "b.npz", "weights_a.npz", "weights_b.npz"}
    (tmp_path / "weights_b.npz").unlink()  # as if it had been ended in the middle of the last step
    make(tmp_path, SHORT)
    changed = [path.name for path, time in files.items() if path.stat().st_mtime_ns != time]
    assert changed == ["weights_b.npz"]


def test_every_round_is_fitted_to_its_own_positions_and_to_earlier_ones() -> None:
    names = "".join(entry.name for entry in ROUNDS)
    assert len(set(names)) == len(names)
    for number, entry in enumerate(ROUNDS):
        assert entry.fitted_to.endswith(entry.name)
        assert set(entry.fitted_to) <= set(names[: number + 1])
