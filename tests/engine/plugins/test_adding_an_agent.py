"""docs/adding-an-agent.md, followed step by step: every code block of it is run here."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import engine.agents
import engine.agents.levels
from engine.agents import EVERY_GAME, AgentSpec
from engine.agents.levels import Level
from engine.core import Limit, Player, State, replay
from engine.games import game
from engine.plugins.discovery import GROUP, discover
from tests.slow_cases import mark_slow
from tests.working import MAX_TEST_WAIT_SECONDS

PAGE = (Path(__file__).parents[3] / "docs" / "adding-an-agent.md").read_text("utf-8")
_BLOCK = re.compile(r"<!-- (\w+): (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS: dict[tuple[str, str], str] = {(kind, name): code for kind, name, code in _BLOCK.findall(PAGE)}


def block(kind: str, name: str) -> str:
    return BLOCKS[kind, name]


def test_every_code_block_is_run_here() -> None:
    assert len(BLOCKS) == PAGE.count("```python") + PAGE.count("```toml")
    assert {kind for kind, _ in BLOCKS} == {"file", "loader", "line", "dropped", "package"}


@pytest.fixture
def spec(monkeypatch: pytest.MonkeyPatch) -> AgentSpec:
    """Return the registry entry from the page."""
    module = ModuleType("engine.agents.cramp")
    exec(compile(block("file", "engine/agents/cramp.py"), "cramp.py", "exec"), module.__dict__)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    registry = dict(vars(engine.agents))
    exec(block("loader", "engine/agents/__init__.py"), registry)
    (made,) = eval(block("line", "engine/agents/__init__.py"), registry)
    assert isinstance(made, AgentSpec)
    return made


@pytest.mark.parametrize("key", mark_slow(EVERY_GAME, lambda key: key == "gomoku"))
def test_our_own_agent_plays_whole_games_and_is_reproducible_by_seed(spec: AgentSpec, key: str) -> None:
    def moves(seed: int) -> list[int]:
        state: State = game(key).start()
        agents = [spec.make(seed, {}), spec.make(seed + 1, {})]
        played = []
        while state.outcome() is None:
            choice = agents[state.to_move].choose(state, Limit())
            assert [move for move, _ in choice.info.move_scores] == list(state.legal_moves())
            played.append(choice.move)
            state = state.play(choice.move)
        return played

    assert moves(1) == moves(1)


def test_our_own_agent_wins_when_one_move_is_enough(spec: AgentSpec) -> None:
    state = replay(game("connect-four").start(), [0, 1, 0, 1, 0, 1])
    assert spec.make(0, {}).choose(state, Limit()).move == 0


def test_the_agent_and_the_level_are_new_and_fit_the_registries(spec: AgentSpec) -> None:
    (level,) = eval(block("line", "engine/agents/levels.py"), dict(vars(engine.agents.levels)))
    assert isinstance(level, Level)
    assert level.agent == spec.key
    assert spec.key not in engine.agents.AGENTS
    assert level.key not in {other.key for other in engine.agents.levels.LEVELS}


@pytest.mark.slow
def test_the_dropped_files_work_as_shown(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    for kind, name in BLOCKS:
        if kind == "dropped":
            (tmp_path / name).write_text(block(kind, name), "utf-8")
    corners, hasty = discover(tmp_path, entry_points=False, trial_seconds=MAX_TEST_WAIT_SECONDS)
    try:
        assert (corners.level.key, corners.level.games) == ("plugin:corners", ("othello",))
        assert (hasty.level.name, hasty.level.games) == ("Hasty", ("connect-four", "tic-tac-toe"))
        state = replay(game("connect-four").start(), [3, 0, 3, 0, 3, 0])
        assert hasty.make(0).choose(state, Limit()).move == 3

        position: State = game("othello").start()
        agent = corners.make(0)
        while position.outcome() is None:
            before = position
            move = agent.choose(position, Limit()).move
            position = position.play(move)
            if {0, 7, 56, 63} & set(before.legal_moves()):
                assert move in {0, 7, 56, 63}
        assert position.cells().count(Player.FIRST) + position.cells().count(Player.SECOND) > 12
    finally:
        corners.close()
        hasty.close()
    assert not caplog.records, "nothing was forfeited"


def test_the_page_names_the_right_entry_point_group() -> None:
    table = tomllib.loads(block("package", "pyproject.toml"))
    assert list(table["project"]["entry-points"]) == [GROUP]
