"""Speedup of two threads on one table over one thread, on idle cores.

`python -m bench two_threads`: Connect Four positions like begin-hard of `bench connect_four`, without stored
scores, and the Othello endings FFO #45 to #49. One thread and two take turns, three times, with emptied
tables. The table shows the number of cores used: below 1.9 cores the result says nothing about two threads.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Sequence

from bench.connect_four import BEGIN, plies_left, random_position
from bench.othello import FFO
from engine.core import Limit
from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import NO_SCORES
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.othello import OthelloState
from engine.games.othello.notation import read_board
from engine.games.othello.position import Position
from engine.games.othello.searcher import LARGEST, Searcher, weights_for
from engine.kernels.running import running

POSITIONS, LEAST_PLIES = 25, 28
ENDS = range(45, 50)
TIMES = 3
_TABLE_BITS = 20


async def run() -> None:
    print("| | positions | threads | s | cores used | million nodes | times as fast |")
    print("|---|---|---|---|---|---|---|")
    _compare("Connect Four, begin-hard", [_connect_four(state) for state in _hard()])
    _compare("Othello, FFO #45 to #49", [_othello(state) for state in _ends()])


Answer = tuple[int | None, int]
"""(the score, the number of nodes)."""


def _compare(name: str, questions: Sequence[Callable[[int], Answer]]) -> None:
    rows = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    for ask in TIMES * list(questions):
        scores = []
        for threads, row in enumerate(rows, 1):
            began, worked = time.perf_counter(), time.process_time()
            score, nodes = ask(threads)
            row[0] += time.perf_counter() - began
            row[1] += time.process_time() - worked
            row[2] += nodes
            scores.append(score)
        if scores[0] != scores[1]:
            raise RuntimeError(f"one thread says {scores[0]}, two say {scores[1]}")
    for threads, (seconds, worked, visited) in enumerate(rows, 1):
        cells = (
            f"{seconds:.2f}",
            f"{worked / seconds:.2f}",
            f"{visited / 1e6:.1f}",
            f"{rows[0][0] / seconds:.2f}",
        )
        print(f"| {name} | {len(questions)} | {threads} | " + " | ".join(cells) + " |", flush=True)


def _hard() -> Iterator[ConnectFourState]:
    rng, solver, found = random.Random(7), ConnectFourSolver(early=NO_SCORES), 0
    while found < POSITIONS:
        position = random_position(rng, solver, rng.randint(*BEGIN))
        if plies_left(position.score, len(position.moves)) >= LEAST_PLIES:
            found += 1
            yield position.state


def _connect_four(state: ConnectFourState) -> Callable[[int], Answer]:
    def ask(threads: int) -> Answer:
        solver = ConnectFourSolver(early=NO_SCORES)
        return solver.solve(state, Limit(threads=threads)), solver.nodes

    return ask


def _ends() -> Iterator[OthelloState]:
    for row in json.loads(FFO.read_text("utf-8"))["positions"]:
        if row["number"] in ENDS:
            yield read_board(row["board"])


def _othello(state: OthelloState) -> Callable[[int], Answer]:
    searcher = Searcher(weights_for(state.size), _TABLE_BITS)

    def ask(threads: int) -> Answer:
        searcher.forget()
        with running(Limit()) as run:
            searcher.begin(run, threads)
            *_, last = searcher.deepen(Position.of(state), LARGEST)
        return last.value, searcher.nodes

    return ask
