"""The roster: every level that people can pick, built in or plugged in, and the agents behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.agents import make_agent
from engine.agents.algorithms import algorithm, is_algorithm
from engine.agents.levels import LEVELS, Level, in_order
from engine.core import Agent, UnknownName


class LevelPlugin(Protocol):
    """An agent from outside: how it shows on the ladder, and how to make one."""

    @property
    def level(self) -> Level: ...
    def make(self, seed: int) -> Agent: ...
    def close(self) -> None:
        """Lets go of what the plug-in holds, such as its worker process."""
        ...


class Roster:
    """The built-in levels, weakest first, then the plug-ins in the order given."""

    def __init__(self, plugins: Sequence[LevelPlugin] = ()) -> None:
        """Raises ValueError when two levels share a key."""
        self._plugins = {plugin.level.key: plugin for plugin in plugins}
        self._levels = {level.key: level for level in (*LEVELS, *(plugin.level for plugin in plugins))}
        if len(self._levels) != len(LEVELS) + len(plugins):
            raise ValueError(
                f"two plug-ins share a key, or one takes a built-in level's: {sorted(self._plugins)}"
            )

    @property
    def levels(self) -> tuple[Level, ...]:
        """All of them: the built-in ones, then the plug-ins."""
        return tuple(self._levels.values())

    def levels_of(self, game_key: str, board: str | None = None) -> tuple[Level, ...]:
        """The levels that play this game (on that board), weakest first; () where nobody does."""
        return in_order(game_key, (level for level in self._levels.values() if level.plays(game_key, board)))

    def level(self, key: str) -> Level:
        """The level of this key, or the algorithm that it specifies; raises UnknownName."""
        if key not in self._levels and is_algorithm(key):
            return algorithm(key)
        try:
            return self._levels[key]
        except KeyError:
            raise UnknownName(f"no level is called {key!r}; there are {', '.join(self._levels)}") from None

    def make(self, level_key: str, seed: int) -> Agent:
        """A new agent for the level; raises UnknownName. Its searches should get the level's `limit`."""
        level = self.level(level_key)
        plugin = self._plugins.get(level_key)
        return make_agent(level.agent, seed) if plugin is None else plugin.make(seed)

    def close(self) -> None:
        """Closes every plug-in; the built-in levels hold nothing."""
        for plugin in self._plugins.values():
            plugin.close()
