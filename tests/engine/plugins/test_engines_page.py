"""docs/engines.md, followed step by step: its engine is offered, and plays whole games."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.agents.roster import Roster
from engine.arena.matches import Contender, play_arena
from engine.core import Limit
from engine.games import game
from engine.plugins.discovery import Survey, survey
from engine.plugins.engines import KEYS, PROTOCOLS, engine_of

PAGE = (Path(__file__).parents[3] / "docs" / "engines.md").read_text("utf-8")
_BLOCK = re.compile(r"<!-- (\w+): (\S+) -->\n( *)```\w+\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def found(tmp_path: Path) -> Iterator[Survey]:
    for _, name, margin, code in _BLOCK.findall(PAGE):
        (tmp_path / name).write_text(re.sub(f"^{margin}", "", code, flags=re.MULTILINE), "utf-8")
    found = survey(tmp_path, entry_points=False)
    yield found
    for plugin in found.plugins:
        plugin.close()


def test_the_engine_of_the_page_is_offered_and_its_file_is_no_agent(found: Survey) -> None:
    (plugin,) = found.plugins
    assert (plugin.level.key, plugin.level.name) == ("engine:centre", "Centre (engine)")
    assert plugin.level.character == "likes the middle"
    assert plugin.level.boards == ("15x15", "13x13", "9x9")
    assert found.remarks == ()


@pytest.mark.slow
def test_the_engine_of_the_page_plays_whole_games(found: Survey) -> None:
    (plugin,) = found.plugins
    entrants = [
        Contender("centre", plugin.make, plugin.level.limit),
        Contender("random", lambda seed: Roster().make("pip", seed), Limit()),
    ]
    arena = play_arena(game("gomoku"), "13x13", entrants, games=4)
    assert arena.forfeits(0) == ()


def test_the_page_names_every_setting_and_protocol() -> None:
    settings = PAGE.partition("\n## Settings")[2].partition("\n## ")[0]
    rows = "".join(line.split("|")[1] for line in settings.splitlines() if line.startswith("| `"))
    assert sorted(re.findall(r"`(\w+)`", rows)) == sorted(KEYS)
    protocols = PAGE.partition("\n## Protocols")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)`", protocols, re.MULTILINE)[1:] == list(PROTOCOLS)
    for protocol, spoken in PROTOCOLS.items():
        (row,) = re.findall(rf"^\| `{protocol}` \| ([^|]*)", protocols, re.MULTILINE)
        assert row.lower().startswith(spoken.game)
        assert [board.replace("x", "×") for board in spoken.boards] == re.findall(r"\d+×\d+", row)


def test_the_tables_of_the_page_are_settings(tmp_path: Path) -> None:
    blocks = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    tables = {name: table for block in blocks for name, table in tomllib.loads(block).items()}
    assert list(tables) == ["ntest", "wolve"]
    for name, table in tables.items():
        engine = engine_of(name, {**table, "command": ["python3"]}, tmp_path)
        assert engine.options
