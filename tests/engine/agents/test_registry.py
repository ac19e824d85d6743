"""Names of agents and levels: their syntax, and the messages about invalid ones."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from engine.agents import AGENTS, make_agent
from engine.agents.levels import (
    LEVELS,
    STRENGTHS,
    Level,
    Strength,
    levels_of,
    strength_of,
)
from engine.agents.random import RandomAgent
from engine.agents.roster import Roster
from engine.core import Agent, Limit, UnknownName
from engine.games import GAMES, spec_of


class Guest:
    """A level from outside."""

    def __init__(self, key: str = "plugin:guest") -> None:
        self.level = Level(key, "Guest", "is new here", "", Limit(seconds=1), ("othello",))
        self.is_closed = False

    def make(self, seed: int) -> Agent:
        return RandomAgent(seed)

    def close(self) -> None:
        self.is_closed = True


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("deepblue", "no agent is called 'deepblue'; there are random, one-step"),
        ("", "no agent is called ''"),
        ("random:depth=3", "'random' has no option 'depth'; it has none"),
        ("mcts:depth=3", "'mcts' has no option 'depth'; it has simulations, exploration"),
        ("alphabeta:depth=0", "a whole number from 1 to 64, not '0'"),
        ("alphabeta:depth=many", "a whole number from 1 to 64, not 'many'"),
        ("alphabeta:depth=²", "a whole number from 1 to 64, not '²'"),
        ("alphabeta:depth", "a whole number from 1 to 64, not ''"),
    ],
)
def test_an_unknown_name_is_refused_with_the_known_ones(name: str, message: str) -> None:
    with pytest.raises(UnknownName, match=re.escape(message)):
        make_agent(name)


def test_options_follow_the_name() -> None:
    start = GAMES["connect-four"].start()
    for depth in (2, 5):
        assert make_agent(f"alphabeta:depth={depth}").choose(start, Limit()).info.depth == depth
    one, other = (make_agent(f"mcts:simulations=50,exploration={points}") for points in (1, 400))
    curious, bold = one.choose(start, Limit()).info, other.choose(start, Limit()).info
    assert curious.nodes == bold.nodes == 50
    assert curious.visits != bold.visits


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_ladder(game: str) -> None:
    levels = levels_of(game)
    lengths = {
        "dots-and-boxes": 15,
        "tic-tac-toe": 6,
        "connect-four": 11,
        "othello": 17,
        "pop-out": 12,
        "kalah": 11,
        "draughts": 15,
        "hex": 16,
    }
    assert len(levels) == lengths.get(game, 10)
    # A move at random is hundreds of Elo below the weakest of these games.
    assert levels[0].key == {"gomoku": "momo", "hex": "wim"}.get(game, "pip")


@pytest.mark.parametrize("level", LEVELS, ids=lambda level: level.key)
def test_every_level_can_play_its_games(level: Level) -> None:
    agent = make_agent(level.agent)
    for game in level.games:
        assert game in AGENTS[level.agent.partition(":")[0]].games
        state = GAMES[game].start()
        quick = Limit(level.limit.seconds and 0.05, level.limit.nodes, level.limit.depth)
        assert agent.choose(state, quick).move in state.legal_moves()


def test_level_keys_are_stable_words() -> None:
    keys = [level.key for level in LEVELS]
    assert len(set(keys)) == len(keys)
    assert all(re.fullmatch("[a-z]+", key) for key in keys)
    assert len({level.name for level in LEVELS}) == len(LEVELS)


def test_the_championships_house_agents_are_on_othellos_ladder() -> None:
    assert {"random", "corner"} <= {level.agent for level in levels_of("othello")}


def test_a_level_may_be_limited_to_some_boards() -> None:
    assert levels_of("connect-four")[-1].key == "una"
    assert levels_of("connect-four", "6x7x4") == levels_of("connect-four")
    assert levels_of("connect-four", "7x8x4") == levels_of("connect-four")[:-2]
    assert Roster().levels_of("connect-four", "7x8x4") == levels_of("connect-four", "7x8x4")


def test_a_game_without_agents_has_no_levels() -> None:
    assert levels_of("go") == ()


def test_the_roster_lists_plug_ins_after_the_built_in_levels() -> None:
    guest = Guest()
    roster = Roster([guest])
    assert roster.levels_of("othello") == (*levels_of("othello"), guest.level)
    assert guest.level not in roster.levels_of("connect-four")
    assert roster.level("plugin:guest") is guest.level
    assert isinstance(roster.make("plugin:guest", 1), RandomAgent)
    assert roster.level("pip").name == "Pip"
    roster.close()
    assert guest.is_closed


def test_the_roster_knows_no_other_names() -> None:
    with pytest.raises(UnknownName, match="no level is called 'nobody'; there are pip"):
        Roster().level("nobody")
    with pytest.raises(UnknownName):
        Roster().make("nobody", 0)


@pytest.mark.parametrize("game", GAMES)
def test_a_games_levels_are_those_of_its_ladder_in_that_order(game: str) -> None:
    assert tuple(level.key for level in levels_of(game)) == spec_of(game).search.ladder


@pytest.mark.parametrize("keys", [["pip"], ["plugin:a", "plugin:a"]])
def test_two_levels_with_the_same_key_are_refused(keys: list[str]) -> None:
    with pytest.raises(ValueError, match="share a key"):
        Roster([Guest(key) for key in keys])


@pytest.mark.slow
def test_importing_the_agents_does_not_load_numba() -> None:
    """The bot's start shows levels and answers commands before any kernel is there."""
    code = (
        "import sys, engine, engine.agents, engine.agents.levels, engine.agents.roster, engine.games\n"
        "from engine.agents import make_agent\n"
        "[make_agent(name) for name in ('random', 'one-step', 'corner')]\n"
        "print(sorted({name.partition('.')[0] for name in sys.modules} & {'numba', 'llvmlite', 'scipy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("game", list(GAMES))
def test_every_ladder_rises_from_beginner_to_master(game: str) -> None:
    words = [strength_of(game, level.key) for level in levels_of(game)]
    assert (words[0], words[-1]) == (Strength.BEGINNER, Strength.MASTER)
    places = [STRENGTHS.index(word) for word in words if word is not None]
    assert places == sorted(places)
    assert len(places) == len(words)


def test_a_level_that_is_not_on_the_ladder_has_no_strength() -> None:
    assert strength_of("othello", "una") is None
    assert strength_of("othello", "plugin:mine") is None
