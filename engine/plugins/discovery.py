"""Plug-in agents: other people's classes, found by entry point or dropped file, each in a process of its own.

A plug-in never runs where matches are played. Its worker process has a hard limit for every answer; one that
is late, crashes, raises or answers nonsense forfeits the move to a legal random one, the log says so, and
neither the match nor anybody else's notices. The worker of a late one is killed, with all that it started.

This keeps mistakes away, not malice: a plug-in has the rights of whoever runs the program.
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

from engine.agents.levels import Level
from engine.core import Choice, Limit, Move, SearchInfo, State, Stop, moves_of
from engine.games import GAMES
from engine.plugins.answers import checked_info
from engine.plugins.limits import HARD_SECONDS, LOAD_SECONDS, MEMORY_BYTES
from engine.plugins.process import ProcessEnded, Unwanted, WorkerProcess
from engine.plugins.wire import Ask, Description, Load, Malformed, Question, Reply, Source

GROUP = "discade.agents"

_POLL_SECONDS = 0.05
_TOLD_SHARE = 0.9  # of the real limit: an agent that uses up what it is told must not be late
_LOGGED_CHARACTERS = 400

_FILE_PATTERN = "*_player.py"
_PERSONS_FILE = "human_player.py"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}", re.ASCII)

log = logging.getLogger(__name__)


class _Forfeit(Exception):
    """The plug-in gave no answer; the message says why."""


class _Stopped(Exception):
    """Nobody wants the answer any more."""


class Plugin:
    """One plug-in: its place on the ladder, and agents that ask it. Any number of threads may use it."""

    def __init__(
        self, source: Source, description: Description, worker: _Worker, hard_seconds: float
    ) -> None:
        key = f"plugin:{source.name}"
        limit = Limit(seconds=hard_seconds)
        self.level = Level(
            key, description.name, description.character, key, limit, description.games, description.boards
        )
        self._source = source
        self._worker = worker

    def make(self, seed: int) -> PluginAgent:
        """An agent for one match, which remembers it until it is closed.

        Plug-ins that draw from Python's or numpy's random numbers repeat themselves by seed.
        """
        return PluginAgent(self.level, self._source, self._worker, seed)

    def close(self) -> None:
        """Ends the worker process; agents made earlier then forfeit every move."""
        self._worker.close()


class PluginAgent:
    """Asks the plug-in's worker; choices are always legal, whatever the plug-in does.

    The worker keeps a player for each agent from its first move until `close`; when the worker had to be
    killed, a new player takes over.
    """

    def __init__(self, level: Level, source: Source, worker: _Worker, seed: int) -> None:
        self._level = level
        self._source = source
        self._worker = worker
        self._seed = seed
        self._number = worker.number_of_agent()
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:
        """The plug-in's choice within its hard limit, or less where `limit.seconds` is less.

        A forfeited move is a legal one by chance, and the log has the reason. Other matches that ask the
        same plug-in are waited for; that time is not counted. Raises EngineError when the game is over.
        """
        moves = moves_of(state)
        started = time.perf_counter()
        try:
            return self._ask(state, limit, moves)
        except _Forfeit as reason:
            self._log(logging.WARNING, state, f"forfeits move {state.ply + 1} to a random one: {reason}")
        except _Stopped:
            self._log(logging.DEBUG, state, f"was stopped at move {state.ply + 1}")
        move = self._rng.choice(moves)
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,)))

    def close(self) -> None:
        """Lets the plug-in forget the match. Returns at once."""
        self._worker.end(self._number)

    def _ask(self, state: State, limit: Limit, moves: tuple[Move, ...]) -> Choice:
        game = _game_key(state)
        if game not in self._level.games:
            raise _Forfeit(f"it plays {', '.join(self._level.games)} only")
        hard = self._level.limit.seconds or HARD_SECONDS
        seconds = min(hard, limit.seconds or hard)
        told = Limit(seconds=seconds * _TOLD_SHARE, nodes=limit.nodes, depth=limit.depth)
        reply, took = self._worker.choose(limit.stop, seconds, Ask(self._number, state, told, self._seed))
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
    """The plug-in's process: there while somebody plays, asked by one at a time, replaced when it dies."""

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
        """A number of its own for each agent."""
        return next(self._numbers)

    def load(self) -> Reply:
        """The plug-in's description, or its fault; raises _Forfeit when the process gives no answer.

        The process then ends: it is only needed while somebody plays.
        """
        with self._turn_of_mine(None):
            try:
                return self._loaded(None)
            finally:
                self._discard()

    def choose(self, stop: Stop | None, seconds: float, ask: Ask) -> tuple[Reply, float]:
        """The plug-in's answer, or its fault, and the seconds that it took; raises _Forfeit or _Stopped.

        Before that, a worker that has just started loads the plug-in, which has its own time limit.
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
        """The agent's match is over. The process ends with the last one; this returns at once."""
        self._ended.append(agent)
        self._playing.discard(agent)
        if not self._playing:
            threading.Thread(target=self._rest, name="plug-in rests", daemon=True).start()

    def close(self) -> None:
        """Kills the process; whoever still waits for its answer gets _Stopped."""
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
        """What loading says; a process that has loaded its plug-in is not asked again."""
        if self._process is not None and self._process.is_alive:
            return Reply()
        self._discard()  # it died while nobody asked it anything
        reply = self._run(Load(self._source), self._load_seconds, stop)
        if reply.fault is not None:
            self._discard()
        return reply

    def _run(self, question: Question, seconds: float, stop: Stop | None) -> Reply:
        """The process's reply; where there is none, the process is gone."""
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
        except (OSError, RuntimeError) as error:  # no process, or no thread, to be had
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
    """The plug-ins that work, by name: installed ones, then the `*_player.py` files of the folder.

    Each is loaded in its own worker process, never in this one, so this takes about as long as starting
    a few of Python; without plug-ins it is immediate. Those that do not load, name no game, or have a name
    that is taken are reported in the log and left out. Close what is returned.
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
        log.error("plug-in %s is left out: it %s\n%s", source, reply.fault, reply.trace)
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
        log.error("there is no folder %s: no plug-ins are dropped there", folder)
        return
    for file in sorted(folder.resolve().glob(_FILE_PATTERN)):
        if file.name == _PERSONS_FILE:
            log.info("%s is left out: it asks whoever sits at a keyboard", file.name)
            continue
        yield Source(file.stem.removesuffix("_player").lower(), file=file)


def _distinct(sources: Iterable[Source]) -> Iterator[Source]:
    """Leaves out, and reports, those with a name that cannot be a key or that is taken."""
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
    """The registry key of the state's game; the type's name for a state of no registered game."""
    for key, game in GAMES.items():
        if type(game.start()) is type(state):
            return key
    return type(state).__name__
