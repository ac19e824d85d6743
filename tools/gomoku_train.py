"""Fit the estimates of Gomoku's search to results of its own games.

`python -m tools.gomoku_train play GAMES.txt` adds games under swap2, one a line, each played by both sides
with a limit of states. `python -m tools.gomoku_train fit GAMES.txt WORTHS.txt` writes the file that
`engine.games.gomoku.searcher` loads. The fit is a logistic regression of the results on the counts of each
kind of square, in positions without a win by fours. A ridge draws each worth to the value of its shapes, so
that rare kinds get a sensible one.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.agents import make_agent
from engine.arena.matches import Contender, play_game
from engine.core import Limit
from engine.games import game
from engine.games.gomoku.kernels.board import FIVE
from engine.games.gomoku.rules import GomokuState, Phase, as_gomoku
from engine.games.gomoku.searcher import POINTS, SHAPES_OF_SQUARE, VALUES, GomokuSearcher, Worths
from engine.games.notation import format_moves, parse_moves
from engine.kernels.running import running

RULES = game("gomoku")
BOARD = "15x15-swap2"
AGENT = "threats:depth=30,width=16,spread=90"
KEPT_BACK = 10
"""Every tenth game is not fitted to, but measures the fit."""
KEPT = 0.4
"""The share of a game's positions that are used; neighbours are much alike."""
OF_MOVER = 1.25
"""The ridge's centre: shapes of the side to move count so much more than those of the other side."""
LEAST = 0.25
"""The smallest share of a shape's value that is left of it: without a bound, more discs would be worth less
where they are scattered, and an empty corner more than the middle."""

_KINDS = SHAPES_OF_SQUARE[1:]  # squares without any shape count nothing
_COLUMN = {key: column for column, key in enumerate(_KINDS)}

Floats = npt.NDArray[np.float64]


def play(games: int, nodes: int, seed: int, jobs: int) -> Iterator[str]:
    """Yield the moves of each game as text, as they end."""
    start = RULES.start(BOARD)
    player = Contender("player", lambda own: make_agent(AGENT, own), Limit(nodes=nodes))
    with ThreadPoolExecutor(jobs) as threads:
        played = [
            threads.submit(play_game, start, (), (0, 1), (player, player), 2 * (seed + number))
            for number in range(games)
        ]
        for result in as_completed(played):
            yield format_moves(RULES, BOARD, result.result().moves)


def positions(text: str, rng: random.Random) -> Iterator[tuple[list[int], float]]:
    """Yield counts and result of some positions of a game, for the side to move.

    The counts are those of the side's own squares of each kind, of the other side's, and 1 for being to move.
    """
    state, states = RULES.start(BOARD), []
    for move in parse_moves(RULES, BOARD, text):
        state = state.play(move)
        states.append(as_gomoku(state))
    outcome = states[-1].outcome()
    if outcome is None:
        raise ValueError(f"a game without its end: {text}")
    for each in states[:-1]:
        if each.phase is Phase.PLAY and rng.random() < KEPT and (counts := counted(each)) is not None:
            yield counts, 0.5 if outcome.winner is None else float(outcome.winner is each.to_move)


def counted(state: GomokuState) -> list[int] | None:
    """Return the counts of a position; None where a five or fours decide, so that no estimate is needed."""
    with running(Limit()) as run:
        searcher = GomokuSearcher(state, run)
        own, other = (searcher.squares(player) for player in (state.to_move, state.to_move.other))
        if any(FIVE in key for key in other) or searcher.fours() is not None:
            return None
    counts = [0] * (2 * len(_KINDS)) + [1]
    for offset, squares in ((0, own), (len(_KINDS), other)):
        for key in squares:
            if key in _COLUMN:
                counts[offset + _COLUMN[key]] += 1
    return counts


def prior() -> Floats:
    """Return the ridge's centre, as the exponents of odds."""
    values = np.array([sum(VALUES[each] for each in key) for key in _KINDS]) / POINTS
    return np.concatenate([OF_MOVER * values, -values, [0.0]])


def fitted(counts: Floats, results: Floats, centre: Floats, ridge: float, steps: int = 12) -> Floats:
    """Return the worths, as exponents, that make the results most likely, by Newton's method.

    Each worth keeps at least the share LEAST of its centre; one that would not is held there.
    """
    worths, is_held = np.zeros_like(centre), np.zeros(len(centre), bool)
    while True:
        free = counts[:, ~is_held]
        for _ in range(steps):
            chances = 1 / (1 + np.exp(-(counts @ worths)))
            slope = free.T @ (results - chances) - ridge * (worths - centre)[~is_held]
            curvature = (free * (chances * (1 - chances))[:, None]).T @ free + ridge * np.eye(free.shape[1])
            worths[~is_held] += np.linalg.solve(curvature, slope)
        is_short = ~is_held & (worths * np.sign(centre) < LEAST * abs(centre))
        if not is_short.any():
            return worths
        is_held |= is_short
        worths[is_held] = LEAST * centre[is_held]


def log_loss(counts: Floats, results: Floats, worths: Floats) -> float:
    """Return the mean negative logarithm of the likelihood of the results."""
    exponents = counts @ worths
    return float(np.mean(np.logaddexp(0, exponents) - results * exponents))


def fit(games: Sequence[str], ridge: float, seed: int = 0) -> Worths:
    """Fit the worths to these games, and print how well they foretell the games that are kept back."""
    rng = random.Random(seed)
    parts: tuple[list[tuple[list[int], float]], ...] = ([], [])
    for number, text in enumerate(games):
        parts[number % KEPT_BACK == 0].extend(positions(text, rng))
    (counts, results), (kept_counts, kept_results) = (
        (np.array([one for one, _ in part], float), np.array([one for _, one in part])) for part in parts
    )
    found = fitted(counts, results, prior(), ridge)
    print(f"{len(results):,} positions, {len(kept_results):,} kept back")
    for name, worths in (("before", prior()), ("fitted", found)):
        print(f"log-loss {name}: {log_loss(kept_counts, kept_results, worths):.4f}")
    points = np.round(POINTS * found).astype(int).tolist()
    nothing = {SHAPES_OF_SQUARE[0]: 0}
    own = nothing | dict(zip(_KINDS, points, strict=False))
    other = nothing | dict(zip(_KINDS, points[len(_KINDS) :], strict=False))
    return Worths(points[-1], own, other)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    playing = commands.add_parser("play", help="add games to a file")
    playing.add_argument("games_file", type=Path)
    playing.add_argument("--games", type=int, default=4_000)
    playing.add_argument("--nodes", type=int, default=15_000, help="states a move")
    playing.add_argument("--seed", type=int, default=0)
    playing.add_argument("--jobs", type=int, default=1, help="games at once, in threads")
    fitting = commands.add_parser("fit", help="write the worths")
    fitting.add_argument("games_file", type=Path)
    fitting.add_argument("worths_file", type=Path)
    fitting.add_argument("--ridge", type=float, default=20.0)
    options = parser.parse_args()
    if options.command == "fit":
        games = options.games_file.read_text("utf-8").split()
        options.worths_file.write_text(fit(games, options.ridge).write(), "utf-8")
        return
    with options.games_file.open("a", encoding="utf-8") as file:
        for line in play(options.games, options.nodes, options.seed, options.jobs):
            print(line, file=file, flush=True)


if __name__ == "__main__":
    main()
