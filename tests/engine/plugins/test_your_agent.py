"""docs/your-agent.md, followed step by step: its files are dropped, and play whole games."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from engine.core import History, Limit, Player, State, replay
from engine.games import game
from engine.plugins.discovery import Plugin, Survey, survey
from tests.working import MAX_TEST_WAIT_SECONDS

PAGE = (Path(__file__).parents[3] / "docs" / "your-agent.md").read_text("utf-8")
COURSE = Path(__file__).parents[2] / "data" / "agents"
"""Files of courses, for which the page writes five lines each."""

_BLOCK = re.compile(r"<!-- (\w+): (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS = [(kind, name, code) for kind, name, code in _BLOCK.findall(PAGE)]
START = game("connect-four").start()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survey]:
    folder = tmp_path_factory.mktemp("players")
    for file in COURSE.glob("*.py"):
        shutil.copy(file, folder)
    for _, name, code in BLOCKS:
        (folder / name).write_text(code, "utf-8")
    found = survey(folder, entry_points=False, trial_seconds=MAX_TEST_WAIT_SECONDS)
    yield found
    for plugin in found.plugins:
        plugin.close()


@pytest.fixture
def plugins(found: Survey) -> dict[str, Plugin]:
    return {plugin.level.key.removeprefix("plugin:"): plugin for plugin in found.plugins}


def test_every_code_block_of_the_page_is_run_here() -> None:
    assert len(BLOCKS) == PAGE.count("```python") + PAGE.count("```toml")


def test_five_lines_are_five() -> None:
    for kind, name, code in BLOCKS:
        if kind == "adapter":
            body = code.partition("def choose")[2].splitlines()[1:]
            assert len(body) <= 6, name


def test_the_files_of_the_page_are_agents_and_those_they_use_are_helpers(found: Survey) -> None:
    keys = [plugin.level.key.removeprefix("plugin:") for plugin in found.plugins]
    assert sorted(keys) == ["lesson", "planner-1", "planner-3", "reporter", "submission", "tree"]
    helpers = [remark.about for remark in found.remarks if "used by other files" in remark.text]
    assert helpers == ["mcts (mcts.py)", "minimax (minimax.py)", "report (report.py)"]
    assert [remark for remark in found.remarks if remark.about not in helpers] == []


def test_settings_of_the_page_name_and_change_the_agents(plugins: dict[str, Plugin]) -> None:
    shallow, deep = plugins["planner-1"].level, plugins["planner-3"].level
    assert (shallow.name, shallow.character) == ("Planner 1", "looks one move ahead, never two")
    assert (deep.name, deep.character) == ("Planner 3", "a guest")
    assert (shallow.games, shallow.boards) == (("connect-four",), ("6x7x4",))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lesson", "planner-3", "reporter", "submission", "tree"])
def test_an_agent_of_the_page_forfeits_no_move_of_a_match_on_either_side(
    plugins: dict[str, Plugin], name: str
) -> None:
    for side in Player:
        assert _played(plugins[name], side) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["planner-3", "reporter", "submission", "tree"])
def test_an_agent_of_the_page_sees_a_threat_whoever_begins(plugins: dict[str, Plugin], name: str) -> None:
    for moves in ([3, 0, 3, 0, 3, 1], [3, 0, 3, 0, 3]):
        agent = plugins[name].make(1)
        agent.follow(History("connect-four", "6x7x4", START, tuple(moves)))
        assert agent.choose(replay(START, moves), Limit()).move == 3
        agent.close()


def _played(plugin: Plugin, side: Player) -> list[str]:
    """Return the reasons of the moves that it forfeits in a match against random moves."""
    agent, rng = plugin.make(1), Random(side)
    state: State = START
    moves: list[int] = []
    forfeits = []
    while state.outcome() is None:
        if state.to_move is side:
            agent.follow(History("connect-four", "6x7x4", START, tuple(moves)))
            choice = agent.choose(state, Limit())
            forfeits += [choice.info.forfeit] if choice.info.forfeit else []
            moves.append(choice.move)
        else:
            moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    agent.close()
    return forfeits
