"""What runs inside a plug-in's worker process: loading its class, asking it, and weighing its answer.

Only plain values of the engine's own types leave the worker, so nothing of the plug-in is ever
unpickled where matches are played.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import random
import reprlib
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint
from itertools import islice
from pathlib import Path
from types import ModuleType

import numpy as np

from engine.agents import EVERY_GAME, OTHELLO
from engine.core import Choice, Limit, Move, SearchInfo, State
from engine.games.othello import OthelloState
from engine.plugins import championship

GROUP = "discade.agents"
MAX_PRINTED = 400
MAX_FAULT, MAX_TRACE = 300, 4000
MAX_NAME, MAX_CHARACTER = 32, 100
MOST_ENTRIES = 1_000
LARGEST_NUMBER = (1 << 63) - 1

_SECRETS = ("TOKEN", "SECRET", "PASSWORD", "DATABASE_URL")


class UnfitPlugin(Exception):
    """The plug-in cannot be used as it is; the message says why."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where a plug-in comes from: a dropped file, or an entry point such as `package.module:Class`."""

    name: str
    file: Path | None = None
    entry_point: str | None = None

    def __str__(self) -> str:
        return f"{self.name} ({self.file.name if self.file else self.entry_point})"


CHAMPIONSHIP_BOARD = "8x8"


@dataclass(frozen=True, slots=True)
class Description:
    """How a plug-in shows itself. boards: those that it plays; () for all."""

    name: str
    character: str
    games: tuple[str, ...]
    boards: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of asking. fault: why there is no answer; trace: the plug-in's traceback, for the log."""

    printed: str = ""
    fault: str | None = None
    trace: str = ""
    description: Description | None = None
    move: Move | None = None
    info: SearchInfo | None = None


def silence() -> None:
    """The worker's first act: what it writes below Python goes nowhere, and no secret stays within reach."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        for descriptor in (1, 2):
            os.dup2(nowhere.fileno(), descriptor)
    # Traces of a plug-in reach the log. This keeps secrets out of them; it is no wall against ill will.
    for name in tuple(os.environ):
        if any(secret in name.upper() for secret in _SECRETS):
            del os.environ[name]
    # Exit code 0 would look like an orderly end to the pool, and the match would wait for the full limit.
    really_exit = os._exit
    os._exit = lambda status: really_exit(status or 1)
    sys.dont_write_bytecode = True  # leave no folders of ours beside other people's files


def describe(source: Source) -> Reply:
    """Loads the plug-in, once for each worker."""
    with _captured() as printed:
        try:
            description = _described(_player_class(source), source)
        except UnfitPlugin as error:
            return Reply(printed(), fault=str(error))
        except BaseException as error:  # noqa: BLE001 (whatever a plug-in raises is its own fault)
            return _raised("could not be loaded", printed(), error)
    return Reply(printed(), description=description)


def choose(source: Source, state: State, limit: Limit, seed: int) -> Reply:
    """Asks the plug-in for a move; `seed` and the ply seed the random numbers of Python and numpy."""
    with _captured() as printed:
        try:
            random.seed(f"{seed} {state.ply}")
            np.random.seed(random.getrandbits(32))
            player = _player_class(source)
            if _style(player) == "play":
                answer = _championship_answer(player, state)
            else:
                answer = _instance(source).choose(state, limit)  # type: ignore[attr-defined]
            move, info = _weighed(answer)
        except UnfitPlugin as error:
            return Reply(printed(), fault=str(error))
        except BaseException as error:  # noqa: BLE001 (whatever a plug-in raises is its own fault)
            return _raised("raised", printed(), error)
    return Reply(printed(), move=move, info=info)


class _Tape(io.TextIOBase):
    """Takes the place of stdout and stderr; keeps only the beginning, however much is written."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text = (self.text + text)[:MAX_PRINTED]
        return len(text)


@contextlib.contextmanager
def _captured() -> Iterator[Callable[[], str]]:
    """Within, prints are caught; the function given returns what has been printed so far."""
    tape = _Tape()
    with contextlib.redirect_stdout(tape), contextlib.redirect_stderr(tape):
        yield lambda: tape.text


def _raised(what: str, printed: str, error: BaseException) -> Reply:
    reason = traceback.format_exception_only(error)[-1].strip()
    trace = "".join(traceback.format_exception(error))
    return Reply(printed, fault=f"{what}: {reason}"[:MAX_FAULT], trace=trace[-MAX_TRACE:])


@cache
def _player_class(source: Source) -> type:
    """The class of the plug-in; a failure is not cached, so that a mended file works."""
    if source.file is None:
        player = EntryPoint(source.name, source.entry_point or "", GROUP).load()
        if not isinstance(player, type) or not _style(player):
            raise UnfitPlugin(f"{source.entry_point} is no class with choose(self, state, limit)")
        return player
    championship.install_modules(source.file.parent)
    sys.path.insert(0, str(source.file.parent))
    name = f"models.players.{source.file.stem}"
    spec = importlib.util.spec_from_file_location(name, source.file)
    if spec is None or spec.loader is None:
        raise UnfitPlugin("is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return _only_player(module)


def _only_player(module: ModuleType) -> type:
    """The one public class of the file that can play; a class that another one builds on does not count."""
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
    if len(players) > 1:
        names = ", ".join(player.__name__ for player in players)
        raise UnfitPlugin(f"has several players, {names}: begin the names of all but one with _")
    return players[0]


def _style(player: type) -> str | None:
    """`choose`, `play` (the championship's) or None."""
    return next((style for style in ("choose", "play") if callable(getattr(player, style, None))), None)


@cache
def _instance(source: Source) -> object:
    """The one instance of a class with `choose` in this worker, asked about every match."""
    return _player_class(source)()


def _described(player: type, source: Source) -> Description:
    name = getattr(player, "name", None)
    character = getattr(player, "character", None)
    games = getattr(player, "games", EVERY_GAME)
    if _style(player) == "play":
        games = (OTHELLO,)
    elif isinstance(games, str):
        games = (games,)
    games = tuple(games)
    unknown = [game for game in games if game not in EVERY_GAME]
    if unknown or not games:
        raise UnfitPlugin(f"plays {reprlib.repr(games)}, but there are {', '.join(EVERY_GAME)}")
    return Description(
        _line(name, MAX_NAME) or source.name.replace("-", " ").replace("_", " ").title(),
        _line(character, MAX_CHARACTER) or "a guest",
        tuple(game for game in EVERY_GAME if game in games),
        (CHAMPIONSHIP_BOARD,) if _style(player) == "play" else (),
    )


def _line(value: object, length: int) -> str:
    return " ".join(value.split())[:length] if isinstance(value, str) else ""


def _championship_answer(player: type, state: State) -> object:
    if not isinstance(state, OthelloState):
        raise UnfitPlugin("plays Othello only")
    if state.legal_moves() == (state.pass_move,):
        return state.pass_move  # the championship never asks a player who cannot move
    try:
        board = championship.board_of(state)
    except ValueError as error:
        raise UnfitPlugin(str(error)) from None
    answer = player(championship.color_of(state.to_move)).play(board)
    move = championship.engine_move(answer)
    if move is None:
        raise UnfitPlugin(f"answered {reprlib.repr(answer)}, which is no square")
    return move


def _weighed(answer: object) -> tuple[Move, SearchInfo]:
    """The answer in plain types of bounded size; whether its numbers can be true is judged by who asked."""
    if isinstance(answer, Choice):
        return _number(answer.move), _plain(answer.info)
    return _number(answer), SearchInfo()


def _number(value: object) -> Move:
    # bool is an int, but True is no move; numpy's integers are none, but they name one.
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise UnfitPlugin(f"answered {reprlib.repr(value)}, which is no move")
    if not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        raise UnfitPlugin("answered a number beyond any move's")  # too long to be written, perhaps
    return int(value)


def _plain(info: object) -> SearchInfo:
    """The same info without any object of the plug-in's own types, and of no more than a bounded size."""
    if not isinstance(info, SearchInfo):
        raise UnfitPlugin(f"answered with the info {reprlib.repr(info)}, which is no SearchInfo")
    try:
        return SearchInfo(
            score=None if info.score is None else float(info.score),
            proven=bool(info.proven),
            depth=_count(info.depth),
            nodes=_count(info.nodes),
            pv=tuple(_count(move) for move in islice(info.pv, MOST_ENTRIES)),
            move_scores=tuple(
                (_count(move), float(score)) for move, score in islice(info.move_scores, MOST_ENTRIES)
            ),
            visits=tuple(
                (_count(move), _count(visits)) for move, visits in islice(info.visits, MOST_ENTRIES)
            ),
        )
    except (TypeError, ValueError, OverflowError) as error:
        raise UnfitPlugin(f"answered with a broken SearchInfo: {error}") from None


def _count(value: object) -> int:
    """As an int that can be stored; raises TypeError, ValueError or OverflowError."""
    number = int(value)  # type: ignore[call-overload]
    return int(min(max(number, -LARGEST_NUMBER), LARGEST_NUMBER))
