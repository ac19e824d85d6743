"""Algorithms as opponents: an agent with a depth or a number of simulations chosen by the player.

Their key is the agent's name with its option, e.g. `alphabeta:depth=6`, so stored matches can be resumed.
Their strength is not measured, so they are never rated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.agents import AGENTS
from engine.agents.levels import Level
from engine.core import Limit, UnknownName
from engine.games.typed import compact

MAX_SECONDS = 3.0
"""The time limit of a move on any board; a search that runs out of time plays its best move so far."""

_GLANCES = ("random", "corner", "one-step")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One algorithm. option: the adjustable one, from `least` to `most`, or None. offered: menu choices."""

    key: str
    name: str
    option: str | None = None
    least: int = 0
    most: int = 0
    offered: tuple[int, ...] = ()

    @property
    def allowed(self) -> str:
        """The accepted text: `minimax:depth=1-8`."""
        return self.key if self.option is None else f"{self.key}:{self.option}={self.least}-{self.most}"

    def level(self, value: int | None) -> Level:
        """Return the opponent; value: of the option, if it has one."""
        key = self.key if self.option is None else f"{self.key}:{self.option}={value}"
        name = self.name if value is None else f"{self.name} {value}"
        games = AGENTS[self.key].games
        limit, is_deep = Limit(seconds=MAX_SECONDS), self.key not in _GLANCES
        return Level(key, name, key, key, limit, games, is_rated=False, is_deep=is_deep)


ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(
    {
        algorithm.key: algorithm
        for algorithm in (
            Algorithm("minimax", "Minimax", "depth", 1, 8, (2, 4, 6)),
            Algorithm("alphabeta", "Alpha-beta", "depth", 1, 12, (2, 4, 6, 8, 10)),
            Algorithm("mcts", "MCTS", "simulations", 10, 100_000, (100, 1_000, 10_000)),
            Algorithm("one-step", "One-step"),
            Algorithm("corner", "Corner"),
            Algorithm("perfect", "Perfect"),
            Algorithm("pattern", "Patterns"),
            Algorithm("random", "Random"),
        )
    }
)
"""The greatest depths take a second or two on the default boards (`bench.search_agents`)."""

_WRITTEN = re.compile(r"([a-z-]+?)(?:[:,]?(?:(depth|simulations)=)?([0-9]{1,9}))?", re.ASCII)
_OTHER_NAMES = MappingProxyType(
    {"alpha-beta": "alphabeta", "onestep": "one-step", "patterns": "pattern", "montecarlo": "mcts"}
)


def algorithms_of(game_key: str) -> tuple[Level, ...]:
    """Return the algorithms offered for the game."""
    return tuple(
        algorithm.level(value)
        for algorithm in ALGORITHMS.values()
        if game_key in AGENTS[algorithm.key].games
        for value in algorithm.offered or (None,)
    )


def is_algorithm(text: str) -> bool:
    """Whether the text starts with the name of an algorithm; the rest may be wrong."""
    match = re.match(r"[a-z-]+", compact(text), re.ASCII)
    return match is not None and _OTHER_NAMES.get(match[0], match[0]) in ALGORITHMS


def algorithm(text: str) -> Level:
    """Return the opponent named by `alphabeta:depth=6` or `Alpha-beta 6`; raises UnknownName.

    >>> algorithm("Alpha-beta 6").key
    'alphabeta:depth=6'
    """
    match = _WRITTEN.fullmatch(compact(text))
    key = "" if match is None else _OTHER_NAMES.get(match[1], match[1])
    if match is None or key not in ALGORITHMS:
        raise UnknownName(f"no algorithm is written {text!r}; there are {allowed()}")
    kind, (option, value) = ALGORITHMS[key], match.groups()[1:]
    # Without a value, the middle one of those offered.
    number = int(value) if value else None if kind.option is None else kind.offered[len(kind.offered) // 2]
    # Exactly the kinds with an option have a number, and the option may be left out: `Alpha-beta 6`.
    is_right = (number is None) == (kind.option is None) and (option is None or option == kind.option)
    if not is_right or (number is not None and not kind.least <= number <= kind.most):
        raise UnknownName(f"no algorithm is written {text!r}; there is {kind.allowed}")
    return kind.level(number)


def allowed(game_key: str | None = None) -> str:
    """Return all accepted texts (for the game) in a line."""
    return ", ".join(
        kind.allowed for kind in ALGORITHMS.values() if game_key is None or game_key in AGENTS[kind.key].games
    )
