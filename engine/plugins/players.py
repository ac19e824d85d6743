"""A plug-in's agent and its players, inside the worker process."""

from __future__ import annotations

import importlib.util
import re
import reprlib
import sys
from collections import OrderedDict
from collections.abc import Collection, Hashable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

from engine.agents import EVERY_GAME
from engine.core import UnknownName
from engine.games import game
from engine.plugins import championship, kaggle
from engine.plugins.shapes import Shape, UnfitPlugin, setting_names, shape_of
from engine.plugins.wire import MAX_CHARACTER, MAX_NAME, Ask, Description, Source, in_line

GROUP = "discade.agents"
MAX_PLAYERS = 128
"""Beyond this number, the least recently used player is dropped; its match continues with a new one."""

_PYTHON_2 = re.compile(
    r"\b(print|exec)\s+(?![=(.,)\]])|^except\b[^(:]*,|^raise\s+[\w.]+\s*,|<>|`|\b0[0-7]+\b|\b\d+L\b|\bur[\"']"
)
"""The parts of a line that Python 2 accepts and Python 3 does not."""

_DESCRIBING = ("name", "character", "games", "boards")
"""The settings that describe any agent, in place of its own attributes."""


class Players:
    """The players of one plug-in: one per agent, and one per colour if the agent's shape has colours."""

    def __init__(self, source: Source) -> None:
        """Load the agent; raises UnfitPlugin, and any exception of the plug-in."""
        self._source = source
        self._settings = {key: value for key, value in source.settings.items() if key not in _DESCRIBING}
        self._players: OrderedDict[tuple[int, Hashable], Any] = OrderedDict()
        championship.install(source.file)
        kaggle.install()
        if source.file is not None:
            sys.path.insert(0, str(source.file.parent))
        try:
            self._shape, self._agent = self._loaded()
        except SyntaxError as error:
            line = (error.text or "").strip()
            if _PYTHON_2.search(line):
                where = f"{Path(error.filename or '').name}, line {error.lineno}"
                raise UnfitPlugin(f"is written in Python 2, not 3: {where}: {line}") from None
            raise
        self._is_fresh = True
        self.description = _described(self._agent, self._shape, source)

    def answer(self, question: Ask) -> object:
        """Return the answer of the agent's player; raises UnfitPlugin, and any exception of the player."""
        if (games := self._shape.games) and question.history.game not in games:
            raise UnfitPlugin(f"plays {', '.join(game(key).title for key in games)} only")
        key = (question.agent, question.state.to_move if self._shape.has_colours else None)
        if key not in self._players:
            # Two players would share what such a file keeps in its globals.
            if self._shape.has_own_globals and not self._is_fresh:
                self._agent = self._loaded()[1]
            self._is_fresh = False
            arguments = self._settings if isinstance(self._agent, type) else {}
            self._players[key] = self._shape.make(self._agent, question, arguments)
            if len(self._players) > MAX_PLAYERS:
                self._players.popitem(last=False)
        self._players.move_to_end(key)
        return self._shape.ask(self._players[key], question)

    def forget(self, agent: int) -> None:
        """Drop the agent's players; unknown agents are ignored."""
        for key in [key for key in self._players if key[0] == agent]:
            del self._players[key]

    def _loaded(self) -> tuple[Shape, Any]:
        """Return the agent and its shape; its file is executed again."""
        source = self._source
        if source.file is None:
            value = EntryPoint(source.name, source.entry_point or "", GROUP).load()
            return shape_of({"agent": value}, getattr(value, "__module__", ""), source)
        name = f"models.players.{source.file.stem}"
        spec = importlib.util.spec_from_file_location(name, source.file)
        if spec is None or spec.loader is None:
            raise UnfitPlugin("is no Python file")
        module = importlib.util.module_from_spec(spec)
        # Before it is executed: its dataclasses look for their module there.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        shape, value = shape_of(vars(module), name, source)
        known = setting_names(value, vars(module))
        for setting in self._settings:
            if known is not None and setting not in known:
                raise UnfitPlugin(str(UnknownName(f"has no setting {setting!r}", setting, known)))
        if not isinstance(value, type):
            vars(module).update(self._settings)
        return shape, value


def _described(agent: object, shape: Shape, source: Source) -> Description:
    def told(key: str) -> Any:
        return source.settings.get(key, getattr(agent, key, None))

    games = shape.games or _names(told("games"), EVERY_GAME, "plays", EVERY_GAME)
    offered = tuple(dict.fromkeys(board for key in games for board in game(key).boards))
    boards = shape.boards or _names(told("boards"), offered, "plays on", ())
    return Description(
        _line(told("name"), MAX_NAME) or source.name.replace("-", " ").replace("_", " ").title(),
        _line(told("character"), MAX_CHARACTER) or "a guest",
        tuple(key for key in EVERY_GAME if key in games),  # in our order, each once
        tuple(board for board in offered if board in boards),
    )


def _names(told: Any, known: Collection[str], verb: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names that an agent tells, one or several; raises UnfitPlugin for others than the known."""
    if told is None:
        return usual
    names = (told,) if isinstance(told, str) else tuple(told)  # one name is not a sequence of letters
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        message = f"{verb} {reprlib.repr(names)}, but there are {', '.join(known)}"
        raise UnfitPlugin(str(UnknownName(message, str(unknown[0]) if unknown else "", known)))
    return names


def _line(value: object, length: int) -> str:
    return in_line(value, length) if isinstance(value, str) else ""
