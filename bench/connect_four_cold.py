"""Time to a proven answer in Connect Four from an empty table, with one thread or two, by ply.

`python -m bench.connect_four_cold [--quick] [--seed N] [--plies N …] [--threads 2]`. Random positions of each
ply; the table is emptied before each question. Two questions: the best move, and the value of every move.
Stored scores of the first plies are used. The clock counts processor time for one thread and wall-clock time
for two, so both cores should be idle. The node counts are the same on every machine.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence

from engine.core import Limit
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import BASE_PLY, UNKNOWN, early_scores
from engine.games.connect_four.exact_solver import ConnectFourSolver

PLIES = (0, 4, 7, 8, 9, 10, 11, 12, 14, 16)
FULL, QUICK = 200, 15


def random_state(rng: random.Random, plies: int) -> ConnectFourState:
    """Return a state after random moves, not over."""
    state = ConnectFourState()
    while state.ply < plies:
        following = state.play(rng.choice(state.legal_moves()))
        state = following if following.outcome() is None else ConnectFourState()
    return state


def effort(question: str, state: ConnectFourState, threads: int) -> tuple[float, int]:
    """Return (seconds, nodes) of a new solver."""
    solver = ConnectFourSolver()
    clock = time.thread_time if threads == 1 else time.perf_counter
    started = clock()
    if getattr(solver, question)(state, Limit(threads=threads)) is None:
        raise RuntimeError("a search without a limit was ended")
    return clock() - started, solver.nodes


def measure(*, quick: bool, seed: int = 1, plies: Sequence[int] = PLIES, threads: int = 1) -> None:
    """Print a table: mean, 99th percentile and longest, for both questions."""
    early, rng = early_scores(), random.Random(seed)
    solved = sum(int((scores != UNKNOWN).sum()) for scores in early.scores)
    print(f"{solved:,} positions of the first {max(0, len(early.scores) - 1)} plies are stored or follow.\n")
    answer = "mean | p99 | longest | nodes at p99"
    print(f"| ply | positions | best move: {answer} | all moves: {answer} |")
    print("|---" * 10 + "|")
    is_complete = early.score_of(ConnectFourState()) is not None
    for ply in plies:
        if ply < BASE_PLY and not is_complete:
            continue  # minutes each
        count = QUICK if quick else FULL
        states = [random_state(rng, ply) for _ in range(count)]
        cells = []
        for name in ("best", "analyze"):
            seconds, nodes = map(
                sorted, zip(*(effort(name, state, threads) for state in states), strict=True)
            )
            p99 = min(count - 1, int(0.99 * count))
            cells += [_shown(sum(seconds) / count), _shown(seconds[p99]), _shown(seconds[-1])]
            cells.append(f"{nodes[p99]:,}")
        print(f"| {ply} | {count} | " + " | ".join(cells) + " |", flush=True)


def _shown(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms" if seconds >= 0.001 else f"{1e6 * seconds:,.0f} µs"


async def run() -> None:
    """Run the quick form, for `python -m bench`."""
    measure(quick=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.connect_four_cold", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer positions")
    parser.add_argument("--seed", type=int, default=1, help="of the positions (default: %(default)s)")
    parser.add_argument("--plies", type=int, nargs="+", default=PLIES, help="(default: %(default)s)")
    parser.add_argument("--threads", type=int, choices=(1, 2), default=1, help="(default: %(default)s)")
    options = parser.parse_args()
    measure(quick=options.quick, seed=options.seed, plies=options.plies, threads=options.threads)
