"""Makes the scores of all Connect Four positions of ply 8: python tools/make_early_scores.py [--check N]

Some three hours on one core; all cores are used. It can be ended at any moment and goes on where it was:
the file itself is the record, and a byte of -128 stands for what is still to do. The bytes depend on
nothing but the rules. With --check it solves N random positions of the file again instead.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engine.agents.connect_four_solver import ConnectFourSolver  # noqa: E402
from engine.agents.early_positions import (  # noqa: E402
    LAST_PLY,
    NO_SCORES,
    PLACE,
    UNKNOWN,
    last_positions,
    stones,
)
from engine.games.connect_four import ConnectFourState  # noqa: E402

FILE = ROOT / PLACE[0].replace(".", "/") / PLACE[1]
BLOCK = 64
"""Neighbours in the order of keys share much of their trees, so that the solver's table helps."""

SAVE_SECONDS = 30.0


def solve_block(block: tuple[int, npt.NDArray[np.int64]]) -> tuple[int, list[int]]:
    """(the place of the first, the scores of the block)."""
    start, keys = block
    solver = ConnectFourSolver(early=NO_SCORES)
    scores = []
    for own, mask in zip(*stones(keys), strict=True):
        score = solver.solve(ConnectFourState(own=int(own), mask=int(mask), ply=LAST_PLY))
        if score is None:
            raise RuntimeError("a search without a limit was ended")
        scores.append(score)
    return start, scores


def blocks(
    keys: npt.NDArray[np.int64], scores: npt.NDArray[np.int8]
) -> Iterator[tuple[int, npt.NDArray[np.int64]]]:
    for start in range(0, len(keys), BLOCK):
        if UNKNOWN in scores[start : start + BLOCK]:
            yield start, keys[start : start + BLOCK]


def save(scores: npt.NDArray[np.int8]) -> None:
    """Replaces the file in one step, so that it is whole whenever the script is ended."""
    FILE.parent.mkdir(exist_ok=True)
    draft = FILE.with_suffix(".draft")
    with draft.open("wb") as file:
        np.save(file, scores, allow_pickle=False)
    os.replace(draft, FILE)


def make(processes: int) -> None:
    keys = last_positions()
    scores = np.load(FILE) if FILE.exists() else np.full(len(keys), UNKNOWN, np.int8)
    began = saved = time.monotonic()
    known = int((scores != UNKNOWN).sum())
    done = 0
    with multiprocessing.Pool(processes) as pool:
        for start, found in pool.imap_unordered(solve_block, blocks(keys, scores)):
            scores[start : start + len(found)] = found
            done += len(found)
            now = time.monotonic()
            if now > saved + SAVE_SECONDS:
                saved = now
                save(scores)
                left = (len(keys) - known - done) * (now - began) / done
                print(f"{known + done} of {len(keys)} positions, {left / 60:.0f} minutes left", flush=True)
    save(scores)
    print(f"all {len(keys)} positions are solved")


def check(count: int) -> None:
    keys, scores = last_positions(), np.load(FILE)
    known = [int(place) for place in np.flatnonzero(scores != UNKNOWN)]
    for place in random.sample(known, min(count, len(known))):
        _, (score,) = solve_block((place, keys[place : place + 1]))
        if score != scores[place]:
            raise SystemExit(
                f"the file says {scores[place]} where the solver says {score}: key {keys[place]}"
            )
    print(f"{min(count, len(known))} scores are right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", type=int, metavar="N", help="solve N random positions again")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: one a core")
    options = parser.parse_args()
    if options.check is None:
        make(options.processes)
    else:
        check(options.check)
