"""A plug-in's class and its players, inside the worker process."""

from __future__ import annotations

import importlib.util
import inspect
import re
import reprlib
import sys
from collections import OrderedDict
from collections.abc import Hashable
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.agents import EVERY_GAME
from engine.core import Limit, State
from engine.games import spec_of, spec_of_state
from engine.plugins import championship
from engine.plugins.wire import MAX_CHARACTER, MAX_NAME, Description, Source, in_line

GROUP = "discade.agents"
MAX_PLAYERS = 128
"""Beyond this number, the least recently used player is dropped; its match continues with a new one."""

_PYTHON_2 = re.compile(
    r"\b(print|exec)\s+(?![=(.,)\]])|^except\b[^(:]*,|^raise\s+[\w.]+\s*,|<>|`|\b0[0-7]+\b|\b\d+L\b|\bur[\"']"
)
"""The parts of a line that Python 2 accepts and Python 3 does not."""


class UnfitPlugin(Exception):
    """The plug-in cannot be used as it is; the message has the reason."""


class Players:
    """The players of one plug-in: one per agent, and one per colour in the championship's style."""

    def __init__(self, source: Source) -> None:
        """Load the class; raises UnfitPlugin, and any exception of the plug-in."""
        self._source = source
        self._players: OrderedDict[Hashable, Any] = OrderedDict()
        if source.file is None:
            championship.install(None)
        else:
            championship.install(source.file)
            sys.path.insert(0, str(source.file.parent))
        try:
            self._class: type = self._loaded()
        except SyntaxError as error:
            line = (error.text or "").strip()
            if _PYTHON_2.search(line):
                where = f"{Path(error.filename or '').name}, line {error.lineno}"
                raise UnfitPlugin(f"is written in Python 2, not 3: {where}: {line}") from None
            raise
        self.description = _described(self._class, source)

    def answer(self, agent: int, state: State, limit: Limit) -> object:
        """Return the answer of the agent's player; raises UnfitPlugin, and any exception of the player."""
        if _style(self._class) == "play":
            return self._championship_answer(agent, state)
        player = self._players.get(agent)
        if player is None:
            player = self._keep(agent, self._class())
        self._players.move_to_end(agent)
        return player.choose(state, limit)

    def forget(self, agent: int) -> None:
        """Drop the agent's players; unknown agents are ignored."""
        for key in [key for key in self._players if key == agent or key in _colours_of(agent)]:
            del self._players[key]

    def _championship_answer(self, agent: int, state: State) -> object:
        if spec_of_state(state).key != championship.GAME:
            raise UnfitPlugin(f"plays {spec_of(championship.GAME).title} only")
        moves = state.legal_moves()
        if len(moves) == 1 and spec_of_state(state).is_pass(state, moves[0]):
            return moves[0]  # the championship never asks a player without a placement
        try:
            board = championship.board_of(state)
        except ValueError as error:
            raise UnfitPlugin(str(error)) from None
        key = (agent, int(state.to_move))
        player = self._players.get(key)
        if player is None:
            # The championship runs a player's file for each player, so each has its own globals.
            player = self._keep(key, self._loaded()(championship.color_of(state.to_move)))
        self._players.move_to_end(key)
        answer = player.play(board)
        move = championship.engine_move(answer)
        if move is None:
            raise UnfitPlugin(f"answered {reprlib.repr(answer)}, which is no square")
        return move

    def _keep(self, key: Hashable, player: Any) -> Any:
        self._players[key] = player
        if len(self._players) > MAX_PLAYERS:
            self._players.popitem(last=False)
        return player

    def _loaded(self) -> type:
        """Return the class; its file is executed again."""
        source = self._source
        if source.file is None:
            player = EntryPoint(source.name, source.entry_point or "", GROUP).load()
            if not isinstance(player, type) or not _style(player):
                raise UnfitPlugin(f"{source.entry_point} is no class with choose(self, state, limit)")
            return player
        name = f"models.players.{source.file.stem}"
        spec = importlib.util.spec_from_file_location(name, source.file)
        if spec is None or spec.loader is None:
            raise UnfitPlugin("is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return _only_player(module)


def _colours_of(agent: int) -> tuple[Hashable, ...]:
    return ((agent, 0), (agent, 1))


def _only_player(module: ModuleType) -> type:
    """Return the only public player class of the file; base classes of others do not count.

    Of several in the championship's style the last one counts, as there.
    """
    own = [
        value
        for name, value in vars(module).items()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and not name.startswith("_")
        and _style(value)
    ]
    players = [player for player in own if not any(player in other.__mro__[1:] for other in own)]
    if not players:
        raise UnfitPlugin("has no class with choose(self, state, limit) or play(self, board)")
    if any(_style(player) == "choose" for player in players) and len(set(players)) > 1:
        names = ", ".join(player.__name__ for player in players)
        raise UnfitPlugin(f"has several players, {names}: begin the names of all but one with _")
    return players[-1]


def _style(player: type) -> str | None:
    """Return `choose`, `play` (the championship's) or None.

    A championship player may have a method called choose as well; but its constructor takes a colour.
    """
    can_choose, can_play = (callable(getattr(player, style, None)) for style in ("choose", "play"))
    if can_choose and can_play:
        return "play" if _wants_a_colour(player) else "choose"
    return "choose" if can_choose else "play" if can_play else None


def _wants_a_colour(player: type) -> bool:
    try:
        parameters = inspect.signature(player).parameters.values()
    except (TypeError, ValueError):
        return False
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(each.kind in kinds and each.default is each.empty for each in parameters)


def _described(player: type, source: Source) -> Description:
    name = getattr(player, "name", None)
    character = getattr(player, "character", None)
    games = getattr(player, "games", EVERY_GAME)
    is_championship = _style(player) == "play"
    if is_championship:
        games = (championship.GAME,)
    elif isinstance(games, str):  # one name, not a sequence of letters
        games = (games,)
    games = tuple(games)
    unknown = [game for game in games if game not in EVERY_GAME]
    if unknown or not games:
        raise UnfitPlugin(f"plays {reprlib.repr(games)}, but there are {', '.join(EVERY_GAME)}")
    return Description(
        _line(name, MAX_NAME) or source.name.replace("-", " ").replace("_", " ").title(),
        _line(character, MAX_CHARACTER) or "a guest",
        tuple(game for game in EVERY_GAME if game in games),  # in our order, each once
        (championship.BOARD,) if is_championship else (),
    )


def _line(value: object, length: int) -> str:
    return in_line(value, length) if isinstance(value, str) else ""
