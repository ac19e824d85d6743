"""The roster: all levels that people can pick, built in or plugged in, and their agents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.agents import make_agent
from engine.agents.algorithms import algorithm, is_algorithm
from engine.agents.echo import echo, elo_in, is_echo
from engine.agents.levels import LEVELS, Level, in_order
from engine.core import Agent, UnknownName


class LevelPlugin(Protocol):
    """An external agent: its place on the ladder, and a factory."""

    @property
    def level(self) -> Level: ...
    def make(self, seed: int) -> Agent: ...
    def close(self) -> None:
        """Release the plug-in's resources, e.g. its worker process."""
        ...


class Roster:
    """The built-in levels, weakest first, then the plug-ins in the given order."""

    def __init__(self, plugins: Sequence[LevelPlugin] = ()) -> None:
        """Raises ValueError if two levels share a key."""
        self._plugins = {plugin.level.key: plugin for plugin in plugins}
        self._levels = {level.key: level for level in (*LEVELS, *(plugin.level for plugin in plugins))}
        if len(self._levels) != len(LEVELS) + len(plugins):
            raise ValueError(
                f"two plug-ins share a key, or one takes a built-in level's: {sorted(self._plugins)}"
            )

    @property
    def levels(self) -> tuple[Level, ...]:
        """All levels: the built-in ones, then the plug-ins."""
        return tuple(self._levels.values())

    def levels_of(self, game_key: str, board: str | None = None) -> tuple[Level, ...]:
        """Return the levels of this game (on that board), weakest first; () if there are none."""
        return in_order(game_key, (level for level in self._levels.values() if level.plays(game_key, board)))

    def level(self, key: str) -> Level:
        """Return the level with this key, Echo, or the algorithm it names; raises UnknownName."""
        if is_echo(key):
            return echo(elo_in(key))
        if key not in self._levels and is_algorithm(key):
            return algorithm(key)
        try:
            return self._levels[key]
        except KeyError:
            raise UnknownName(f"no level is called {key!r}; there are {', '.join(self._levels)}") from None

    def make(self, level_key: str, seed: int) -> Agent:
        """Create an agent for the level; raises UnknownName. Its searches should use the level's `limit`."""
        level = self.level(level_key)
        plugin = self._plugins.get(level_key)
        return make_agent(level.agent, seed) if plugin is None else plugin.make(seed)

    def close(self) -> None:
        """Close every plug-in; the built-in levels have no resources."""
        for plugin in self._plugins.values():
            plugin.close()
