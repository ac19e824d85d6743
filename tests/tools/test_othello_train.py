"""The training of Othello's weights does what its options say."""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from engine.games.othello import Othello
from engine.games.othello.kernels.shapes import PHASES, WEIGHTS, phase_of
from engine.games.othello.kernels.vectors import signed
from tools import othello_train

POSITIONS = 1_100
"""A phase is fitted from a thousand on."""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three positions in a row of many random games, 40 to 38 squares being empty, valued by chance."""
    rng = random.Random(1)
    rows: list[Any] = []
    while len(rows) < POSITIONS:
        state = Othello().start()
        while state.outcome() is None and state.ply < 22:
            state = state.play(rng.choice(state.legal_moves()))
            if state.ply > 19:
                rows.append((signed(state.own), signed(state.opponent), rng.randrange(-40, 41)))
    own, opposing, value = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    path = tmp_path_factory.mktemp("training") / "positions.npz"
    np.savez(path, own=own, opposing=opposing, value=value.astype(np.int8))
    return path


def trained(monkeypatch: pytest.MonkeyPatch, data: Path, *options: str) -> npt.NDArray[np.int16]:
    out = data.with_name("weights.npz")
    arguments = ["othello_train.py", str(out), str(data), "--steps", "2", *options]
    monkeypatch.setattr(sys, "argv", arguments)
    othello_train.main()
    with np.load(out) as weights:
        packed: npt.NDArray[np.int16] = weights["packed"]
    return packed


@pytest.mark.slow
@pytest.mark.parametrize("option", [("--later", "0.8"), ("--most-discs", "39"), ("--ridge", "9000")])
def test_every_option_changes_the_weights(
    monkeypatch: pytest.MonkeyPatch, data: Path, option: tuple[str, str]
) -> None:
    plain = trained(monkeypatch, data)
    assert plain.shape == (PHASES, WEIGHTS + 1)
    assert not np.array_equal(plain, trained(monkeypatch, data, *option))
    assert np.array_equal(plain, trained(monkeypatch, data)), "the same data make the same weights"


@pytest.mark.slow
def test_a_heavy_ridge_keeps_the_weights_near_the_starting_ones(
    monkeypatch: pytest.MonkeyPatch, data: Path, tmp_path: Path
) -> None:
    prior = np.random.default_rng(2).integers(-200, 200, (PHASES, WEIGHTS + 1)).astype(np.int16)
    path = tmp_path / "prior.npz"
    np.savez(path, packed=prior)
    held = trained(monkeypatch, data, "--prior", str(path), "--ridge", "1e9")
    phase = phase_of(39)
    assert np.array_equal(held[phase], prior[phase])
    moved = trained(monkeypatch, data, "--prior", str(path), "--ridge", "10")
    assert not np.array_equal(moved[phase], prior[phase])
