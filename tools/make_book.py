"""Makes the perfect agent's Connect Four book: python -m tools.make_book [--check N]

The agent always plays the most central of its best moves, so from the empty board it can only meet the
positions that this one move and every reply lead to: some 22,000 for both sides until ply 12, mirror
images counted once. The script solves each of them, which takes a few minutes on one core, and writes
engine/data/connect_four_6x7x4.npy; its bytes depend on nothing else, so making it again changes nothing.
With --check it solves N random entries of the existing book again instead.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path

import numpy as np

from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.opening_book import PLACE, connect_four_book, entry, key_of, stones_of

ROOT = Path(__file__).resolve().parents[1]

LAST_PLY = 12
BOOK = ROOT / PLACE[0].replace(".", "/") / PLACE[1]


def canonical(state: ConnectFourState) -> ConnectFourState:
    """The state or its mirror image, whichever the book holds."""
    key, _ = key_of(state.own, state.mask)
    own, mask = stones_of(key)
    return ConnectFourState(own=own, mask=mask, ply=state.ply)


def lines_of(side: int, solver: ConnectFourSolver) -> dict[int, int]:
    """key -> entry of every position in which this side (0: the first player) is to move."""
    found: dict[int, int] = {}
    level = {ConnectFourState()}
    for ply in range(LAST_PLY + 1):
        started = time.perf_counter()
        following: set[ConnectFourState] = set()
        for state in level:
            if ply % 2 == side:
                best = solver.best(state)
                if best is None:
                    raise RuntimeError("a search without a limit was ended")
                move, score = best
                key, _ = key_of(state.own, state.mask)
                found[key] = entry(key, move, score)
                moves: tuple[int, ...] = (move,)
            else:
                moves = state.legal_moves()
            children = (state.play(move) for move in moves)
            following.update(canonical(child) for child in children if child.outcome() is None)
        seconds = time.perf_counter() - started
        print(
            f"side {side}, ply {ply}: {len(level)} positions, {seconds:.1f} s, {len(found)} entries",
            flush=True,
        )
        level = following
    return found


def make() -> None:
    solver = ConnectFourSolver()
    entries = {**lines_of(0, solver), **lines_of(1, solver)}
    BOOK.parent.mkdir(exist_ok=True)
    np.save(BOOK, np.array(sorted(entries.values()), np.int64), allow_pickle=False)
    print(f"{len(entries)} positions, {BOOK.stat().st_size} bytes in {BOOK.relative_to(ROOT)}")


def check(count: int) -> None:
    book = connect_four_book()
    chosen = random.sample(range(len(book.entries)), min(count, len(book.entries)))
    solver = ConnectFourSolver()
    for place in chosen:
        own, mask = stones_of(int(book.entries[place]) >> 9)
        state = ConnectFourState(own=own, mask=mask, ply=mask.bit_count())
        found, solved = book.find(state), solver.best(state)
        if found is None or solved is None or found != solved:
            raise SystemExit(f"the book says {found} where the solver says {solved}:\n{state}")
    print(f"{len(chosen)} entries are right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", type=int, metavar="N", help="solve N random entries of the book again")
    options = parser.parse_args()
    if options.check is None:
        make()
    else:
        check(options.check)
