"""Plug-in agents at play: each asks its worker process, which has a hard time limit for every answer.

A plug-in that is late, crashes, raises or returns nonsense forfeits the move to a random legal one, with a
line in the log; the match and other plug-ins are not affected. The worker of a late plug-in is killed, with
all its child processes.
"""

from __future__ import annotations

import itertools
import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from engine.agents.levels import ENGINE, Level
from engine.core import Choice, History, Limit, SearchInfo, State, Stop, moves_of
from engine.games import spec_of_state
from engine.plugins.answers import checked_info
from engine.plugins.limits import HARD_SECONDS
from engine.plugins.process import ProcessEnded, Unwanted
from engine.plugins.wire import Ask, Description, Load, Malformed, Question, Reply, Source

_POLL_SECONDS = 0.05
_TOLD_SHARE = 0.9  # of the real limit, so that an agent that uses all its time is not late
_ILLEGAL_INSTRUCTION = 4  # the signal
LOGGED_CHARACTERS = 400

log = logging.getLogger(__name__)


class Forfeit(Exception):
    """The plug-in gave no valid answer; the message has the reason."""


class Crashed(Forfeit):
    """Its process ended instead of answering."""


class Resignation(Exception):
    """The engine resigns instead of moving."""


class Stopped(Exception):
    """The answer is no longer wanted."""


class Plugin:
    """A plug-in: its place on the ladder, and a factory of agents; thread-safe."""

    def __init__(self, source: Source, description: Description, worker: Worker, hard_seconds: float) -> None:
        key, is_engine = f"{source.kind}:{source.name}", source.kind == ENGINE
        self.level = Level(
            key,
            f"{description.name} (engine)" if is_engine else description.name,
            description.character,
            key,
            Limit(seconds=hard_seconds),
            description.games,
            description.boards,
            is_rated=not is_engine,  # no host can measure one's Elo
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

    def __init__(self, level: Level, source: Source, worker: Worker, seed: int) -> None:
        self._level = level
        self._source = source
        self._worker = worker
        self._seed = seed
        self._number = worker.number_of_agent()
        self._rng = random.Random(seed)
        self._history: History | None = None

    def follow(self, history: History) -> None:
        """Take note of the match so far, for the plug-in; else it is told that the match begins here."""
        self._history = history

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the plug-in's choice within its hard limit, or `limit.seconds` if that is less.

        A forfeited move is a random legal one; the choice and the log have the reason. Starting a process,
        and waiting for other matches that use the same plug-in, do not count. Raises EngineError if the game
        is over.
        """
        moves = moves_of(state)
        hard = self._level.limit.seconds or HARD_SECONDS
        seconds = min(hard, limit.seconds or hard)
        started, forfeit, resigns = time.perf_counter(), "", False
        told = replace(limit, seconds=seconds * _TOLD_SHARE)
        try:
            try:
                reply, took = self.ask(state, told, seconds)
            except Crashed as crash:
                if self._level.kind != ENGINE:
                    raise
                # The whole position is in every question, so a new process can answer it.
                self._log(logging.WARNING, state, f"is started anew at move {state.ply + 1}: {crash}")
                reply, took = self.ask(state, told, seconds)
            # Logged before the answer is judged: it may explain the fault.
            if reply.printed:
                said = " ".join(reply.printed.split())[:LOGGED_CHARACTERS]
                self._log(logging.INFO, state, f"says at move {state.ply + 1}: {said}")
            if reply.trace:
                self._log(logging.DEBUG, state, f"failed:\n{reply.trace}")
            return judged(state, reply, took)
        except Forfeit as reason:
            forfeit = str(reason)
            self._log(logging.WARNING, state, f"forfeits move {state.ply + 1} to a random one: {forfeit}")
        except Resignation:
            resigns = True
        except Stopped:
            self._log(logging.DEBUG, state, f"was stopped at move {state.ply + 1}")
        move, took = self._rng.choice(moves), time.perf_counter() - started
        return Choice(move, SearchInfo(seconds=took, pv=(move,), forfeit=forfeit, resigns=resigns))

    def ask(self, state: State, told: Limit, seconds: float) -> tuple[Reply, float]:
        """Return the plug-in's unchecked reply, and its seconds; raises Forfeit or Stopped.

        told: the limit that the plug-in hears of. seconds: the real one.
        """
        game = spec_of_state(state).key
        if game not in self._level.games:
            raise Forfeit(f"it plays {', '.join(self._level.games)} only")
        heard = Limit(seconds=told.seconds, nodes=told.nodes, depth=told.depth)
        history = self._history or History(game, "", state)
        return self._worker.choose(told.stop, seconds, Ask(self._number, state, heard, self._seed, history))

    def close(self) -> None:
        """Make the plug-in forget the match. Returns at once."""
        self._worker.end(self._number)

    def _log(self, severity: int, state: State, message: str) -> None:
        log.log(
            severity, "%s %s in %s %s",
            self._source.title, self._source, spec_of_state(state).key, message,
        )  # fmt: skip


def judged(state: State, reply: Reply, seconds: float) -> Choice:
    """Return the choice in a plug-in's reply; raises Forfeit if it has no legal one, or Resignation."""
    if reply.resigns:
        raise Resignation
    if reply.fault is not None:
        raise Forfeit(f"it {reply.fault}")
    if reply.move is None or reply.info is None:
        raise Forfeit("it answered without a move")
    if reply.move not in state.legal_moves():
        raise Forfeit(f"it answered {reply.move}, which is not legal there")
    info = checked_info(state, reply.move, reply.info, seconds)
    return Choice(reply.move, replace(info, said=reply.printed))


class Desk(Protocol):
    """A process that answers questions; see `WorkerProcess` and `EngineProcess`."""

    @property
    def is_alive(self) -> bool: ...
    @property
    def last_words(self) -> str:
        """Its last output, for the log; "" if its replies say all there is to say."""
        ...

    def await_start(self, is_unwanted: Callable[[], bool]) -> None: ...
    def ask(self, question: Question, seconds: float, is_unwanted: Callable[[], bool]) -> Reply: ...
    def kill(self) -> None: ...


class Worker:
    """The plug-in's process: runs while matches use it, one request at a time, restarts if it dies.

    start: starts a process, without waiting; raises OSError. seconds: the limit of each answer, whatever
    `choose` says.
    """

    def __init__(
        self,
        source: Source,
        load_seconds: float,
        start: Callable[[], Desk],
        *,
        seconds: float | None = None,
    ) -> None:
        self._seconds = seconds
        self._source = source
        self._load_seconds = load_seconds
        self._start = start
        self._turn = threading.Lock()
        self._process: Desk | None = None
        self._numbers = itertools.count()
        self._playing: set[int] = set()
        self._ended: list[int] = []
        self._is_closed = False

    def number_of_agent(self) -> int:
        """Return a new number, unique for each agent."""
        return next(self._numbers)

    def load(self) -> Reply:
        """Return the plug-in's description, or its fault; raises Forfeit if the process does not answer.

        Its process stays until `rest`.
        """
        with self._turn_of_mine(None):
            return self._loaded(None)

    def choose(self, stop: Stop | None, seconds: float, ask: Ask) -> tuple[Reply, float]:
        """Return the plug-in's answer, or its fault, and its seconds; raises Forfeit or Stopped.

        A worker that has just started loads the plug-in first, with a time limit of its own.
        """
        with self._turn_of_mine(stop):
            self._playing.add(ask.agent)
            loaded = self._loaded(stop)
            if loaded.fault is not None:
                return loaded, 0.0
            ended, self._ended = self._ended, []
            started = time.perf_counter()
            reply = self._run(replace(ask, ended=tuple(ended)), self._seconds or seconds, stop)
            return reply, time.perf_counter() - started

    def end(self, agent: int) -> None:
        """End the agent's match; returns at once. The process ends with the last one."""
        self._ended.append(agent)
        self._playing.discard(agent)
        if not self._playing:
            threading.Thread(target=self.rest, name="plug-in rests", daemon=True).start()

    def close(self) -> None:
        """Kill the process; a caller that still waits for its answer gets Stopped."""
        self._is_closed = True
        with self._turn:
            self._discard()

    def rest(self) -> None:
        """End the process, unless a match uses it; the next question starts another."""
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
            raise Stopped

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
        kind = Forfeit
        try:
            if self._process is None:
                self._process = self._start()
                self._process.await_start(lambda: self._is_unwanted(stop))
            return self._process.ask(question, seconds, lambda: self._is_unwanted(stop))
        except Unwanted:
            self._discard()
            raise Stopped from None
        except TimeoutError:
            reason = f"it gave no answer within {seconds:g} s"
        except ProcessEnded as error:
            kind, reason = Crashed, f"its process crashed with exit code {error.code}"
            if error.code == -_ILLEGAL_INSTRUCTION:
                reason += ": it uses instructions that this processor lacks"
        except Malformed as error:
            reason = f"it answered what cannot be read: {error}"
        except (OSError, RuntimeError) as error:  # no process or no thread could be started
            reason = f"its process could not be started: {error}"
        words = "" if self._process is None else self._process.last_words
        self._discard()
        raise kind(f"{reason}; it last said {words!r}" if words else reason)

    def _discard(self) -> None:
        process, self._process = self._process, None
        self._ended = []
        if process is not None:
            process.kill()
