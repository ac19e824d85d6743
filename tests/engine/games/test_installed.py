"""A package's games are found by their entry points, and one that is broken harms no other."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.games import GAMES

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "adding-a-game.md").read_text("utf-8")


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder as pip leaves it: the page's game as a package, and three that are no use."""
    (tmp_path / "caro.py").write_text(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)[0], "utf-8")
    (tmp_path / "raising.py").write_text("raise RuntimeError('out of order')\n", "utf-8")
    (tmp_path / "lesser.py").write_text("SPEC = 'a game'\n", "utf-8")
    (tmp_path / "again.py").write_text("from engine.games.othello import SPEC\n", "utf-8")
    info = tmp_path / "boards-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: boards\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(
        "[discade.games]\nagain = again\nfive = caro:SPEC\nlesser = lesser\nraising = raising\n", "utf-8"
    )
    return tmp_path


def run(packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(packages)!r}]\n"
    return subprocess.run(
        [sys.executable, "-c", code + arguments[0], *arguments[1:]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_an_installed_game_comes_after_ours(packages: Path) -> None:
    found = run(packages, "from engine.games import GAMES; print(*GAMES)")
    assert found.stdout.split() == [*GAMES, "caro"]


def test_a_game_that_cannot_be_loaded_is_logged_with_the_reason(packages: Path) -> None:
    said = run(packages, "import logging; logging.basicConfig(); import engine.games").stderr
    assert "the game raising (raising) cannot be loaded: out of order" in said
    assert "the game lesser (lesser) cannot be loaded: it is a str, no GameSpec" in said
    assert "installed game othello ignored" in said


@pytest.mark.slow
def test_check_game_says_that_it_can_be_played(packages: Path) -> None:
    code = "from engine.__main__ import main; sys.exit(main())"
    found = run(packages, code, "check-game", "caro")
    assert found.stdout.splitlines()[-1] == "Caro (9x9): it can be played."
    assert "FAILS" not in found.stdout
    assert found.returncode == 0
    unknown = run(packages, code, "check-game", "chess")
    assert unknown.returncode == 2
    assert f"There is no game 'chess': there are {', '.join(GAMES)}, caro." in unknown.stderr


@pytest.mark.slow
def test_the_bot_offers_it_in_its_commands(packages: Path) -> None:
    code = (
        "from bot.commands.options import GAME_CHOICES\n"
        "from engine.agents.levels import levels_of\n"
        "print(*(choice.value for choice in GAME_CHOICES))\n"
        "print(*(level.key for level in levels_of('caro')))\n"
    )
    games, levels = run(packages, code).stdout.splitlines()
    assert games.split()[-1] == "caro"
    assert levels.split() == ["pip", "otto", "luca", "vera"]
