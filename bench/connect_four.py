"""Exact scores of Connect Four positions: this solver beside BitBully and a tutorial solver, one thread.

`python -m bench.connect_four [--quick] [--empty] [--seed N]`. Six sets, named as in Pascal Pons, "Solving
Connect 4", by the number of stones (begin: 6 to 14, middle: 15 to 28, end: 29 to 38) and the number of plies
left in perfect play (easy: below 14, medium: below 28, hard: 28 and more). The positions come from random
games. The engines take turns on each position, so that other load on the machine affects all alike. The clock
counts processor time of the thread. Tables are emptied before each set. Differing scores end the run.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from bench.plain_solver import PlainSolver
from bench.references import HOW_TO_INSTALL, BitBully, is_installed
from engine.core import Move
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import NO_SCORES, EarlyScores, early_scores
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.score import Score

_SQUARES = 42
BEGIN, MIDDLE, END = (6, 14), (15, 28), (29, 38)


@dataclass(frozen=True, slots=True)
class PositionSet:
    """stones, plies: (least, most); full, quick: the number of positions."""

    name: str
    stones: tuple[int, int]
    plies: tuple[int, int]
    full: int
    quick: int


SETS = (
    PositionSet("end-easy", END, (1, 13), 1000, 300),
    PositionSet("middle-easy", MIDDLE, (1, 13), 1000, 300),
    PositionSet("middle-medium", MIDDLE, (14, 27), 300, 60),
    PositionSet("begin-easy", BEGIN, (1, 13), 500, 60),
    PositionSet("begin-medium", BEGIN, (14, 27), 100, 16),
    PositionSet("begin-hard", BEGIN, (28, 42), 25, 4),
)


@dataclass(frozen=True, slots=True)
class Position:
    moves: tuple[Move, ...]
    state: ConnectFourState
    score: int


class Engine(Protocol):
    """One column of the tables."""

    name: str

    def prepare(self, position: Position) -> Any:
        """Return the position in the engine's own format; not timed."""
        ...

    def solve(self, prepared: Any) -> int: ...
    def forget(self) -> None: ...


class Ours:
    def __init__(self, name: str, early: EarlyScores) -> None:
        self.name = name
        self._early = early
        self.forget()

    def prepare(self, position: Position) -> ConnectFourState:
        return position.state

    def solve(self, prepared: ConnectFourState) -> int:
        score = self._solver.solve(prepared)
        if score is None:
            raise RuntimeError("a search without a limit was ended")
        return score

    def forget(self) -> None:
        self._solver = ConnectFourSolver(early=self._early)


class Tutorial:
    name = "tutorial, numba"

    def __init__(self) -> None:
        self._solver = PlainSolver()

    def prepare(self, position: Position) -> tuple[int, int]:
        return position.state.own, position.state.mask

    def solve(self, prepared: tuple[int, int]) -> int:
        return self._solver.solve(*prepared)

    def forget(self) -> None:
        self._solver.forget()


class Theirs:
    """BitBully with one of its two searches."""

    def __init__(self, name: str, book: str | None, search: Callable[[BitBully, Any], int]) -> None:
        self.name = name
        self._solver = BitBully(book)
        self._search = search

    def prepare(self, position: Position) -> Any:
        return self._solver.position(position.moves)

    def solve(self, prepared: Any) -> int:
        return self._search(self._solver, prepared)

    def forget(self) -> None:
        self._solver.forget()


def engines() -> list[Engine]:
    """Return the installed engines and print the missing ones. The first engine is the baseline."""
    found: list[Engine] = [Ours("ours", NO_SCORES)]
    if early_scores() is NO_SCORES:
        print("Our scores of the first plies are missing (tools/make_early_scores.py makes them).\n")
    else:
        found.append(Ours("ours, book", early_scores()))
    if is_installed("bitbully"):
        found.append(Theirs("BitBully null window", None, BitBully.null_window))
        found.append(Theirs("BitBully mtdf", None, BitBully.mtdf))
        found.append(Theirs("BitBully null window, book", "default", BitBully.null_window))
    else:
        print(f"BitBully is missing: {HOW_TO_INSTALL}.\n")
    found.append(Tutorial())
    return found


def make_sets(seed: int, *, quick: bool) -> dict[str, list[Position]]:
    """Return the positions of each set by its name; each generated position goes into its matching set."""
    rng, solver = random.Random(seed), ConnectFourSolver(early=NO_SCORES)
    found: dict[str, list[Position]] = {entry.name: [] for entry in SETS}
    for stones in (END, MIDDLE, BEGIN):
        group = [entry for entry in SETS if entry.stones == stones]
        while any(len(found[entry.name]) < _wanted(entry, quick) for entry in group):
            position = random_position(rng, solver, rng.randint(*stones))
            plies = plies_left(position.score, position.state.ply)
            for entry in group:
                fits = entry.plies[0] <= plies <= entry.plies[1]
                if fits and len(found[entry.name]) < _wanted(entry, quick):
                    found[entry.name].append(position)
    return found


def _wanted(entry: PositionSet, quick: bool) -> int:
    return entry.quick if quick else entry.full


def random_position(rng: random.Random, solver: ConnectFourSolver, stones: int) -> Position:
    """Return a position after random moves, not won and without an immediate win."""
    while True:
        moves: list[Move] = []
        state = ConnectFourState()
        while state.ply < stones and state.legal_moves():
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
        if state.outcome() is None and not can_win(state):
            score = solver.solve(state)
            if score is None:
                raise RuntimeError("a search without a limit was ended")
            return Position(tuple(moves), state, score)


def can_win(state: ConnectFourState) -> bool:
    return any(state.play(move).outcome() is not None for move in state.legal_moves())


def plies_left(score: int, ply: int) -> int:
    """Plies until the end of the game in perfect play."""
    plies = Score.of_stones(score, _SQUARES - ply).plies
    return _SQUARES - ply if plies is None else plies


def mean_seconds(players: Sequence[Engine], positions: Sequence[Position]) -> list[float]:
    """Return each engine's mean processor time per position; raise RuntimeError if scores differ."""
    seconds = [0.0] * len(players)
    for player in players:
        player.forget()
    for position in positions:
        for number, player in enumerate(players):
            prepared = player.prepare(position)
            started = time.thread_time()
            score = player.solve(prepared)
            seconds[number] += time.thread_time() - started
            if score != position.score:
                raise RuntimeError(f"{player.name} says {score}, not {position.score}: {position.moves}")
    return [total / len(positions) for total in seconds]


def report(players: Sequence[Engine], rows: Sequence[tuple[str, list[float]]]) -> None:
    """Print two tables: microseconds, and the ratio to the first engine."""
    heads = " | ".join(player.name for player in players)
    line = "|---" * (len(players) + 1) + "|"
    print(f"Mean microseconds a position:\n\n| set (positions) | {heads} |\n{line}")
    for name, seconds in rows:
        print(f"| {name} | " + " | ".join(_microseconds(value) for value in seconds) + " |")
    print(f"\nTimes as long as {players[0].name}:\n\n| set (positions) | {heads} |\n{line}")
    for name, seconds in rows:
        print(f"| {name} | " + " | ".join(f"{value / seconds[0]:.2f}" for value in seconds) + " |")


def _microseconds(seconds: float) -> str:
    value = 1e6 * seconds
    return f"{value:.1f}" if value < 1000 else f"{value:,.0f}"


def measure(*, quick: bool, empty: bool = False, seed: int = 1) -> None:
    players = engines()
    sets = make_sets(seed, quick=quick)
    rows = []
    for entry in SETS:
        positions = sets[entry.name]
        rows.append((f"{entry.name} ({len(positions)})", mean_seconds(players, positions)))
        print(f"{entry.name} done", file=sys.stderr, flush=True)
    report(players, rows)
    if empty:
        start = [Position((), ConnectFourState(), 1)]
        bare = [player for player in players if "book" not in player.name and player.name != Tutorial.name]
        print("\nThe empty board without a book:\n")
        for player, seconds in zip(bare, mean_seconds(bare, start), strict=True):
            print(f"- {player.name}: {seconds:.1f} s", flush=True)


async def run() -> None:
    """Run the quick form, about two minutes, for `python -m bench`."""
    measure(quick=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m bench.connect_four",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="fewer positions: about two minutes")
    parser.add_argument("--empty", action="store_true", help="the empty board too: many minutes")
    parser.add_argument("--seed", type=int, default=1, help="of the positions (default: %(default)s)")
    options = parser.parse_args()
    measure(quick=options.quick, empty=options.empty, seed=options.seed)
