"""Plug-in agents: other people's classes, from entry points or a folder, each in a process of its own.

A plug-in never runs in the process of the matches. Its worker process has a hard time limit for every answer.
A plug-in that is late, crashes, raises or returns nonsense forfeits the move to a random legal one, with a
line in the log; the match and other plug-ins are not affected. The worker of a late plug-in is killed, with
all its child processes.

This protects against mistakes, not against malice: a plug-in has the rights of the user who runs the program.
"""

from __future__ import annotations

import itertools
import logging
import random
import re
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import entry_points as installed_entry_points
from pathlib import Path

from engine.agents.levels import PLUGIN, Level
from engine.core import Choice, Limit, Move, SearchInfo, State, Stop, moves_of
from engine.games import GAMES
from engine.plugins.answers import checked_info
from engine.plugins.limits import HARD_SECONDS, LOAD_SECONDS, MEMORY_BYTES
from engine.plugins.process import ProcessEnded, Unwanted, WorkerProcess
from engine.plugins.wire import Ask, Description, Load, Malformed, Question, Reply, Source

GROUP = "discade.agents"

_POLL_SECONDS = 0.05
_TOLD_SHARE = 0.9  # of the real limit, so that an agent that uses all its time is not late
_LOGGED_CHARACTERS = 400

_FILE_PATTERN = "*_player.py"
_PERSONS_FILE = "human_player.py"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.ASCII)

log = logging.getLogger(__name__)


class _Forfeit(Exception):
    """The plug-in gave no valid answer; the message has the reason."""


class _Stopped(Exception):
    """The answer is no longer wanted."""


class Plugin:
    """A plug-in: its place on the ladder, and a factory of agents; thread-safe."""

    def __init__(
        self, source: Source, description: Description, worker: _Worker, hard_seconds: float
    ) -> None:
        key = f"{PLUGIN}:{source.name}"
        limit = Limit(seconds=hard_seconds)
        self.level = Level(
            key, description.name, description.character, key, limit, description.games, description.boards
        )
        self._source = source
        self._worker = worker

    def make(self, seed: int) -> PluginAgent:
        """Create an agent for one match, with a player of its own until it is closed.

        The seed makes plug-ins that use Python's or numpy's random numbers reproducible.
        """
        return PluginAgent(self.level, self._source, self._worker, seed)

    def close(self) -> None:
        """End the worker process; existing agents then forfeit every move."""
        self._worker.close()


class PluginAgent:
    """Asks the plug-in's worker; choices are always legal, whatever the plug-in does.

    The worker keeps a player for each agent from its first move until `close`; after the worker was killed, a
    new player takes over.
    """

    def __init__(self, level: Level, source: Source, worker: _Worker, seed: int) -> None:
        self._level = level
        self._source = source
        self._worker = worker
        self._seed = seed
        self._number = worker.number_of_agent()
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the plug-in's choice within its hard limit, or `limit.seconds` if that is less.

        A forfeited move is a random legal one; the choice and the log have the reason. Starting a process,
        and waiting for other matches that use the same plug-in, do not count. Raises EngineError if the game
        is over.
        """
        moves = moves_of(state)
        started, forfeit = time.perf_counter(), ""
        try:
            return self._ask(state, limit, moves)
        except _Forfeit as reason:
            forfeit = str(reason)
            self._log(logging.WARNING, state, f"forfeits move {state.ply + 1} to a random one: {forfeit}")
        except _Stopped:
            self._log(logging.DEBUG, state, f"was stopped at move {state.ply + 1}")
        move = self._rng.choice(moves)
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,), forfeit=forfeit))

    def close(self) -> None:
        """Make the plug-in forget the match. Returns at once."""
        self._worker.end(self._number)

    def _ask(self, state: State, limit: Limit, moves: tuple[Move, ...]) -> Choice:
        game = _game_key(state)
        if game not in self._level.games:
            raise _Forfeit(f"it plays {', '.join(self._level.games)} only")
        hard = self._level.limit.seconds or HARD_SECONDS
        seconds = min(hard, limit.seconds or hard)
        told = Limit(seconds=seconds * _TOLD_SHARE, nodes=limit.nodes, depth=limit.depth)
        reply, took = self._worker.choose(limit.stop, seconds, Ask(self._number, state, told, self._seed))
        # Logged before the answer is judged: it may explain the fault.
        if reply.printed:
            said = " ".join(reply.printed.split())[:_LOGGED_CHARACTERS]
            self._log(logging.INFO, state, f"says at move {state.ply + 1}: {said}")
        if reply.trace:
            self._log(logging.DEBUG, state, f"failed:\n{reply.trace}")
        if reply.fault is not None:
            raise _Forfeit(f"it {reply.fault}")
        if reply.move is None or reply.info is None:
            raise _Forfeit("it answered without a move")
        if reply.move not in moves:
            raise _Forfeit(f"it answered {reply.move}, which is not legal there")
        info = checked_info(state, reply.move, reply.info, took)
        return Choice(reply.move, replace(info, said=reply.printed))

    def _log(self, severity: int, state: State, message: str) -> None:
        log.log(severity, "plug-in %s in %s %s", self._source, _game_key(state), message)


class _Worker:
    """The plug-in's process: runs while matches use it, one request at a time, restarts if it dies."""

    def __init__(self, source: Source, load_seconds: float, memory_bytes: int) -> None:
        self._source = source
        self._load_seconds = load_seconds
        self._memory_bytes = memory_bytes
        self._turn = threading.Lock()
        self._process: WorkerProcess | None = None
        self._numbers = itertools.count()
        self._playing: set[int] = set()
        self._ended: list[int] = []
        self._is_closed = False

    def number_of_agent(self) -> int:
        """Return a new number, unique for each agent."""
        return next(self._numbers)

    def load(self) -> Reply:
        """Return the plug-in's description, or its fault; raises _Forfeit if the process does not answer.

        The process ends afterwards, until a match needs it.
        """
        with self._turn_of_mine(None):
            try:
                return self._loaded(None)
            finally:
                self._discard()

    def choose(self, stop: Stop | None, seconds: float, ask: Ask) -> tuple[Reply, float]:
        """Return the plug-in's answer, or its fault, and its seconds; raises _Forfeit or _Stopped.

        A worker that has just started loads the plug-in first, with a time limit of its own.
        """
        with self._turn_of_mine(stop):
            self._playing.add(ask.agent)
            loaded = self._loaded(stop)
            if loaded.fault is not None:
                return loaded, 0.0
            ended, self._ended = self._ended, []
            started = time.perf_counter()
            reply = self._run(replace(ask, ended=tuple(ended)), seconds, stop)
            return reply, time.perf_counter() - started

    def end(self, agent: int) -> None:
        """End the agent's match; returns at once. The process ends with the last one."""
        self._ended.append(agent)
        self._playing.discard(agent)
        if not self._playing:
            threading.Thread(target=self._rest, name="plug-in rests", daemon=True).start()

    def close(self) -> None:
        """Kill the process; a caller that still waits for its answer gets _Stopped."""
        self._is_closed = True
        with self._turn:
            self._discard()

    def _rest(self) -> None:
        with self._turn:
            if not self._playing:
                self._discard()

    @contextmanager
    def _turn_of_mine(self, stop: Stop | None) -> Iterator[None]:
        while not self._turn.acquire(timeout=_POLL_SECONDS):
            self._raise_if_unwanted(stop)
        try:
            self._raise_if_unwanted(stop)
            yield
        finally:
            self._turn.release()

    def _is_unwanted(self, stop: Stop | None) -> bool:
        return self._is_closed or (stop is not None and stop.is_set())

    def _raise_if_unwanted(self, stop: Stop | None) -> None:
        if self._is_unwanted(stop):
            raise _Stopped

    def _loaded(self, stop: Stop | None) -> Reply:
        """Return the result of loading; a process that has loaded its plug-in is not asked again."""
        if self._process is not None and self._process.is_alive:
            return Reply()
        self._discard()  # it died while idle
        reply = self._run(Load(self._source), self._load_seconds, stop)
        if reply.fault is not None:
            self._discard()
        return reply

    def _run(self, question: Question, seconds: float, stop: Stop | None) -> Reply:
        """Return the process's reply; without one, the process is killed."""
        try:
            if self._process is None:
                self._process = WorkerProcess(self._memory_bytes)
                self._process.await_start(lambda: self._is_unwanted(stop))
            return self._process.ask(question, seconds, lambda: self._is_unwanted(stop))
        except Unwanted:
            self._discard()
            raise _Stopped from None
        except TimeoutError:
            reason = f"it gave no answer within {seconds:g} s"
        except ProcessEnded as error:
            reason = f"its process crashed with exit code {error.code}"
        except Malformed as error:
            reason = f"it answered what cannot be read: {error}"
        except (OSError, RuntimeError) as error:  # no process or no thread could be started
            reason = f"its process could not be started: {error}"
        self._discard()
        raise _Forfeit(reason)

    def _discard(self) -> None:
        process, self._process = self._process, None
        self._ended = []
        if process is not None:
            process.kill()


def discover(
    folder: Path | None,
    entry_points: bool = True,
    *,
    hard_seconds: float = HARD_SECONDS,
    load_seconds: float = LOAD_SECONDS,
    memory_bytes: int = MEMORY_BYTES,
) -> tuple[Plugin, ...]:
    """Return the working plug-ins, by name: installed ones, then the `*_player.py` files of the folder.

    Each is loaded in its own worker process, never in this one, so this takes as long as starting several
    Pythons; without plug-ins it is immediate. Plug-ins that do not load, name no game, or have a name that is
    taken are logged and left out. The caller closes the plug-ins.
    """
    sources = tuple(_distinct([*(_installed() if entry_points else ()), *_dropped(folder)]))
    if not sources:
        return ()
    with ThreadPoolExecutor(max_workers=min(4, len(sources)), thread_name_prefix="plug-ins") as threads:
        loaded = list(
            threads.map(
                lambda source: _loaded(source, _Worker(source, load_seconds, memory_bytes), hard_seconds),
                sources,
            )
        )
    return tuple(plugin for plugin in loaded if plugin is not None)


def _loaded(source: Source, worker: _Worker, hard_seconds: float) -> Plugin | None:
    try:
        reply = worker.load()
    except _Forfeit as reason:
        reply = Reply(fault=f"could not be loaded: {reason}")
    if reply.printed:
        log.info("plug-in %s says while it is loaded: %s", source, reply.printed[:_LOGGED_CHARACTERS])
    if reply.description is None:
        trace = f"\n{reply.trace}" if reply.trace else ""
        log.error("plug-in %s is left out: it %s%s", source, reply.fault, trace)
        worker.close()
        return None
    return Plugin(source, reply.description, worker, hard_seconds)


def _installed() -> Iterator[Source]:
    for entry in sorted(installed_entry_points(group=GROUP)):
        yield Source(entry.name, entry_point=entry.value)


def _dropped(folder: Path | None) -> Iterator[Source]:
    if folder is None:
        return
    if not folder.is_dir():
        log.error("plug-in folder %s does not exist", folder)
        return
    for file in sorted(folder.resolve().glob(_FILE_PATTERN)):
        if file.name == _PERSONS_FILE:
            log.info("%s is left out: it reads moves from the keyboard", file.name)
            continue
        yield Source(file.stem.removesuffix("_player").lower(), file=file)


def _distinct(sources: Iterable[Source]) -> Iterator[Source]:
    """Leave out, and log, sources whose name is invalid or taken."""
    taken: dict[str, Source] = {}
    for source in sources:
        if not _NAME.fullmatch(source.name):
            log.error("plug-in %s is left out: its name must match %s", source, _NAME.pattern)
        elif source.name in taken:
            log.error("plug-in %s is left out: %s has the same name", source, taken[source.name])
        else:
            taken[source.name] = source
            yield source


def _game_key(state: State) -> str:
    """Return the registry key of the state's game; the type's name for an unregistered game."""
    for key, game in GAMES.items():
        if type(game.start()) is type(state):
            return key
    return type(state).__name__
