"""Fit the pattern weights of Othello to labelled positions: python -m tools.othello_train OUT.npz DATA.npz …

Each data file holds arrays `own`, `opposing` (int64 boards) and `value` (discs, for the side to move), as
`tools/othello_positions.py` writes them. Every phase is a linear regression with a ridge, solved by
preconditioned conjugate gradients. Positions of neighbouring phases are included. The ridge draws each weight
towards that of the next phase, so that rare patterns get a value too. With --prior it draws towards existing
weights, so that a few better labels correct them.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from engine.games.othello.kernels.patterns import UNIT
from engine.games.othello.kernels.shapes import (
    FEATURE_OFFSETS,
    FEATURES,
    INSTANCES,
    PACKED,
    PHASES,
    WEIGHTS,
    phase_of,
)

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int32]

_LARGEST_SHAPE = max(len(squares) for _, squares in INSTANCES)
_SQUARES = np.full((FEATURES, _LARGEST_SHAPE), -1, np.int64)
for _feature, (_, _squares) in enumerate(INSTANCES):
    _SQUARES[_feature, : len(_squares)] = _squares

EXACT_SQUARES = 15
"""Labels are exact from here on, so later labels add nothing."""
_CHECKED_SHARE = 0.02
_LARGEST_WEIGHT = 32_000 / UNIT


@numba.njit(nogil=True)
def _fill_rows(own: Any, opposing: Any, rows: Any) -> None:
    """Fill in each feature's weight index, with the side to move seen as black."""
    for i in range(len(own)):
        for feature in range(FEATURES):
            content = 0
            for square in _SQUARES[feature]:
                if square < 0:
                    break
                content = 3 * content + (own[i] >> square & 1) + 2 * (opposing[i] >> square & 1)
            rows[i, feature] = PACKED[FEATURE_OFFSETS[feature] + content]


@numba.njit(nogil=True, fastmath=True)
def _predict(rows: Any, weights: Any, out: Any) -> None:
    for i in range(len(rows)):
        total = weights[-1]
        for feature in range(FEATURES):
            total += weights[rows[i, feature]]
        out[i] = total


@numba.njit(nogil=True, fastmath=True)
def _gather(rows: Any, errors: Any, out: Any) -> None:
    """Compute the gradient's data part: for each weight, the errors of the positions that use it."""
    out[:] = 0
    for i in range(len(rows)):
        for feature in range(FEATURES):
            out[rows[i, feature]] += errors[i]
        out[-1] += errors[i]


def fitted(rows: Rows, values: Floats, prior: Floats, ridge: float, steps: int) -> Floats:
    """Return weights that nearly minimise |values - predictions|^2 + ridge * |weights - prior|^2."""
    uses = np.bincount(rows.ravel(), minlength=len(prior)).astype(np.float32)
    uses[-1] = len(rows)
    scale = 1 / (2 * uses + ridge)  # some patterns occur in several instances of one position
    weights, predicted, gradient = prior.copy(), np.zeros(len(rows), np.float32), np.zeros_like(prior)
    _predict(rows, weights, predicted)
    errors = values - predicted
    _gather(rows, errors, gradient)
    residual = gradient.copy()
    step = scale * residual
    direction = step.copy()
    slope = float(residual @ step)
    for _ in range(steps):
        _predict(rows, direction, predicted)
        curvature = float(np.sum(predicted.astype(np.float64) ** 2)) + ridge * float(direction @ direction)
        if curvature <= 0:
            break
        length = np.float32(slope / curvature)
        weights += length * direction
        errors -= length * predicted
        _gather(rows, errors, gradient)
        residual = gradient - np.float32(ridge) * (weights - prior)
        step = scale * residual
        before, slope = slope, float(residual @ step)
        direction = step + np.float32(slope / before) * direction
    return weights


@dataclass(frozen=True, slots=True)
class Positions:
    own: npt.NDArray[np.int64]
    opposing: npt.NDArray[np.int64]
    value: Floats
    empties: npt.NDArray[np.uint8]


def read(paths: list[Path], size: int = 8, later: float = 0.0, most_discs: int = 64) -> Positions:
    """Return all positions in the files on boards of that size, each value blended with later ones.

    most_discs: skip positions worth more to either side.

    later: weight of the next position's value in the blend. Later values come from searches that saw further
    into the game; TD(lambda) with lambda = later (Richard Sutton, "Learning to Predict by the Methods of
    Temporal Differences", 1988).
    """
    parts: list[list[Any]] = [[], [], []]
    for path in paths:
        with np.load(path) as data:
            for part, name in zip(parts, ("own", "opposing", "value"), strict=True):
                part.append(data[name])
    own, opposing, value = (np.concatenate(part) for part in parts)
    empties = (size * size - np.bitwise_count(own | opposing)).astype(np.uint8)
    value = value.astype(np.float32)
    _blend(own, empties, value, later)
    kept = np.abs(value) <= most_discs
    return Positions(own[kept], opposing[kept], value[kept], empties[kept])


@numba.njit
def _blend(own: Any, empties: Any, values: Any, share: float) -> None:
    """Draw each value towards the blended value of the game's next position, by `share`."""
    for i in range(len(own) - 2, -1, -1):
        if empties[i + 1] == empties[i] - 1 and empties[i] > EXACT_SQUARES:
            has_passed = own[i] & ~own[i + 1] == 0  # the same side is to move again, and has lost no disc
            following = values[i + 1] if has_passed else -values[i + 1]
            values[i] += share * (following - values[i])


def train(
    positions: Positions,
    reach: int,
    ridge: float,
    steps: int,
    most: int,
    prior: npt.NDArray[np.int16] | None = None,
) -> npt.NDArray[np.int16]:
    """Return the packed weights of all phases, fitted from the last to the first; print each one's error.

    prior: packed weights that each phase is drawn towards; None: the weights of the next phase.
    """
    packed = np.zeros((PHASES, WEIGHTS + 1), np.int16)
    weights = np.zeros(WEIGHTS + 1, np.float32)
    rng = np.random.default_rng(1)
    phases = np.array([phase_of(count) for count in range(65)])
    for phase in reversed(range(PHASES)):
        counts = np.nonzero(phases[:61] == phase)[0]
        low, high = counts.min() - reach, counts.max() + reach
        chosen = np.nonzero((positions.empties >= low) & (positions.empties <= high))[0]
        rng.shuffle(chosen)
        chosen = chosen[:most]
        if prior is not None:
            weights = prior[phase].astype(np.float32) / UNIT
        if len(chosen) >= 1000:
            rows = np.zeros((len(chosen), FEATURES), np.int32)
            _fill_rows(positions.own[chosen], positions.opposing[chosen], rows)
            values = positions.value[chosen]
            unseen = int(len(chosen) * _CHECKED_SHARE)
            before = weights
            weights = fitted(rows[unseen:], values[unseen:], before, ridge, steps)
            error = _error(rows[:unseen], values[:unseen], weights)
            was = _error(rows[:unseen], values[:unseen], before)
            print(
                f"phase {phase:2}: {len(chosen):8,} positions, error {error:.2f} discs, before {was:.2f}",
                flush=True,
            )
        packed[phase] = np.round(np.clip(weights, -_LARGEST_WEIGHT, _LARGEST_WEIGHT) * UNIT).astype(np.int16)
    return packed


def _error(rows: Rows, values: Floats, weights: Floats) -> float:
    """Root mean square, in discs."""
    predicted = np.zeros(len(rows), np.float32)
    _predict(rows, weights, predicted)
    return float(np.sqrt(np.mean((predicted - values) ** 2)))


def _packed(path: Path | None) -> npt.NDArray[np.int16] | None:
    if path is None:
        return None
    with np.load(path) as data:
        packed: npt.NDArray[np.int16] = data["packed"]
    return packed


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("data", type=Path, nargs="+")
    parser.add_argument("--size", type=int, default=8, choices=(6, 8), help="of the board")
    parser.add_argument(
        "--later", type=float, default=0.0, help="how much later labels of a game count, 0 to 1"
    )
    parser.add_argument(
        "--most-discs", type=int, default=64, help="leave out positions worth more than that to either side"
    )
    parser.add_argument("--reach", type=int, default=2, help="how many empty squares beyond a phase count")
    parser.add_argument("--ridge", type=float, default=150.0)
    parser.add_argument("--prior", type=Path, metavar="WEIGHTS.npz", help="weights to correct")
    parser.add_argument("--steps", type=int, default=30, help="of conjugate gradients")
    parser.add_argument("--most", type=int, default=1_500_000, help="positions a phase")
    options = parser.parse_args()
    started = time.perf_counter()
    positions = read(options.data, options.size, options.later, options.most_discs)
    packed = train(
        positions, options.reach, options.ridge, options.steps, options.most, _packed(options.prior)
    )
    np.savez_compressed(options.out, packed=packed)
    print(f"{options.out}: {options.out.stat().st_size:,} bytes, {time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
