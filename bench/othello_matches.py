"""Othello at equal time: our player against a fixed depth, other weights, and rust-reversi.

`python -m bench.othello_matches [--games 100] [--seconds 0.02] [--weights OLD.npz]`. The searches of
rust-reversi play after `pip install rust-reversi==1.4.4` (MIT). Every balanced random opening is played twice
with colours swapped. Each move has a wall-clock limit, and the table shows each side's mean time. With
`--weights OLD.npz --depth 4` both of our searches go to that depth instead, and nothing else is played.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import time
from collections.abc import Callable, Mapping
from math import sqrt
from pathlib import Path
from typing import Any, Protocol

from bench.othello_openings import balanced_openings, best_move
from bench.references import is_installed
from engine.agents import make_agent
from engine.core import Limit, Move, Player
from engine.games.othello import OthelloState
from engine.games.othello.kernels.patterns import PatternWeights
from engine.games.othello.position import Position
from engine.games.othello.searcher import LARGEST, Searcher, read_weights, weights_for
from engine.kernels.running import running

RUST_REVERSI = "rust_reversi"
_SIX_PLIES = "alphabeta:depth=6"
_WIN_SCORE = 10_000
_PLAYOUTS = 10**8
"""More playouts than any time limit here allows."""
_MATRIX = (
    (100, -20, 10, 5, 5, 10, -20, 100),
    (-20, -50, -2, -2, -2, -2, -50, -20),
    (10, -2, -1, -1, -1, -1, -2, 10),
    (5, -2, -1, -1, -1, -1, -2, 5),
    (5, -2, -1, -1, -1, -1, -2, 5),
    (10, -2, -1, -1, -1, -1, -2, 10),
    (-20, -50, -2, -2, -2, -2, -50, -20),
    (100, -20, 10, 5, 5, 10, -20, 100),
)
"""Weight of a disc on each square: high for corners, negative for the squares beside them."""


class Contestant(Protocol):
    def move(self, state: OthelloState, seconds: float) -> Move:
        """Return a legal move of a state with at least two."""
        ...


class Patterns:
    """Our search with the given weights, without the book; its table lasts from move to move.

    depth: to search in full instead of by the clock; endings are exact.
    """

    def __init__(self, weights: PatternWeights, depth: int | None = None) -> None:
        self._searcher, self._depth = Searcher(weights), depth

    def move(self, state: OthelloState, seconds: float) -> Move:
        if self._depth is not None:
            return best_move(self._searcher, state, self._depth)[0]
        position = Position.of(state)
        with running(Limit(seconds=seconds)) as run:
            self._searcher.begin(run)
            for _ in self._searcher.deepen(position, LARGEST):
                pass
        return position.move_of(self._searcher.best_square)


class RustReversi:
    """One of rust-reversi's searches, deepened until the time is over; raises ModuleNotFoundError."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        """make: builds the search from the module."""
        self._module: Any = importlib.import_module(RUST_REVERSI)
        self._search = make(self._module)

    def move(self, state: OthelloState, seconds: float) -> Move:
        marks = {None: "-", Player.FIRST: "X", Player.SECOND: "O"}
        board = self._module.Board()
        turn = self._module.Turn.BLACK if state.to_move is Player.FIRST else self._module.Turn.WHITE
        board.set_board_str("".join(marks[cell] for cell in state.cells()), turn)
        move: Move = self._search.get_move_with_timeout(board, round(1000 * seconds))
        return move


class Fixed:
    """An agent of ours that searches to a fixed depth, without a time limit."""

    def __init__(self, name: str) -> None:
        self._agent = make_agent(name)

    def move(self, state: OthelloState, seconds: float) -> Move:  # noqa: ARG002
        return self._agent.choose(state, Limit()).move


OPPONENTS: Mapping[str, Callable[[Any], Any]] = {
    "alpha-beta, mobility": lambda module: module.AlphaBetaSearch(
        module.LegalNumEvaluator(), LARGEST, _WIN_SCORE
    ),
    "alpha-beta, squares": lambda module: module.AlphaBetaSearch(
        module.MatrixEvaluator([list(row) for row in _MATRIX]), LARGEST, _WIN_SCORE
    ),
    "Monte Carlo tree": lambda module: module.MctsSearch(_PLAYOUTS, 1.0, 10),
}
"""rust-reversi's searches that need no training, by name."""


def _played(
    state: OthelloState,
    players: Mapping[Player, Contestant],
    seconds: float,
    times: dict[Contestant, list[float]],
) -> int:
    """Return Black's discs less White's at the end; record the time of each contestant's moves."""
    while state.outcome() is None:
        moves = state.legal_moves()
        if len(moves) == 1:
            state = state.play(moves[0])
            continue
        player = players[state.to_move]
        started = time.perf_counter()
        move = player.move(state, seconds)
        times[player].append(time.perf_counter() - started)
        state = state.play(move)
    black, white = state.score
    return black - white


def match(ours: Contestant, other: Contestant, openings: list[OthelloState], seconds: float) -> str:
    """Return a table row: our score with its 95% error bar over pairs of games, discs, mean times."""
    points, margins = [], []
    times: dict[Contestant, list[float]] = {ours: [], other: []}
    for state in openings:
        first = _played(state, {Player.FIRST: ours, Player.SECOND: other}, seconds, times)
        second = -_played(state, {Player.FIRST: other, Player.SECOND: ours}, seconds, times)
        points.append(sum((margin > 0) + (margin == 0) / 2 for margin in (first, second)) / 2)
        margins.append((first + second) / 2)
    error = 1.96 * statistics.stdev(points) / sqrt(len(points))
    if error == 0:  # every pair ended alike, so the spread is unknown: use the rule of three
        error = 3 / (2 * len(points))
    return (
        f"{2 * len(points)} | {statistics.mean(points):.3f} ± {error:.3f} | {statistics.mean(margins):+.1f}"
        f" | {1000 * statistics.mean(times[ours]):.1f}, {1000 * statistics.mean(times[other]):.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=100, help="of each match (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=0.02, help="a move (default: %(default)s)")
    parser.add_argument("--weights", type=Path, help="also play against our search with these weights")
    parser.add_argument("--depth", type=int, help="of both searches against --weights, instead of --seconds")
    parser.add_argument("--seed", type=int, default=3, help="of the openings (default: %(default)s)")
    options = parser.parse_args()
    opponents: dict[str, Contestant] = {}
    if options.weights is not None:
        opponents[options.weights.name] = Patterns(read_weights(options.weights), options.depth)
    if options.depth is None:
        opponents[f"{_SIX_PLIES} (corners and mobility)"] = Fixed(_SIX_PLIES)
    if options.depth is None and is_installed(RUST_REVERSI):
        opponents |= {f"rust-reversi, {name}": RustReversi(make) for name, make in OPPONENTS.items()}
    openings = balanced_openings(options.games // 2, Searcher(weights_for(8)), random.Random(options.seed))
    how = f"{options.seconds} s a move" if options.depth is None else f"depth {options.depth}"
    print(f"| against, {how} | games | score | discs a game | ms a move, ours and theirs |")
    print("|---|---|---|---|---|")
    for name, other in opponents.items():
        row = match(Patterns(weights_for(8), options.depth), other, openings, options.seconds)
        print(f"| {name} | {row} |", flush=True)


if __name__ == "__main__":
    main()
