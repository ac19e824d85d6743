"""Make the scores of all Connect Four positions of plies 8 and 9: python -m tools.make_early_scores

Ply 9 gets a best column for each position as well. Ply 8 takes some three hours of processor time; ply 9 uses
the scores of ply 8 and takes more than two. All cores are used. The script can be stopped at any time and
resumed: the files are the record, and the byte -128 marks an unsolved position. The bytes depend only on the
rules. With --check the script solves N random positions of each file again instead.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.early_scores import (
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
from engine.games.connect_four.exact_solver import ConnectFourSolver

ROOT = Path(__file__).resolve().parents[1]

BLOCK = 64
"""Neighbouring positions in one block: their trees overlap, so that they profit from one solver's table."""

SAVE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbours of one ply. start: index of the first; least: known lower bound of each score.

    found: (1, n) the scores, or (2, n) the scores and the columns. row: the row to complete where it is
    UNKNOWN; the scores come before the columns.
    """

    start: int
    keys: npt.NDArray[np.int64]
    least: npt.NDArray[np.int8]
    found: npt.NDArray[np.int8]
    row: int

    def solved(self) -> Block:
        solver, found = ConnectFourSolver(early=NO_SCORES), self.found.copy()
        for index, (own, mask) in enumerate(zip(*stones(self.keys), strict=True)):
            state = ConnectFourState(own=int(own), mask=int(mask), ply=int(mask).bit_count())
            if found[self.row, index] != UNKNOWN:
                continue
            if self.row == 0:
                score = solver.solve(state, least=int(self.least[index]))
            else:
                score = solver.keeping(state, int(found[0, index]))
            if score is None:
                raise RuntimeError("a search without a limit was ended")
            found[self.row, index] = score
        return replace(self, found=found)


def file_of(ply: int) -> Path:
    return ROOT / PACKAGE.replace(".", "/") / name_of_file(ply)


def read(ply: int, count: int) -> npt.NDArray[np.int8]:
    """Return the known values of the ply, in the rows of a block."""
    if not file_of(ply).exists():
        return np.full((1 if ply == BASE_PLY else 2, count), UNKNOWN, np.int8)
    known: npt.NDArray[np.int8] = np.load(file_of(ply))
    return known.reshape(-1, count)


def save(ply: int, known: npt.NDArray[np.int8]) -> None:
    """Replace the file in one step, so that it is always whole."""
    file = file_of(ply)
    file.parent.mkdir(exist_ok=True)
    draft = file.with_suffix(".draft")
    with draft.open("wb") as stream:
        np.save(stream, known[0] if ply == BASE_PLY else known, allow_pickle=False)
    os.replace(draft, file)


def blocks(
    keys: npt.NDArray[np.int64], least: npt.NDArray[np.int8], known: npt.NDArray[np.int8], row: int
) -> Iterator[Block]:
    """Yield the unsolved blocks, last first: they take longest, so an unfinished file saves most time."""
    for start in reversed(range(0, len(keys), BLOCK)):
        chosen = slice(start, start + BLOCK)
        if UNKNOWN in known[row, chosen]:
            yield Block(start, keys[chosen], least[chosen], known[:, chosen], row)


def make(ply: int, processes: int) -> None:
    keys = stored_positions(ply)
    least = np.full(len(keys), UNKNOWN, np.int8) if ply == BASE_PLY else early_scores(ply - 1).least_after()
    known = read(ply, len(keys))
    for row in range(len(known)):
        todo = list(blocks(keys, least, known, row))
        began = saved = time.monotonic()
        with multiprocessing.Pool(processes) as pool:
            for done, block in enumerate(pool.imap_unordered(Block.solved, todo), 1):
                known[:, block.start : block.start + len(block.keys)] = block.found
                now = time.monotonic()
                if now > saved + SAVE_SECONDS:
                    saved = now
                    save(ply, known)
                    left = (len(todo) - done) * (now - began) / done
                    print(f"{done} of {len(todo)} blocks, {left / 60:.0f} minutes left", flush=True)
        save(ply, known)
        print(f"{('scores', 'columns')[row]} of all {len(keys)} positions of ply {ply} are found", flush=True)


def check(ply: int, count: int) -> None:
    keys = stored_positions(ply)
    known = read(ply, len(keys))
    places = [int(place) for place in np.flatnonzero(known[0] != UNKNOWN)]
    for place in random.sample(places, min(count, len(places))):
        chosen = slice(place, place + 1)
        unknown = np.full((len(known), 1), UNKNOWN, np.int8)
        found = unknown
        for row in range(len(known)):
            found = Block(place, keys[chosen], unknown[0], found, row).solved().found
        is_known = known[:, chosen] != UNKNOWN
        if (found != known[:, chosen])[is_known].any():
            raise SystemExit(
                f"the file says {known[:, place]} where the solver says {found[:, 0]}: key {keys[place]}"
            )
    print(f"{min(count, len(places))} positions of ply {ply} are right")


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
