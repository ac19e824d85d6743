"""docs/library.md: its programs run as they stand, and print what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.games import game

PAGE = (Path(__file__).parents[2] / "docs" / "library.md").read_text("utf-8")
BLOCKS: dict[str, str] = dict(
    re.findall(r"<!-- run: (\w+) -->\n```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
)


def run(name: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    exec(compile(BLOCKS[name], f"{name}.py", "exec"), {"__name__": "__main__"})
    return capsys.readouterr().out.splitlines()


def test_every_program_of_the_page_is_run_here() -> None:
    assert len(BLOCKS) == PAGE.count("```python") == 4


@pytest.mark.slow
def test_a_game_of_minimax_at_depth_six_takes_ten_lines(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(BLOCKS["ten_lines"].replace("\n\n", "\n").splitlines()) == 9
    printed = run("ten_lines", capsys)
    assert printed[5] == ". . . X . . .", "the first move, in the lowest row"
    assert printed[-1].startswith("Outcome(winner=<Player.")


def test_alpha_beta_finds_the_value_of_minimax_in_fewer_positions(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [re.findall(r"-?\d+", line.partition("plays")[2]) for line in run("depth_six", capsys)]
    (column, value, _, nodes), (same_column, same_value, _, fewer) = lines
    assert (column, value) == (same_column, same_value)
    assert 10 * int(fewer) < int(nodes)


def test_a_search_of_ones_own_blocks_the_open_column(capsys: pytest.CaptureFixture[str]) -> None:
    (printed,) = run("own_minimax", capsys)
    assert printed.endswith(", 3)")


@pytest.mark.slow
def test_the_solver_proves_its_move(capsys: pytest.CaptureFixture[str]) -> None:
    (printed,) = run("solver", capsys)
    assert printed.startswith("play ")
    assert printed.endswith("proved")


def test_the_table_names_what_a_state_has() -> None:
    state = game("connect-four").start()
    names = set(re.findall(r"`state\.(\w+)", PAGE)) - {"play"}
    assert len(names) >= 4
    assert all(hasattr(state, name) for name in names)
    assert str(game("connect-four").start("7x7x5").columns) == "7"
