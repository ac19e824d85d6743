"""Measure how far deep and shallow searches of Othello differ: python -m tools.othello_margins DATA.npz.

Positions come from a file of `tools/othello_positions.py`. For each depth and number of empty squares, the
tool measures the standard deviation of the difference to the search of `shallow_depth`. It fits the model of
`multi_probcut` to all of them by least squares, and prints its numbers.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from engine.core import Limit
from engine.games.othello.kernels.context import EXACT
from engine.games.othello.kernels.multi_probcut import shallow_depth
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.kernels.running import running

_COUNTS = (16, 20, 24, 28, 32, 38, 44, 50)
_DEPTHS = range(3, 10)
_OPEN = 30
"""Positions more lopsided than this say little about close ones."""


def differences(searcher: Searcher, positions: list[Position]) -> dict[int, float]:
    """Map each depth to the standard deviation of its value minus that of its shallow depth."""
    values: dict[int, list[int]] = {}
    for depth in range(_DEPTHS.stop):
        searcher.forget()
        values[depth] = [searcher.value(position, depth, EXACT) for position in positions]
    return {
        depth: float(np.std(np.subtract(values[depth], values[shallow_depth(depth)]))) for depth in _DEPTHS
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--positions", type=int, default=150, help="for each number of empty squares")
    options = parser.parse_args()
    with np.load(options.data) as data:
        own, opposing, value = data["own"], data["opposing"], data["value"]
    empties = 64 - np.bitwise_count(own | opposing)
    rng = np.random.default_rng(1)
    searcher = Searcher(weights_for(8))
    rows = []
    with running(Limit()) as run:
        searcher.begin(run)
        for count in _COUNTS:
            chosen = np.nonzero((empties == count) & (np.abs(value) <= _OPEN))[0]
            chosen = rng.choice(chosen, min(options.positions, len(chosen)), replace=False)
            positions = [Position.of_boards(8, int(own[i]), int(opposing[i])) for i in chosen]
            found = differences(searcher, positions)
            rows += [(count, depth, deviation) for depth, deviation in found.items()]
            print(
                count, " ".join(f"{depth}:{deviation:.2f}" for depth, deviation in found.items()), flush=True
            )
    counts, depths, deviations = (np.array(column, float) for column in zip(*rows, strict=True))
    shallow = np.array([shallow_depth(int(depth)) for depth in depths])
    terms = np.stack([np.ones_like(depths), depths - shallow, 1 / (shallow + 1), counts], axis=1)
    fit, *_ = np.linalg.lstsq(terms, deviations, rcond=None)
    error = float(np.sqrt(np.mean((terms @ fit - deviations) ** 2)))
    names = ("constant", "by gap", "by shallow", "by empties")
    print(", ".join(f"{name} {value:.4f}" for name, value in zip(names, fit, strict=True)))
    print(f"error of the fit {error:.2f} discs")


if __name__ == "__main__":
    main()
