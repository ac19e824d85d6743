"""docs/adding-a-game.md, followed to the letter, gives a game that keeps the contract."""

from __future__ import annotations

import re
import subprocess
import sys
import types
from pathlib import Path
from random import Random

import pytest

from engine.core import Game, IllegalMove, replay

PAGE = Path(__file__).parents[1] / "docs" / "adding-a-game.md"


def page_code() -> str:
    found: str = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    return found


def test_the_other_examples_are_lines_of_games_that_tests_play() -> None:
    folder = PAGE.parents[1] / "tests" / "example_package" / "example_games"
    sources = [file.read_text("utf-8") for file in sorted(folder.glob("*.py"))]
    _, _, *quoted = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(quoted) == 5
    for lines in quoted:
        assert any(f"\n{lines}" in source for source in sources), lines


def test_the_worked_example_passes_the_linter_where_the_page_puts_it() -> None:
    place = ("--stdin-filename", "engine/games/caro/__init__.py", "-")
    for check in (("check", "--quiet"), ("format", "--check", "--quiet")):
        done = subprocess.run(
            (sys.executable, "-m", "ruff", *check, *place),
            cwd=PAGE.parents[1],
            input=page_code(),
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_worked_example_passes_the_type_check(tmp_path: Path) -> None:
    (tmp_path / "caro.py").write_text(page_code(), "utf-8")
    done = subprocess.run(
        (sys.executable, "-m", "mypy", tmp_path / "caro.py"),
        cwd=PAGE.parents[1],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def caro() -> Game:
    source = page_code()
    module = types.ModuleType("caro")
    sys.modules["caro"] = module  # dataclasses look their module up
    try:
        exec(compile(source, str(PAGE), "exec"), module.__dict__)
        rules: Game = module.Caro()
        return rules
    finally:
        del sys.modules["caro"]


def test_the_worked_example_plays_by_the_contract(caro: Game) -> None:
    rng = Random(9)
    for _ in range(3):
        state, moves = caro.start(), []
        while state.outcome() is None:
            legal = state.legal_moves()
            assert list(legal) == sorted(legal)
            moves.append(rng.choice(legal))
            assert caro.parse_move(state, caro.move_name(state, moves[-1])) == moves[-1]
            state = state.play(moves[-1])
            with pytest.raises(IllegalMove):
                state.play(moves[-1])
        assert replay(caro.start(), moves) == state
        outcome = state.outcome()
        assert outcome is not None
        assert {state.cells()[cell] for cell in outcome.line} <= {outcome.winner}
