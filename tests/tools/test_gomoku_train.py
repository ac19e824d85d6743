"""The training of Gomoku's estimates plays whole games and finds the worths that the results follow."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.core import replay
from engine.games import game
from engine.games.gomoku.kernels.board import OPEN_FOUR
from engine.games.gomoku.searcher import SHAPES_OF_SQUARE, Worths
from engine.games.notation import parse_moves
from tools import gomoku_train


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> None:
    monkeypatch.setattr(sys, "argv", ["gomoku_train.py", *map(str, arguments)])
    gomoku_train.main()


@pytest.mark.slow
def test_games_are_played_to_their_end_and_worths_fitted_to_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games, worths = tmp_path / "games.txt", tmp_path / "worths.txt"
    run(monkeypatch, "play", games, "--games", "3", "--nodes", "200")
    run(monkeypatch, "play", games, "--games", "1", "--nodes", "200", "--seed", "9")
    lines = games.read_text("utf-8").split()
    assert len(set(lines)) == 4
    rules = game("gomoku")
    for line in lines:
        moves = parse_moves(rules, gomoku_train.BOARD, line)
        assert replay(rules.start(gomoku_train.BOARD), moves).outcome() is not None
    run(monkeypatch, "fit", games, worths)
    assert "log-loss fitted" in capsys.readouterr().out
    found = Worths.parse(worths.read_text("utf-8"))
    assert tuple(found.own) == tuple(found.other) == SHAPES_OF_SQUARE


def test_the_fit_finds_the_worths_that_results_follow() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([0.6, -0.4, 0.2])
    counts = rng.integers(0, 4, (20_000, 3)).astype(float)
    results = (rng.random(len(counts)) < 1 / (1 + np.exp(-(counts @ truth)))).astype(float)
    found = gomoku_train.fitted(counts, results, np.zeros(3), ridge=1.0)
    assert found == pytest.approx(truth, abs=0.05)
    loss = gomoku_train.log_loss(counts, results, found)
    assert loss < gomoku_train.log_loss(counts, results, np.zeros(3)) == pytest.approx(np.log(2))
    assert gomoku_train.fitted(counts, results, np.zeros(3), ridge=1e9) == pytest.approx(
        np.zeros(3), abs=1e-3
    )


def test_a_worth_keeps_a_share_of_the_value_that_it_is_drawn_to() -> None:
    rng = np.random.default_rng(4)
    counts = rng.integers(0, 4, (5_000, 3)).astype(float)
    results = (rng.random(len(counts)) < 1 / (1 + np.exp(counts[:, 0] - counts[:, 2]))).astype(float)
    found = gomoku_train.fitted(counts, results, np.array([0.8, -0.4, 0.4]), ridge=1.0)
    assert found[:2] == pytest.approx(gomoku_train.LEAST * np.array([0.8, -0.4])), "results ask for less"
    assert found[2] > 0.2, "it is not held"


def test_results_belong_to_the_side_to_move_and_decided_positions_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gomoku_train, "KEPT", 1.0)
    # White plays on; from the open three on Black has a win by fours, and then a five.
    found = list(gomoku_train.positions("h8a1h9a2h10c1h11e1h12", random.Random(1)))
    assert [result for _, result in found] == [1.0, 0.0]
    counts, _ = found[1]
    kinds = SHAPES_OF_SQUARE[1:]
    with_four = [column for column, shapes in enumerate(kinds) if OPEN_FOUR in shapes]
    assert sum(counts[column] for column in with_four) == 0, "White's own"
    assert sum(counts[len(kinds) + column] for column in with_four) == 2, "h7 and h11 are Black's"
