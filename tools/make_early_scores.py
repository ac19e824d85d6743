"""Makes the scores of all Connect Four positions of plies 8 and 9: python -m tools.make_early_scores

Some three hours on one core for ply 8 and two for ply 9, which is helped by the scores of ply 8; all cores
are used. It can be ended at any moment and goes on where it was: the files themselves are the record, and a
byte of -128 stands for what is still to do. The bytes depend on nothing but the rules. With --check it
solves N random positions of each file again instead.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.agents.connect_four_solver import ConnectFourSolver
from engine.agents.early_positions import (
    BASE_PLY,
    LAST_PLY,
    NO_SCORES,
    PACKAGE,
    UNKNOWN,
    early_scores,
    name_of_file,
    stones,
    stored_positions,
)
from engine.games.connect_four import ConnectFourState

ROOT = Path(__file__).resolve().parents[1]

BLOCK = 64
"""Neighbours in the order of keys share much of their trees, so that the solver's table helps."""

SAVE_SECONDS = 30.0


Block = tuple[int, npt.NDArray[np.int64], npt.NDArray[np.int8]]
"""The place of the first position, the keys of all, and what each is known to reach."""


def file_of(ply: int) -> Path:
    return ROOT / PACKAGE.replace(".", "/") / name_of_file(ply)


def solve_block(block: Block) -> tuple[int, list[int]]:
    """(the place of the first, the scores of the block)."""
    start, keys, least = block
    solver = ConnectFourSolver(early=NO_SCORES)
    scores = []
    for own, mask, low in zip(*stones(keys), least, strict=True):
        state = ConnectFourState(own=int(own), mask=int(mask), ply=int(mask).bit_count())
        score = solver.solve(state, least=int(low))
        if score is None:
            raise RuntimeError("a search without a limit was ended")
        scores.append(score)
    return start, scores


def blocks(
    keys: npt.NDArray[np.int64], least: npt.NDArray[np.int8], scores: npt.NDArray[np.int8]
) -> Iterator[Block]:
    for start in range(0, len(keys), BLOCK):
        chosen = slice(start, start + BLOCK)
        if UNKNOWN in scores[chosen]:
            yield start, keys[chosen], least[chosen]


def save(file: Path, scores: npt.NDArray[np.int8]) -> None:
    """Replaces the file in one step, so that it is whole whenever the script is ended."""
    file.parent.mkdir(exist_ok=True)
    draft = file.with_suffix(".draft")
    with draft.open("wb") as stream:
        np.save(stream, scores, allow_pickle=False)
    os.replace(draft, file)


def make(ply: int, processes: int) -> None:
    file, keys = file_of(ply), stored_positions(ply)
    least = np.full(len(keys), UNKNOWN, np.int8) if ply == BASE_PLY else early_scores(ply - 1).least_after()
    scores = np.load(file) if file.exists() else np.full(len(keys), UNKNOWN, np.int8)
    began = saved = time.monotonic()
    known = int((scores != UNKNOWN).sum())
    done = 0
    with multiprocessing.Pool(processes) as pool:
        for start, found in pool.imap_unordered(solve_block, blocks(keys, least, scores)):
            scores[start : start + len(found)] = found
            done += len(found)
            now = time.monotonic()
            if now > saved + SAVE_SECONDS:
                saved = now
                save(file, scores)
                left = (len(keys) - known - done) * (now - began) / done
                print(f"{known + done} of {len(keys)} positions, {left / 60:.0f} minutes left", flush=True)
    save(file, scores)
    print(f"all {len(keys)} positions of ply {ply} are solved")


def check(ply: int, count: int) -> None:
    keys, scores = stored_positions(ply), np.load(file_of(ply))
    known = [int(place) for place in np.flatnonzero(scores != UNKNOWN)]
    for place in random.sample(known, min(count, len(known))):
        chosen = slice(place, place + 1)
        _, (score,) = solve_block((place, keys[chosen], np.array([UNKNOWN], np.int8)))
        if score != scores[place]:
            raise SystemExit(
                f"the file says {scores[place]} where the solver says {score}: key {keys[place]}"
            )
    print(f"{min(count, len(known))} scores of ply {ply} are right")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", type=int, metavar="N", help="solve N random positions of each ply again")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="default: one a core")
    options = parser.parse_args()
    for stored in range(BASE_PLY, LAST_PLY + 1):
        if options.check is None:
            make(stored, options.processes)
        else:
            check(stored, options.check)
