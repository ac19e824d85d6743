"""Othello: perft, exact endings, depth in a second, loading and compiling; processor time of one thread."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from engine.core import Limit
from engine.games.othello import Othello, OthelloState
from engine.games.othello.agent import PatternAgent
from engine.games.othello.evaluator import OthelloEvaluator
from engine.games.othello.kernels.perft import count_lines
from engine.games.othello.notation import read_board
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.kernels.running import running
from engine.score import Score

ROOT = Path(__file__).parents[1]
FFO = ROOT / "tests" / "data" / "ffo.json"
_PROMISED_FFO = 44
"""The positions up to this one are to be solved in ten seconds together."""
_ENDINGS, _SAMPLES = (14, 16, 18, 20), 8
_REVIEWED_PLIES = 14
_TABLE_BITS = 20


async def run() -> None:
    _perft()
    _ffo()
    _endings()
    _reviews()
    _small_opening()
    _depths()
    _loading()


def _table(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print("| " + " | ".join(headings) + " |")
    print("|" + "---|" * len(headings))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    print(flush=True)


def _perft() -> None:
    here = Position.of(Othello().start())
    rows = []
    for depth in (9, 10, 11):
        started = time.process_time()
        lines = count_lines(here.own, here.opposing, here.empties, depth)
        seconds = time.process_time() - started
        rows.append((depth, f"{lines:,}", f"{seconds:.3f}", f"{lines / seconds / 1e6:.0f}"))
    _table(("perft", "lines", "s", "M lines/s"), rows)


def _solved(state: OthelloState) -> tuple[int, int, float]:
    """Return (value, nodes, seconds) with an empty table whose memory is already allocated."""
    searcher = Searcher(weights_for(state.size), _TABLE_BITS)
    searcher.forget()
    started = time.process_time()
    with running(Limit()) as run:
        searcher.begin(run)
        *_, last = searcher.deepen(Position.of(state), 64)
    return last.value, searcher.nodes, time.process_time() - started


def _ffo() -> None:
    rows, promised, total = [], 0.0, 0.0
    for row in json.loads(FFO.read_text("utf-8"))["positions"]:
        value, nodes, seconds = _solved(read_board(row["board"]))
        total += seconds
        if row["number"] <= _PROMISED_FFO:
            promised = total
        verdict = "right" if value == row["value"] else f"WRONG: {row['value']:+}"
        rows.append(
            (f"#{row['number']}", f"{value:+}", verdict, f"{seconds:.2f}", f"{nodes / seconds / 1e6:.1f}")
        )
    rows += [(f"up to #{_PROMISED_FFO}", "", "", f"{promised:.2f}", ""), ("all", "", "", f"{total:.2f}", "")]
    _table(("FFO", "value", "", "s", "M nodes/s"), rows)


def position_of_a_game(rng: random.Random, empties: int) -> OthelloState:
    """Return a position with `empties` empty squares from the agent's self-play, after 8 random moves."""
    while True:
        state = Othello().start()
        player = PatternAgent(rng.getrandbits(30), depth=3, book=0)
        while state.outcome() is None:
            if 64 - (state.own | state.opponent).bit_count() == empties and len(state.legal_moves()) > 1:
                return state
            if state.ply < 8:
                state = state.play(rng.choice(state.legal_moves()))
            else:
                state = state.play(player.choose(state, Limit()).move)


def _endings() -> None:
    rng = random.Random(1)
    rows = []
    for empties in _ENDINGS:
        results = [_solved(position_of_a_game(rng, empties)) for _ in range(_SAMPLES)]
        times = sorted(seconds for _, _, seconds in results)
        nodes = sum(nodes for _, nodes, _ in results)
        rows.append(
            (
                empties,
                f"{sum(times) / len(times) * 1000:.0f}",
                f"{times[-1] * 1000:.0f}",
                f"{nodes / sum(times) / 1e6:.1f}",
            )
        )
    _table(("empty squares, exact", "ms mean", "ms most", "M nodes/s"), rows)


def _reviews() -> None:
    """Value every move of the last plies of whole games exactly, position by position as a review does."""
    rng = random.Random(3)
    times: list[float] = []
    scores: list[Score] = []
    for _ in range(_SAMPLES):
        states = [position_of_a_game(rng, _REVIEWED_PLIES)]
        player = PatternAgent(rng.getrandbits(30), depth=3, book=0)
        while states[-1].outcome() is None:
            states.append(states[-1].play(player.choose(states[-1], Limit()).move))
        started = time.process_time()
        for state in states[:-1]:
            scores += OthelloEvaluator().evaluate_moves(state, Limit()).moves.values()
        times.append(time.process_time() - started)
    exact = f"{sum(score.exact for score in scores)} of {len(scores)}"
    row = (_REVIEWED_PLIES, exact, f"{1000 * sum(times) / len(times):.0f}", f"{1000 * max(times):.0f}")
    _table(("last plies reviewed", "moves valued exactly", "ms mean", "ms most"), [row])


def _small_opening() -> None:
    value, nodes, seconds = _solved(Othello().start("6x6"))
    row = (f"{value:+}", f"{seconds:.1f}", f"{nodes / seconds / 1e6:.1f}")
    _table(("6 x 6 from its opening, exact", "s", "M nodes/s"), [row])


def _depths() -> None:
    rng = random.Random(2)
    rows = []
    for empties in (52, 44, 36, 30, 26, 22):
        state = position_of_a_game(rng, empties)
        info = PatternAgent(1, book=0).choose(state, Limit(seconds=1)).info
        depth = "exact" if info.proven else info.depth
        rows.append((empties, depth, f"{info.nodes / info.seconds / 1e6:.1f}", f"{info.seconds:.2f}"))
    _table(("empty squares, 1 s", "plies", "M nodes/s", "s"), rows)


def _loading() -> None:
    started = time.process_time()
    weights_for.__wrapped__(8)
    loading = time.process_time() - started
    rows = [("weights", f"{loading:.3f}")]
    command = [sys.executable, "-c", "import engine.games.othello.agent"]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("compiled anew", "from the cache"):
            started = time.perf_counter()
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
            subprocess.run(command, cwd=ROOT, env=environment, check=True)
            rows.append((f"kernels, {name}, with Python and numba", f"{time.perf_counter() - started:.1f}"))
    _table(("loading", "s"), rows)
