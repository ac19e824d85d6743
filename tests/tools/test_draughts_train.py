"""The training of draughts' estimates plays whole games and finds the worths that the results follow."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from engine.core import Player
from engine.games.draughts.kernels.search import KINGS, MAN, TEMPO
from engine.games.draughts.searcher import words_of, worths
from tests.engine.games.draughts.test_rules import position
from tools import draughts_train

ROOT = Path(__file__).parents[2]


def run(*arguments: str | Path) -> str:
    """What the tool prints.

    In a process of its own: where a bot has warmed up in this one, it has freed the code that `_play` calls.
    """
    command = [sys.executable, "-m", "tools.draughts_train", *map(str, arguments)]
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


@pytest.mark.slow
def test_games_are_played_and_worths_fitted_to_them(tmp_path: Path) -> None:
    games, others, file = tmp_path / "games.npz", tmp_path / "others.npz", tmp_path / "worths.npz"
    run("play", games, "--games", "12", "--nodes", "200", "--plain")
    run("play", others, "--games", "12", "--nodes", "200", "--plain")
    for one, same in zip(np.load(games).values(), np.load(others).values(), strict=True):
        assert np.array_equal(one, same), "equal seeds play equal games"
        assert len(set(one[:, 2])) == 1
        assert one[0, 2] in (0, 1, 2)
    assert "log-loss" in run("fit", file, games, others)
    found = np.load(file)["worths"]
    assert found.shape == worths().shape
    assert found[MAN] > 0


def test_a_position_and_the_same_for_the_other_side_have_equal_features() -> None:
    one = words_of(position("1 6 B10 / 22 30 W2"))
    other = words_of(position("11 3 B31 / 32 27 W23", Player.SECOND))
    columns, values, pieces, results = draughts_train.features(np.array([[*one, 2], [*other, 0]]))
    first, second = (sorted(zip(*each, strict=True)) for each in zip(columns, values, strict=True))
    assert first == second
    assert pieces.tolist() == [0.25, 0.25]
    assert results.tolist() == [1.0, 1.0], "the side to move has won"


def test_the_fit_finds_that_pieces_win() -> None:
    ahead, behind = words_of(position("1 6 B10 / 22 23")), words_of(position("1 6 / 22 23 W30"))
    games = [np.array([[*ahead, 2], [*behind, 0]])] * 200
    found = draughts_train.fit(games)
    king = found[KINGS + 2 * 9 + 1]
    assert king > 0
    assert abs(found[TEMPO]) < king, "both sides were to move, and won as often"
