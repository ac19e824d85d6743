"""docs/adding-a-game.md, followed to the letter, gives a game that people play in Discord."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_game_added_by_the_page_is_played_in_the_bot() -> None:
    target = "tests/bot/added_game/whole_match.py"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "tests.added_game", "-p", "no:cacheprovider", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
