"""Plug-in agents: other people's classes, found by entry point or dropped file, each in a process of its own.

A plug-in never runs where matches are played. Its worker process has a hard limit for every answer; one that
is late, crashes, raises, prints or answers nonsense forfeits the move to a legal random one, the log says
so, and neither the match nor anybody else's notices. The worker of a late one is killed and replaced.

This keeps mistakes away, not malice: a plug-in has the rights of whoever runs the program.
"""

from __future__ import annotations

import logging
import multiprocessing
import random
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from importlib.metadata import entry_points as installed_entry_points
from pathlib import Path
from typing import TYPE_CHECKING

from engine.agents.levels import Level
from engine.agents.random import moves_of
from engine.core import Choice, Limit, Move, SearchInfo, State, Stop
from engine.games import GAMES
from engine.plugins import worker as plugin_worker
from engine.plugins.answers import checked_info
from engine.plugins.worker import GROUP, Description, Reply, Source

if TYPE_CHECKING:
    from pebble import ProcessPool

HARD_SECONDS = 10.0
LOAD_SECONDS = 10.0

_START_SECONDS = 30.0  # a process of Python with numpy, on a machine that is busy
_POLL_SECONDS = 0.05
_KILL_SECONDS = 0.3  # what pebble may take to notice that the time is over
_TOLD_SHARE = 0.9  # of the real limit: an agent that uses up what it is told must not be late

_FILE_PATTERN = "*_player.py"
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
        """An agent; plug-ins that draw from Python's or numpy's random numbers repeat themselves by seed."""
        return PluginAgent(self.level, self._source, self._worker, seed)

    def close(self) -> None:
        """Ends the worker process; agents made earlier then forfeit every move."""
        self._worker.close()


class PluginAgent:
    """Asks the plug-in's worker; choices are always legal, whatever the plug-in does."""

    def __init__(self, level: Level, source: Source, worker: _Worker, seed: int) -> None:
        self._level = level
        self._source = source
        self._worker = worker
        self._seed = seed
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

    def _ask(self, state: State, limit: Limit, moves: tuple[Move, ...]) -> Choice:
        game = _game_key(state)
        if game not in self._level.games:
            raise _Forfeit(f"it plays {', '.join(self._level.games)} only")
        hard = self._level.limit.seconds or HARD_SECONDS
        seconds = min(hard, limit.seconds or hard)
        told = Limit(seconds=seconds * _TOLD_SHARE, nodes=limit.nodes, depth=limit.depth)
        reply, seconds = self._worker.choose(limit.stop, seconds, state, told, self._seed)
        if reply.trace:
            self._log(logging.DEBUG, state, f"failed:\n{reply.trace}")
        if reply.fault is not None or reply.move is None or reply.info is None:
            raise _Forfeit(f"it {reply.fault}")
        if reply.printed:
            raise _Forfeit(f"it printed {reply.printed!r}")
        if reply.move not in moves:
            raise _Forfeit(f"it answered {reply.move}, which is not legal there")
        return Choice(reply.move, checked_info(state, reply.move, reply.info, seconds))

    def _log(self, severity: int, state: State, message: str) -> None:
        log.log(severity, "plug-in %s in %s %s", self._source, _game_key(state), message)


class _Worker:
    """The plug-in's process: started when first asked, asked by one at a time, replaced when it dies."""

    def __init__(self, source: Source, load_seconds: float) -> None:
        self._source = source
        self._load_seconds = load_seconds
        self._turn = threading.Lock()
        self._pool: ProcessPool | None = None
        self._is_closed = False

    def load(self) -> Reply:
        """The plug-in's description, or its fault; raises _Forfeit when the process gives no answer."""
        with self._turn_of_mine(None):
            return self._load(None)

    def choose(
        self, stop: Stop | None, seconds: float, state: State, limit: Limit, seed: int
    ) -> tuple[Reply, float]:
        """The plug-in's answer, or its fault, and the seconds that it took; raises _Forfeit or _Stopped.

        Before that, a worker that has just started loads the plug-in, which has its own time limit.
        """
        with self._turn_of_mine(stop):
            loaded = self._load(stop)
            if loaded.fault is not None:
                return loaded, 0.0
            arguments = (self._source, state, limit, seed)
            started = time.perf_counter()
            reply = self._run(stop, seconds, _KILL_SECONDS, plugin_worker.choose, *arguments)
            return reply, time.perf_counter() - started

    def close(self) -> None:
        """Kills the process; whoever still waits for its answer gets _Stopped."""
        self._is_closed = True
        with self._turn:
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

    def _load(self, stop: Stop | None) -> Reply:
        return self._run(stop, self._load_seconds, _START_SECONDS, plugin_worker.describe, self._source)

    def _is_unwanted(self, stop: Stop | None) -> bool:
        return self._is_closed or (stop is not None and stop.is_set())

    def _raise_if_unwanted(self, stop: Stop | None) -> None:
        if self._is_unwanted(stop):
            raise _Stopped

    def _run(
        self,
        stop: Stop | None,
        seconds: float,
        grace_seconds: float,
        function: Callable[..., Reply],
        *arguments: object,
    ) -> Reply:
        from pebble import ProcessExpired

        try:
            future: Future[Reply] = self._running_pool().schedule(function, args=arguments, timeout=seconds)
            self._await(future, stop, seconds + grace_seconds)
            return future.result(timeout=0)
        except TimeoutError:
            raise _Forfeit(f"it gave no answer within {seconds:g} s") from None
        except ProcessExpired as error:
            raise _Forfeit(f"its process crashed with exit code {error.exitcode}") from None
        except RuntimeError:  # pebble's, for a pool whose process does not even start
            self._discard()
            raise _Forfeit("its process could not be kept alive") from None
        except CancelledError:
            raise _Stopped from None

    def _await(self, future: Future[Reply], stop: Stop | None, seconds: float) -> None:
        """Returns when the future is done or the time is over, also when the process resists being killed."""
        deadline = time.monotonic() + seconds
        while not wait((future,), timeout=_POLL_SECONDS).done and time.monotonic() < deadline:
            if self._is_unwanted(stop):
                future.cancel()  # pebble then kills the process
                raise _Stopped
        if not future.done():
            future.cancel()
            raise TimeoutError

    def _running_pool(self) -> ProcessPool:
        if self._pool is not None and self._pool.active:
            return self._pool
        self._discard()  # its process died while nobody asked it anything
        from pebble import ProcessPool

        # Spawned on every platform: forking a process with threads and compiled kernels may deadlock.
        context = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(1, initializer=plugin_worker.silence, context=context)
        return self._pool

    def _discard(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def discover(
    folder: Path | None,
    entry_points: bool = True,
    *,
    hard_seconds: float = HARD_SECONDS,
    load_seconds: float = LOAD_SECONDS,
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
        loaded = list(threads.map(lambda source: _loaded(source, hard_seconds, load_seconds), sources))
    return tuple(plugin for plugin in loaded if plugin is not None)


def _loaded(source: Source, hard_seconds: float, load_seconds: float) -> Plugin | None:
    worker = _Worker(source, load_seconds)
    try:
        reply = worker.load()
    except _Forfeit as reason:
        reply = Reply(fault=f"could not be loaded: {reason}")
    if reply.printed:
        log.warning("plug-in %s printed %r while loading", source, reply.printed)
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
