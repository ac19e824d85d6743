"""Algorithms as opponents: an agent with a depth or simulations of one's own choice, beside the ladder.

Their key is the agent's specification, such as `alphabeta:depth=6`, so that whatever was once played can be
played again. Nobody has measured how strong they are, hence they are never rated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from engine.agents import AGENTS
from engine.agents.levels import Level
from engine.core import Limit, UnknownName

MOST_SECONDS = 3.0
"""What an answer may take on any board: a search that gets no further plays what it has found by then."""

_GLANCES = ("random", "corner", "one-step")


@dataclass(frozen=True, slots=True)
class Algorithm:
    """One kind. option: what is chosen, from `least` to `most`; None: nothing. offered: the usual choices."""

    key: str
    name: str
    option: str | None = None
    least: int = 0
    most: int = 0
    offered: tuple[int, ...] = ()

    @property
    def allowed(self) -> str:
        """What may be written: `minimax:depth=1-8`."""
        return self.key if self.option is None else f"{self.key}:{self.option}={self.least}-{self.most}"

    def level(self, value: int | None) -> Level:
        """The opponent; value: of the option, where there is one."""
        key = self.key if self.option is None else f"{self.key}:{self.option}={value}"
        name = self.name if value is None else f"{self.name} {value}"
        games = AGENTS[self.key].games
        limit, is_deep = Limit(seconds=MOST_SECONDS), self.key not in _GLANCES
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
"""The greatest depths take a second or two on the usual boards (`bench.search_agents`)."""

_WRITTEN = re.compile(r"([a-z-]+?)(?:[:,]?(?:(depth|simulations)=)?([0-9]{1,9}))?", re.ASCII)
_OTHER_NAMES = MappingProxyType(
    {"alpha-beta": "alphabeta", "onestep": "one-step", "patterns": "pattern", "montecarlo": "mcts"}
)


def algorithms_of(game_key: str) -> tuple[Level, ...]:
    """Those offered for the game."""
    return tuple(
        algorithm.level(value)
        for algorithm in ALGORITHMS.values()
        if game_key in AGENTS[algorithm.key].games
        for value in algorithm.offered or (None,)
    )


def is_algorithm(text: str) -> bool:
    """Whether the text begins as an algorithm's does, be the rest of it right or wrong."""
    match = re.match(r"[a-z-]+", _plain(text), re.ASCII)
    return match is not None and _OTHER_NAMES.get(match[0], match[0]) in ALGORITHMS


def algorithm(text: str) -> Level:
    """The opponent that `alphabeta:depth=6`, or `Alpha-beta 6`, names; raises UnknownName with what may be.

    >>> algorithm("Alpha-beta 6").key
    'alphabeta:depth=6'
    """
    match = _WRITTEN.fullmatch(_plain(text))
    key = "" if match is None else _OTHER_NAMES.get(match[1], match[1])
    if match is None or key not in ALGORITHMS:
        raise UnknownName(f"no algorithm is written {text!r}; there are {allowed()}")
    kind, (option, value) = ALGORITHMS[key], match.groups()[1:]
    number = int(value) if value else None if kind.option is None else kind.offered[len(kind.offered) // 2]
    is_right = (number is None) == (kind.option is None) and (option is None or option == kind.option)
    if not is_right or (number is not None and not kind.least <= number <= kind.most):
        raise UnknownName(f"no algorithm is written {text!r}; there is {kind.allowed}")
    return kind.level(number)


def allowed(game_key: str | None = None) -> str:
    """All that may be written (for the game), in a line."""
    return ", ".join(
        kind.allowed for kind in ALGORITHMS.values() if game_key is None or game_key in AGENTS[kind.key].games
    )


def _plain(text: str) -> str:
    return "".join(text.casefold().split())
