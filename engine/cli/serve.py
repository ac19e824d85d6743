"""`python -m engine serve`: a level as an engine inside other programs, by their protocol."""

from __future__ import annotations

import argparse
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from io import TextIOWrapper
from queue import SimpleQueue
from typing import TextIO

from engine.agents.agent_cache import close_agent, tell_history
from engine.agents.levels import ENGINE, PLUGIN
from engine.agents.roster import Roster
from engine.arena.matches import Contender
from engine.cli.contenders import PLAYERS, add_folder, contender_of, open_roster
from engine.cli.speakers import SPEAKERS, Speaker, Table
from engine.cli.verbs import EXIT_OK, Verbs, add_verb, completes, seconds, whole_number
from engine.core import Agent, Choice, History, Limit, State, Stop, UnknownName, replay
from engine.games import game

_LONGEST_LINE = 65_536  # characters: a whole game in one line has some thousands


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    games = {name: speaker.game for name, speaker in SPEAKERS.items()}
    parser = add_verb(
        verbs,
        "serve",
        "let a level play inside another program",
        "  python -m engine serve --protocol gomocup --level kaede\n"
        "  python -m engine serve --protocol nboard --level sage\n"
        "  python -m engine serve --protocol htp --level otis",
        f"Commands come from standard input, answers go to standard output. The protocols and their games: "
        f"{', '.join(f'{name} ({key})' for name, key in games.items())}.",
    )
    parser.add_argument("--protocol", required=True, choices=tuple(SPEAKERS), help="that the program speaks")
    parser.add_argument("--game", choices=tuple(games.values()), help="default: the protocol's")
    level = parser.add_argument("--level", required=True, help="a level, a plug-in or an agent that answers")
    completes(level, PLAYERS)
    parser.add_argument(
        "--seconds",
        type=seconds,
        help="the most that a move may take (default: the program's, or the level's)",
    )
    parser.add_argument(
        "--seed", type=whole_number(0, 10**9, 1), help="makes agents that draw lots repeat themselves"
    )
    add_folder(parser)
    parser.set_defaults(run=_serve)


def _serve(options: argparse.Namespace) -> int:
    speaker = SPEAKERS[options.protocol]
    if options.game not in (None, speaker.game):
        raise UnknownName(f"{options.protocol} is spoken here for {speaker.game}, not for {options.game}")
    rules = game(speaker.game)
    # Finding plug-ins takes seconds, and managers want a first answer within three: only where one plays.
    with closing(open_roster(options) if options.level.startswith((PLUGIN, ENGINE)) else Roster()) as roster:
        contender = contender_of(roster, options.level, rules, None, None, options.seconds)
        seed = random.randrange(1 << 32) if options.seed is None else options.seed
        # The protocol owns stdout: a line that an agent or a library prints there would be read as an answer.
        output, sys.stdout = sys.stdout, sys.stderr
        try:
            with closing(Brain(contender, seed, rules.start())) as brain:
                converse(speaker(Table(rules, brain.choose)), brain, sys.stdin, output)
        finally:
            sys.stdout = output
    return EXIT_OK


class Brain:
    """The level that answers, made ready beside the first commands: its kernels may have to be compiled."""

    def __init__(self, contender: Contender, seed: int, start: State) -> None:
        self._limit = contender.limit
        self._stop = Stop()
        self._thread = ThreadPoolExecutor(1, "serve")
        self._agent = self._thread.submit(_ready, contender, seed, start)

    def choose(self, history: History, most_seconds: float | None) -> Choice:
        """Return the level's choice within its own limit and the program's; waits until it is ready."""
        agent = self._agent.result()
        tell_history(agent, history)
        limits = [value for value in (self._limit.seconds, most_seconds) if value is not None]
        limit = replace(self._limit, seconds=min(limits, default=None), stop=self._stop)
        return agent.choose(replay(history.start, history.moves), limit)

    def interrupt(self) -> None:
        """End the search that runs, or the next one at once, until `go_on`; from any thread."""
        self._stop.set()

    def go_on(self) -> None:
        self._stop = Stop()

    def close(self) -> None:
        close_agent(self._agent.result())
        self._thread.shutdown()


def _ready(contender: Contender, seed: int, start: State) -> Agent:
    """Return the agent after a first short search, which loads everything that it needs."""
    agent = contender.make(seed)
    agent.choose(start, Limit(seconds=1.0, nodes=50, depth=1))
    return agent


def converse(speaker: Speaker, brain: Brain, lines: TextIO, output: TextIO) -> None:
    """Answer each line until the end of the session or of the input."""
    for stream in (lines, output):
        if isinstance(stream, TextIOWrapper):
            # Neither foreign bytes in a line may end the session, nor line ends be translated twice.
            stream.reconfigure(errors="replace")
    if isinstance(output, TextIOWrapper):
        output.reconfigure(newline="")
    waiting: SimpleQueue[str | None] = SimpleQueue()
    threading.Thread(target=_read, args=(speaker, brain, lines, waiting), daemon=True).start()
    while (line := waiting.get()) is not None:
        if _command(line) in speaker.interrupts:
            brain.go_on()
        output.write(speaker.answer(line))
        output.flush()


def _read(speaker: Speaker, brain: Brain, lines: TextIO, waiting: SimpleQueue[str | None]) -> None:
    """Put each line into the queue, and None at the end; runs beside the searches, which it may interrupt.

    It reads nothing after the last command: Python cannot end well while a thread waits for stdin.
    """
    while line := lines.readline(_LONGEST_LINE):
        command = _command(line)
        if command in speaker.interrupts:
            brain.interrupt()
        waiting.put(line.strip())
        if command == speaker.end:
            break
    waiting.put(None)


def _command(line: str) -> str:
    """Return the first word of a line in lower case, after a number that a command may have."""
    return next((word for word in line.lower().split() if not word.isdecimal()), "")
