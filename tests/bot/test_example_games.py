"""A package with two games, found by its entry points: Kalah, and moves from a square to another."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "tests" / "example_package"


def run(*arguments: str, seconds: float = 300) -> str:
    """The output of a Python process in which the package is installed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(PACKAGE)},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("game", ["little-kalah", "little-breakthrough"])
def test_the_game_keeps_the_contract(game: str) -> None:
    assert run("-m", "engine", "check-game", game).splitlines()[-1].endswith("it can be played.")


@pytest.mark.slow
def test_two_agents_play_it_in_the_terminal() -> None:
    for game in ("little-kalah", "little-breakthrough"):
        said = run("-m", "engine", "play", "one-step", "random", "--game", game, "--as-text")
        assert "wins" in said or "draw" in said


@pytest.mark.slow
@pytest.mark.parametrize("tests", ["whole_matches.py", "front_ends.py"])
def test_the_bot_plays_and_draws_them(tests: str) -> None:
    run("-m", "pytest", "-q", "-p", "no:cacheprovider", f"tests/bot/example_games/{tests}")
