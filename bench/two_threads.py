"""How much sooner two threads on one table answer than one thread does, on idle cores.

`python -m bench two_threads`: Connect Four positions of plies 10 to 12, nothing stored, that take one thread
0.4 million nodes and more. One thread and two take turns, the table emptied each time. How many cores each
really had is told as well: with less than 1.9 of them two threads cannot show what they gain.
"""

from __future__ import annotations

import random
import time

from bench.connect_four_cold import random_state
from engine.core import Limit
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import NO_SCORES
from engine.games.connect_four.exact_solver import ConnectFourSolver

POSITIONS, PLIES, HARD_NODES = 25, (10, 11, 12), 400_000


async def run() -> None:
    rng, rows = random.Random(5), [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    hard: list[ConnectFourState] = []
    while len(hard) < POSITIONS:
        state, solver = random_state(rng, rng.choice(PLIES)), ConnectFourSolver(early=NO_SCORES)
        solver.best(state)
        if solver.nodes >= HARD_NODES:
            hard.append(state)
    for state in hard:
        answers = [_timed(state, threads, row) for threads, row in enumerate(rows, 1)]
        if answers[0] != answers[1]:
            raise RuntimeError(f"two threads say {answers[1]}, one says {answers[0]}:\n{state}")
    print(f"{POSITIONS} positions of Connect Four:\n")
    print("| threads | s | cores used | million nodes |\n|---|---|---|---|")
    for threads, (seconds, worked, nodes) in enumerate(rows, 1):
        print(f"| {threads} | {seconds:.2f} | {worked / seconds:.2f} | {nodes / 1e6:.1f} |")
    print(f"\nTwo threads are {rows[0][0] / rows[1][0]:.2f} times as fast.")


def _timed(state: ConnectFourState, threads: int, row: list[float]) -> tuple[int, int] | None:
    """The answer; adds to the row what it took: seconds by the clock and of the processor, nodes."""
    solver = ConnectFourSolver(early=NO_SCORES)
    began, worked = time.perf_counter(), time.process_time()
    found = solver.best(state, Limit(threads=threads))
    row[0] += time.perf_counter() - began
    row[1] += time.process_time() - worked
    row[2] += solver.nodes
    return found
