"""Matches of our levels against other people's programs, in pairs with swapped colours.

`python -m bench.programs PROGRAM COMMAND [--games 20] [--seed 1] [--think 0.1]`. PROGRAM is a name from
`PROGRAMS`, which says where to get it; none is part of this project. COMMAND starts it, in its own folder; an
engine for CheckerBoard is a library there. Each pair of games begins with another random opening, and each
game has a new process. --think is the program's for a move: seconds, nodes or a depth. Processor time is
measured, its and ours. A program whose answer our rules do not have ends its game as a dispute, one that ends
or says nothing for long as a crash; the score counts neither.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import statistics
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Self
from unittest.mock import patch

from engine.agents import make_agent
from engine.agents.agent_cache import close_agent, tell_history
from engine.agents.levels import Level, levels_of
from engine.arena.matches import openings
from engine.core import EngineError, History, Limit, Move, NotationError, Player, State, replay
from engine.games import spec_of
from engine.games.draughts.rules import BITS, as_draughts
from engine.games.kalah.rules import as_kalah
from engine.games.notation import format_moves
from engine.plugins.engines import PROTOCOLS, Spoken
from engine.plugins.process import ProcessEnded
from engine.plugins.protocols import Refused, Resigned
from engine.plugins.protocols.engine import Client, Engine
from engine.plugins.protocols.lines import Lines
from engine.plugins.wire import Ask, Malformed

PATIENCE_SECONDS = 600.0
"""By the clock, for a move of a program that may have little of a busy machine."""

MEMORY_BYTES = 4 << 30
_SHORTEST_WAIT = 0.001


class ProgramFailed(EngineError):
    """A program has ended, does not answer, or refuses to."""


class Dispute(EngineError):
    """A program's answer follows other rules than ours."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a program is asked that answers with the position after its move, as `position` writes it.

    question: lines for a position and the program's thinking. answer: finds the new position in a line.
    greeting: lines at the start. told: the state as the program is told it, if it cannot be told all of it.
    """

    position: Callable[[State], str]
    question: str
    answer: re.Pattern[str]
    greeting: str = ""
    told: Callable[[State], State] = lambda state: state

    def client(self, lines: Lines, engine: Engine) -> Client:
        return _Client(self, lines, engine)


class _Client:
    """See `engine.plugins.protocols.engine.Client`."""

    def __init__(self, dialect: Dialect, lines: Lines, engine: Engine) -> None:
        self._dialect, self._lines = dialect, lines
        self._board, self._think = engine.boards[0], engine.options[0]

    def greet(self) -> None:
        self._lines.say(*self._dialect.greeting.format(think=self._think, board=self._board).splitlines())

    def move(self, ask: Ask) -> Move:
        dialect = self._dialect
        told = dialect.told(ask.state)
        position = dialect.position(told)
        self._lines.say(*dialect.question.format(position=position, think=self._think).splitlines())
        while (match := dialect.answer.fullmatch(self._lines.next())) is None:
            pass
        moves = {dialect.position(told.play(move)): move for move in told.legal_moves()}
        if match[1] not in moves:
            raise NotationError(f"after {position} it comes to {match[1]}")
        return moves[match[1]]


def _checkerboard(state: State) -> str:
    draughts = as_draughts(state)
    names = ("b", "w")
    squares = ["."] * len(BITS)
    for player in Player:
        for square, bit in enumerate(BITS):
            if draughts.pieces[player] >> bit & 1:
                is_king = draughts.kings >> bit & 1
                squares[square] = names[player].upper() if is_king else names[player]
    return f"{names[state.to_move]} {''.join(squares)}"


def _kalah_code(state: State) -> str:
    """Return CMancala's code: bit 0 for the first side to move, then eight bits a pit or store, in hex.

    The program drops the first five of 32 digits, and with them all but three bits of the second store; so
    stores from before are not told.
    """
    kalah = as_kalah(state)
    cells = (*kalah.side(Player.FIRST), kalah.stores[0], *kalah.side(Player.SECOND), kalah.stores[1])
    is_first = state.to_move is Player.FIRST
    return f"{is_first + sum(seeds << 8 * place + 1 for place, seeds in enumerate(cells)):032x}"[5:]


CHECKERBOARD = Dialect(_checkerboard, "{think} {position}", re.compile("= (.*)"))
CMANCALA = Dialect(
    _kalah_code,
    "load {position}\nstep\nencode",
    re.compile('.*Code "([0-9a-f]+)"'),
    "autoplay false\nprogress false\nstones {board[2]}\ntime {think}\nplayer 1 ai\nplayer 2 ai\nstart",
    told=lambda state: replace(as_kalah(state), stores=(0, 0)),
)


@dataclass(frozen=True, slots=True)
class Program:
    """where: its page. option: a line that tells its thinking. host: starts a command that is no program."""

    where: str
    spoken: Spoken
    option: str = "{}"
    host: tuple[str, ...] = ()


PROGRAMS = {
    "guinn": Program(
        "www.3dkingdoms.com/checkers.htm, github.com/jonkr2/GuiNN_Checkers (--think: seconds)",
        Spoken("draughts", ("8x8",), CHECKERBOARD.client),
        host=(sys.executable, str(Path(__file__).with_name("checkerboard.py"))),
    ),
    "cmancala": Program(
        "github.com/LifesLight/CMancala (seconds)", Spoken("kalah", ("6x4", "6x6"), CMANCALA.client)
    ),
    "mohex": Program(
        "github.com/cgao3/benzene-vanilla-cmake (seconds)", PROTOCOLS["htp"], "param_mohex max_time {}"
    ),
    "rapfi": Program("github.com/dhbloo/rapfi (nodes)", PROTOCOLS["gomocup"], "max_node {}"),
    "ntest": Program("github.com/weltyc/ntest (depth)", PROTOCOLS["nboard"], "set depth {}"),
    "egaroucid": Program(
        "www.egaroucid.nyanyan.dev, run by bench/egaroucid_web.cjs (level)",
        PROTOCOLS["nboard"],
        "set depth {}",
    ),
}


class ProcessorTimer(threading.Thread):
    """As `threading.Timer`, but by the processor time of the thread that makes it."""

    def __init__(self, seconds: float, call: Callable[..., object], args: tuple[object, ...] = ()) -> None:
        super().__init__(daemon=True)
        self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._end = time.clock_gettime(self._clock) + seconds
        self._call, self._args, self._is_over = call, args, threading.Event()

    def run(self) -> None:
        while (left := self._end - time.clock_gettime(self._clock)) > 0:
            if self._is_over.wait(max(left, _SHORTEST_WAIT)):
                return
        self._call(*self._args)

    def cancel(self) -> None:
        self._is_over.set()


class Running:
    """A process of a program. seconds: its processor time so far, without its start."""

    def __init__(self, program: Program, command: str, think: str, board: str) -> None:
        parts = shlex.split(command)
        folder = Path(parts[0]).absolute().parent if "/" in parts[0] else Path.cwd()
        parts[0] = shutil.which(parts[0]) or str(Path(parts[0]).absolute())
        name, game = Path(parts[0]).name, program.spoken.game
        engine = Engine(
            name,
            name,
            game,
            "",
            (*program.host, *parts),
            folder,
            memory_bytes=MEMORY_BYTES,
            boards=(board,),
            options=(program.option.format(think),),
        )
        self._lines = Lines(engine.command, folder, engine.memory_bytes, 1, program.spoken.newline)
        self._client = program.spoken.client(self._lines, engine)
        self._is_greeted, self.seconds = False, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.kill()

    def move(self, ask: Ask) -> Move:
        """Return the program's move; raises Resigned, ProgramFailed or Dispute."""
        try:
            self._lines.begin(PATIENCE_SECONDS, lambda: False)
            if not self._is_greeted:
                self._is_greeted = True
                self._client.greet()
            began = self._lines.used_seconds() or 0.0
            move = self._client.move(ask)
            self.seconds += (self._lines.used_seconds() or 0.0) - began
            return move
        except EngineError as error:
            raise Dispute(str(error)) from error
        except (Refused, TimeoutError, ProcessEnded, Malformed) as error:
            raise ProgramFailed(f"{type(error).__name__} {error}; {self._lines.last_words}") from error
        finally:
            self._lines.end()


@dataclass(frozen=True, slots=True)
class Played:
    """A game. points: ours, None if it did not end. why: it did not. seconds, chosen: ours, then its."""

    points: float | None
    why: str
    seconds: tuple[float, float]
    chosen: tuple[int, int]
    moves: tuple[Move, ...]


def play(level: Level, before: History, side: Player, running: Running, seed: int) -> Played:
    """Play a game on, in which our level has that side. Forced moves are asked of neither."""
    agent, spent, chosen, why = make_agent(level.agent, seed), 0.0, [0, 0], ""
    state, moves, points = replay(before.start, before.moves), list(before.moves), None
    while (outcome := state.outcome()) is None:
        legal, history = state.legal_moves(), replace(before, moves=tuple(moves))
        if len(legal) == 1:
            move = legal[0]
        elif state.to_move is side:
            tell_history(agent, history)
            began = time.process_time()
            move = agent.choose(state, level.limit).move
            spent += time.process_time() - began
            chosen[0] += 1
        else:
            try:
                move = running.move(Ask(0, state, Limit(seconds=PATIENCE_SECONDS), seed, history))
            except Resigned:
                points = 1.0
                break
            except (ProgramFailed, Dispute) as error:
                why = f"{type(error).__name__}: {error}"
                break
            chosen[1] += 1
        moves.append(move)
        state = state.play(move)
    close_agent(agent)
    if outcome is not None:
        points = 0.5 if outcome.winner is None else float(outcome.winner is side)
    return Played(points, why, (spent, running.seconds), (chosen[0], chosen[1]), tuple(moves))


def _with_error(values: list[float]) -> str:
    error = 1.96 * statistics.stdev(values) / sqrt(len(values)) if len(values) > 1 else float("inf")
    return f"{statistics.mean(values):.3f} ± {error:.3f}"


def row(level: Level, program: str, pairs: list[tuple[Played, ...]]) -> str:
    """Return the row of a table: games, score, processor time a move of both, crashes and disputes."""
    games = [game for pair in pairs for game in pair]
    points = [[game.points for game in pair if game.points is not None] for pair in pairs]
    score = _with_error([statistics.mean(pair) for pair in points if pair]) if any(points) else "–"
    times = [
        sum(game.seconds[who] for game in games) / max(1, sum(game.chosen[who] for game in games))
        for who in (0, 1)
    ]
    failed = [sum(kind.__name__ in game.why for game in games) for kind in (ProgramFailed, Dispute)]
    return (
        f"| {level.name}, {1000 * times[0]:.0f} ms | {program}, {1000 * times[1]:.0f} ms |"
        f" {sum(map(len, points))} | {score} | {failed[0]} | {failed[1]} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = "; ".join(f"{name}: {each.where}" for name, each in PROGRAMS.items())
    parser.add_argument("program", choices=PROGRAMS, help=names)
    parser.add_argument("command", help="of the program")
    parser.add_argument("--think", default="0.1", help="of the program for a move (default: %(default)s)")
    parser.add_argument("--level", help="key of ours (default: the strongest)")
    parser.add_argument("--agent", help="in place of the level's, with its limit")
    parser.add_argument("--nodes", type=int, help="a move of ours, in place of the level's limit")
    parser.add_argument("--seconds", type=float, help="a move of ours, in place of the level's limit")
    parser.add_argument("--board", help="default: the game's usual one")
    parser.add_argument("--plies", type=int, help="of each random opening (default: as in the ladder)")
    parser.add_argument("--games", type=int, default=20, help="an even number (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of openings and agents (default: %(default)s)")
    options = parser.parse_args()
    program = PROGRAMS[options.program]
    spec = spec_of(program.spoken.game)
    rules, board = spec.rules, options.board or spec.rules.boards[0]
    level = next(each for each in reversed(levels_of(rules.key)) if options.level in (None, each.key))
    if options.agent:
        level = replace(level, name=f"`{options.agent}`", agent=options.agent)
    if options.nodes or options.seconds:
        level = replace(level, limit=Limit(nodes=options.nodes, seconds=options.seconds))
    start = rules.start(board)
    plies = spec.search.opening_plies if options.plies is None else options.plies
    pairs = list[tuple[Played, ...]]()
    with (
        patch("time.perf_counter", time.thread_time),
        patch("threading.Timer", ProcessorTimer),
        suppress(KeyboardInterrupt),  # the table counts the pairs so far
    ):
        for number, opening in enumerate(openings(start, options.games // 2, options.seed, plies)):
            history, pair = History(rules.key, board, start, opening), []
            for side in Player:
                with Running(program, options.command, options.think, board) as running:
                    game = play(level, history, side, running, options.seed + 2 * number + side)
                end = game.why or game.points
                print(number, side.name, end, format_moves(rules, board, game.moves), flush=True)
                pair.append(game)
            pairs.append(tuple(pair))
    print("\n| ours | program | games | score | crashes | disputes |\n|---|---|---|---|---|---|")
    print(row(level, options.program, pairs))


if __name__ == "__main__":
    main()
