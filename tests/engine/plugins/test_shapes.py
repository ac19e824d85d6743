"""The shapes of agents, the files beside them, and the trial, in one folder that holds them all."""

from __future__ import annotations

import json
import logging
import os
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core import Limit, replay
from engine.games import game
from engine.plugins.discovery import Plugin, Survey, survey
from engine.plugins.kaggle import configuration, is_win, observation, play
from tests.working import MAX_TEST_WAIT_SECONDS

START = game("connect-four").start()
THREE = replay(START, [3, 0, 3, 0, 3])
"""The side to move must block column 3."""

FILES = {
    "last.py": """
        def agent(obs, config):
            return 0

        def my_agent(observation, configuration):
            assert observation.board is observation["board"]
            assert observation.mark == 1 + observation.step % 2
            return 6 if observation.step == 0 else 5

        def helper(board, column):
            return None
    """,
    "short.py": "def agent(obs):\n    return obs['step'] + 1\n",
    "object.py": """
        class Bot:
            def __init__(self, column):
                self.column = column
            def __call__(self, o, c):
                assert c.rows * c.columns == len(o.board) and c.inarow in (3, 4, 5)
                return self.column

        def distance(a, b):
            return a - b

        bot = Bot(2)
    """,
    "notebook.py": """
        from kaggle_environments import evaluate, make, utils
        from kaggle_environments.envs.connectx.connectx import is_win, play

        env = make("connectx", debug=True)
        env.run(["random", "negamax"])
        trainer = env.train([None, "random"])
        board, done = trainer.reset(), False
        while not done:
            board, reward, done, info = trainer.step(0)

        def my_agent(obs, config):
            for mark in (obs.mark, 3 - obs.mark):
                for column in range(config.columns):
                    if obs.board[column] == 0 and is_win(obs.board, column, mark, config, has_played=False):
                        return column
            return next(c for c in range(config.columns) if obs.board[c] == 0)

        with open("submission.py", "w") as file:
            file.write("def sent(obs, config): return 4")
        agent = utils.get_last_callable(utils.read_file("/kaggle/working/submission.py"))
        env.render(mode="ipython")
        print(sum(r[0] for r in evaluate("connectx", [my_agent, "random"], num_episodes=10)) / 10)
    """,
    "globals.py": """
        seen = 0
        DEPTH = 1

        def agent(obs, config):
            global seen
            seen += DEPTH
            return seen - 1
    """,
    "acting.py": """
        import numpy as np

        class Acting:
            def act(self, state):
                board = state.reshape(6, 7)
                theirs = np.argwhere(board == -1)
                return theirs[0][1] if len(theirs) else np.int64(1)
    """,
    "two.py": """
        class First:
            def choose(self, state, limit):
                return state.legal_moves()[0]

        class Second(First):
            games = "tic-tac-toe"
            def choose(self, state, limit):
                return state.legal_moves()[-1]
    """,
    "told.py": """
        class Told:
            games = ("connect-four",)
            boards = ("5x6x4", "6x7x4")
            def choose(self, state, limit, match):
                assert match.start.ply == 0 and match.board.startswith(f"{state.rows}x{state.columns}")
                return len(match.moves)
    """,
    "four.py": """
        class Four:
            def choose(self, state, limit):
                if type(state).__name__ != "ConnectFourState":
                    raise TypeError("what is this?")
                return state.legal_moves()[0]
    """,
    "rows.py": """
        class Rows:
            games = "connect-four"
            boards = ("6x7x4", "7x8x4", "8x8x4")
            def choose(self, state, limit):
                return state.legal_moves()[0] if state.rows != 7 else None
    """,
    "tower.py": """
        import part

        class Tower:
            games = "hex"
            def choose(self, state, limit):
                return part.first(state)
    """,
    "part.py": "def first(state, *rest):\n    return state.legal_moves()[0]\n",
    "base.py": "class Base:\n    def choose(self, state, limit):\n        raise NotImplementedError\n",
    "heir.py": """
        from base import Base

        class Heir(Base):
            games = "hex"
            def choose(self, state, limit):
                return state.legal_moves()[0]
    """,
    "_kit.py": "import nothing_like_it\n",
    "raises.py": "def agent(obs, config):\n    return obs.bord[0]\n",
    "text.py": "def agent(obs, config):\n    return str(obs.step)\n",
    "asks.py": "def agent(obs, config):\n    return int(input('column? '))\n",
    "white.py": "def agent(obs, config):\n    return obs.step - obs.mark + 1 if obs.mark == 1 else 7 * 7\n",
    "depth.py": """
        class Depth:
            def __init__(self, depth=1): ...
            def choose(self, state, limit): ...
    """,
    "board.py": """
        class Board:
            def __init__(self, rows=6): ...
            def play(self, column): ...
    """,
    "silent.py": "SIZE = 3\n",
    "weights.npy": "",
    "lesson.ipynb": "{}",
    "sent.zip": "",
    "deeper/agent.py": "def agent(obs, config): return 0\n",
    "tables/values.py": "VALUES = ()\n",
    "reader.py": "from tables.values import VALUES\ndef agent(obs, config):\n    return len(VALUES)\n",
    "agents.toml": """
        stray = 1

        [globals-2]
        file = "globals.py"
        DEPTH = 2
        name = "Twos"
        character = "counts by two"
        boards = "6x7x4"

        [deep]
        file = "depth.py"
        dept = 6

        [nowhere]
        file = "towr.py"

        [told]
        boards = "6x7x5"
    """,
}  # fmt: skip


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Survey]:
    folder = tmp_path_factory.mktemp("agents")
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(textwrap.dedent(text), "utf-8")
    found = survey(folder, entry_points=False, trial_seconds=MAX_TEST_WAIT_SECONDS)
    yield found
    for plugin in found.plugins:
        plugin.close()


@pytest.fixture
def plugins(found: Survey) -> dict[str, Plugin]:
    return {plugin.level.key.removeprefix("plugin:"): plugin for plugin in found.plugins}


def said_of(found: Survey, about: str) -> list[str]:
    return [remark.text for remark in found.remarks if remark.about.partition(" ")[0] == about]


def test_every_file_is_an_agent_or_is_named(found: Survey, plugins: dict[str, Plugin]) -> None:
    offered = [
        "acting", "four", "globals-2", "heir", "last", "notebook", "object", "reader", "rows", "short",
        "tower", "two",
    ]  # fmt: skip
    assert sorted(plugins) == offered
    named = {remark.about for remark in found.remarks}
    files = {name.partition("/")[0] for name in FILES}
    agents = {str(plugin._source).partition("(")[2].rstrip(")") for plugin in found.plugins}
    for file in files - agents:
        assert any(file in about for about in named), file


@pytest.mark.parametrize(
    ("name", "move", "reply"),
    [("last", 6, 5), ("short", 1, 6), ("object", 2, 2), ("notebook", 0, 3), ("globals-2", 1, 1)],
)
def test_a_function_for_kaggle_plays_as_there(
    plugins: dict[str, Plugin], name: str, move: int, reply: int
) -> None:
    for state, expected in ((START, move), (THREE, reply)):
        agent = plugins[name].make(0)
        choice = agent.choose(state, Limit())
        assert (choice.move, choice.info.forfeit) == (expected, "")
        agent.close()
    assert plugins[name].level.games == ("connect-four",)


def test_the_globals_of_a_function_last_for_one_match(plugins: dict[str, Plugin]) -> None:
    agents = [plugins["globals-2"].make(0) for _ in range(2)]
    assert [agent.choose(START, Limit()).move for agent in (agents[0], agents[0], agents[1])] == [1, 3, 1]
    for agent in agents:
        agent.close()


def test_a_class_with_act_gets_its_own_discs_as_one_and_answers_with_numpy(
    plugins: dict[str, Plugin],
) -> None:
    agent = plugins["acting"].make(0)
    assert agent.choose(replay(START, [4]), Limit()).move == 4
    assert agent.choose(START, Limit()).move == 1
    agent.close()


def test_an_agent_that_was_written_for_one_board_is_offered_there_alone(
    found: Survey, plugins: dict[str, Plugin]
) -> None:
    assert plugins["acting"].level.boards == ("6x7x4",)
    (text,) = said_of(found, "acting")
    assert text.startswith(
        "is offered on 6x7x4 only, since on 5x6x4 it raised: ValueError: cannot reshape array"
    )


def test_an_agent_that_names_its_boards_is_offered_on_those_where_it_plays(
    found: Survey, plugins: dict[str, Plugin]
) -> None:
    assert plugins["rows"].level.boards == ("6x7x4", "8x8x4")
    assert said_of(found, "rows") == [
        "is offered on 6x7x4, 8x8x4 only, since on 7x8x4 it answered None, which is no move"
    ]


def test_an_agent_that_does_not_name_its_games_is_offered_in_those_it_plays(
    found: Survey, plugins: dict[str, Plugin]
) -> None:
    assert plugins["four"].level.games == ("connect-four",)
    (text,) = said_of(found, "four")
    assert text.startswith("does not play othello, ")
    assert text.endswith("where it raised: TypeError: what is this? (four.py, line 5)")


def test_a_slow_agent_is_taken_on_trust_on_boards_that_the_trial_does_not_reach(
    tmp_path: Path,
) -> None:
    (tmp_path / "sleepy.py").write_text(
        "import time\n"
        "class Sleepy:\n"
        "    games = 'connect-four'\n"
        "    boards = ('6x7x4', '8x8x4')\n"
        "    def choose(self, state, limit):\n"
        "        time.sleep(0.1)\n"
        "        return state.legal_moves()[0] if state.rows == 6 else None\n",
        "utf-8",
    )
    (plugin,) = survey(tmp_path, entry_points=False, trial_seconds=0.1).plugins
    assert plugin.level.boards == ("6x7x4", "8x8x4")
    plugin.close()


def test_of_several_classes_the_last_one_counts(plugins: dict[str, Plugin]) -> None:
    assert plugins["two"].level.games == ("tic-tac-toe",)
    assert plugins["two"].make(0).choose(game("tic-tac-toe").start(), Limit()).move == 8


@pytest.mark.parametrize("name", ["part", "base"])
def test_a_file_that_others_import_is_no_fault_if_it_is_no_agent(found: Survey, name: str) -> None:
    (remark,) = (remark for remark in found.remarks if remark.about == f"{name} ({name}.py)")
    assert (remark.severity, remark.text) == (logging.INFO, "is used by other files, and no agent itself")


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ("raises", "is left out: in a trial it raised: AttributeError: bord (raises.py, line 2)"),
        ("text", "is left out: in a trial it answered '0', which is no move"),
        ("white", "is left out: in a trial it answered 49, which is not legal there"),
        ("asks", "is left out: in a trial it reads from the keyboard, and there is none here"),
        ("board", "is left out: it has no agent in a shape that is known here; its last class, Board, needs"),
        ("silent", "is left out: it has no agent in a shape that is known here"),
        ("deep", "is left out: it has no setting 'dept'. Did you mean 'depth'?"),
        ("told", "is left out: it plays on ('6x7x5',), but there are 6x7x4"),
        ("nowhere", "is left out: agents.toml names towr.py, but there is no such file. Did you mean 'tower"),
        ("agents.toml", "has stray outside a table"),
        ("lesson.ipynb", "is a notebook: save it as a Python file"),
        ("sent.zip", "is an archive: unpack it"),
        ("deeper", "is a folder: agents lie beside it, not in it"),
        ("weights.npy", "is no Python file"),
        ("tables", "is no Python file"),
        ("_kit.py", "is a helper module by its name"),
    ],
)
def test_what_is_no_agent_is_named_with_one_line(found: Survey, about: str, text: str) -> None:
    (told,) = said_of(found, about)
    assert text in told
    assert "\n" not in told


def test_settings_describe_an_agent(plugins: dict[str, Plugin]) -> None:
    level = plugins["globals-2"].level
    assert (level.name, level.character, level.boards) == ("Twos", "counts by two", ("6x7x4",))


@pytest.mark.slow
def test_an_agent_may_name_its_boards_and_is_told_the_match(tmp_path: Path) -> None:
    (tmp_path / "told.py").write_text(textwrap.dedent(FILES["told.py"]), "utf-8")
    (plugin,) = survey(tmp_path, entry_points=False).plugins
    assert plugin.level.boards == ("6x7x4", "5x6x4")
    plugin.close()


def test_broken_settings_are_named_and_agents_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "agents.toml").write_text("[last\n", "utf-8")
    (tmp_path / "last.py").write_text("def agent(obs, config): return 3\n", "utf-8")
    found = survey(tmp_path, entry_points=False)
    assert [plugin.level.key for plugin in found.plugins] == ["plugin:last"]
    (text,) = said_of(found, "agents.toml")
    assert text.startswith("is ignored: ")
    assert "line 1" in text
    for plugin in found.plugins:
        plugin.close()


# Kaggle's arguments


def test_an_observation_is_a_dict_with_attributes_from_the_top_row_down() -> None:
    seen = observation(replay(START, [3, 3, 0]))
    assert (seen.mark, seen.step, seen["board"][35:]) == (2, 3, [1, 0, 0, 1, 0, 0, 0])
    assert seen.board[31] == 2
    assert json.loads(json.dumps(seen))["mark"] == 2
    told = configuration(game("connect-four").start("7x8x4"), Limit(seconds=1.5))
    assert (told.rows, told["columns"], told.inarow, told.actTimeout) == (7, 8, 4, 1.5)


@pytest.mark.parametrize(
    "moves", [[0, 1, 0, 1, 0, 1, 0], [0, 0, 1, 1, 2, 2, 3], [0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3]]
)
def test_the_two_functions_of_kaggles_module_know_a_row(moves: list[int]) -> None:
    config, board = configuration(START, Limit()), observation(START).board
    for ply, move in enumerate(moves):
        state, mark = replay(START, moves[: ply + 1]), 1 + ply % 2
        wins = state.outcome() is not None
        assert is_win(board, move, mark, config, has_played=False) is wins
        play(board, move, mark, config)
        assert board == observation(state).board
        assert is_win(board, move, mark, config) is wins


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs a normal user: root reads every folder"
)
def test_a_folder_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0)
    found = survey(folder, entry_points=False)
    assert found.plugins == ()
    assert [remark.text for remark in found.remarks] == ["cannot be read: Permission denied"]
