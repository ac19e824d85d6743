"""Matches of Othello agents against another program, from the first position, with both colours.

`python -m bench.othello_programs COMMAND [--agent pattern:pace=25 …]`. COMMAND starts a program that speaks
the NBoard protocol, such as `/path/ntest x`; each game has a new process of it, which plays to --depth. All
agents named play the same seeds. The --seconds of a move are processor time of its thread, not the clock's,
so that other programs on the machine take nothing away.
"""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import threading
import time
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from unittest.mock import patch

from engine.agents import make_agent
from engine.agents.levels import levels_of
from engine.core import Limit, Move, Player
from engine.games.notation import format_moves
from engine.games.othello import Othello, OthelloState

_MARKS = {None: "-", Player.FIRST: "*", Player.SECOND: "O"}
_SHORTEST_WAIT = 0.001


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


class Program:
    """A program that speaks the NBoard protocol."""

    def __init__(self, command: str, depth: int) -> None:
        parts = shlex.split(command)
        self._process = subprocess.Popen(
            parts,
            cwd=Path(parts[0]).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the program has no pipes")
        self._input, self._output = self._process.stdin, self._process.stdout
        self._tell(f"nboard 2\nset depth {depth}")

    def _tell(self, line: str) -> None:
        print(line, file=self._input, flush=True)

    def move(self, state: OthelloState) -> Move:
        cells = "".join(_MARKS[cell] for cell in state.cells())
        self._tell(f"set game (;GM[Othello]TI[600:00]TY[8]BO[8 {cells} {_MARKS[state.to_move]}];)\ngo")
        for line in self._output:
            if line.startswith("==="):
                return Othello().parse_move(state, line[3:].split("/")[0].strip().lower())
        raise EOFError("the program has ended")

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def played(
    name: str, seconds: float, program: Program, side: Player, seed: int
) -> tuple[int, float, float, str]:
    """Return the agent's discs less the program's, its mean and longest time for a move, and the game."""
    agent, times = make_agent(name, seed), [0.0]
    rules = Othello()
    state, moves = rules.start(), list[Move]()
    while state.outcome() is None:
        legal = state.legal_moves()
        if len(legal) == 1:
            move = legal[0]
        elif state.to_move is side:
            began = time.thread_time()
            move = agent.choose(state, Limit(seconds=seconds)).move
            times.append(time.thread_time() - began)
        else:
            move = program.move(state)
        moves.append(move)
        state = state.play(move)
    black, white = state.score
    discs = black - white if side is Player.FIRST else white - black
    return discs, statistics.mean(times[1:]), max(times), format_moves(rules, None, moves)


def _with_error(values: list[float]) -> str:
    error = 1.96 * statistics.stdev(values) / sqrt(len(values)) if len(values) > 1 else float("inf")
    return f"{statistics.mean(values):.3f} ± {error:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", help="of the program")
    parser.add_argument("--depth", type=int, default=12, help="of the program (default: %(default)s)")
    parser.add_argument("--agent", nargs="+", help="of ours (default: Sage's)")
    parser.add_argument("--seconds", type=float, default=4, help="a move of ours (default: %(default)s)")
    parser.add_argument("--games", type=int, default=20, help="of each agent (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first game (default: %(default)s)")
    options = parser.parse_args()
    agents = options.agent or [levels_of("othello")[-1].agent]
    points: dict[str, list[float]] = {name: [] for name in agents}
    margins: dict[str, list[float]] = {name: [] for name in agents}
    with patch("time.perf_counter", time.thread_time), patch("threading.Timer", ProcessorTimer):
        for seed in range(options.seed, options.seed + options.games // 2):
            for name in agents:
                found = []
                for side in Player:
                    program = Program(options.command, options.depth)
                    discs, mean, longest, moves = played(name, options.seconds, program, side, seed)
                    program.close()
                    print(
                        f"{seed} {name} {side.name} {discs:+d} {mean:.2f} {longest:.2f} {moves}", flush=True
                    )
                    found.append(discs)
                points[name].append(sum((discs > 0) + (discs == 0) / 2 for discs in found) / 2)
                margins[name].append(sum(found) / 2)
    print("\n| agent | games | score | discs a game |\n|---|---|---|---|")
    for name in agents:
        found_points, found_discs = _with_error(points[name]), _with_error(margins[name])
        print(f"| `{name}` | {2 * len(points[name])} | {found_points} | {found_discs} |")


if __name__ == "__main__":
    main()
