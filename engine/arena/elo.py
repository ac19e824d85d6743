"""Strength from results: Bradley-Terry ratings on the Elo scale, with bootstrap error bars.

Draws are half wins. Each pairing also contains one drawn pair of games as prior knowledge, which is resampled
with the rest, so that an agent that won every game gets a finite rating with honest error bars.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ELO_PER_NAT = 400 / math.log(10)
SAMPLES = 400

_FLOOR = 0.05  # wins each way in every pairing, if a sample contains no prior
_PRIOR_SCORE = 1.0  # of two games

_MAX_STEPS = 100
_MAX_STEP = 2.0  # nats; far from the maximum a full step overshoots
_CLOSE = 1e-9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """elo: relative to the mean of all contenders, 0; low and high: the 95 % interval."""

    elo: float
    low: float
    high: float


def ratings(
    contenders: int, pairs: Mapping[tuple[int, int], Sequence[float]], seed: int
) -> tuple[Rating, ...]:
    """Return one rating per contender, by number.

    pairs: (a, b) -> a's points (0 to 2) in each pair of games with swapped colours against b. Whole pairs are
    resampled, because an opening affects both games of a pair. Equal input gives equal output.
    """
    if contenders == 0:
        return ()
    rng = np.random.default_rng(seed)
    columns = [(a, b, np.array([*points, _PRIOR_SCORE])) for (a, b), points in pairs.items()]
    estimate = _elo(contenders, [(a, b, points) for a, b, points in columns])
    samples = np.array(
        [
            _elo(contenders, [(a, b, rng.choice(points, len(points))) for a, b, points in columns])
            for _ in range(SAMPLES)
        ]
    )
    low, high = np.percentile(samples, (2.5, 97.5), axis=0)
    return tuple(
        Rating(round(float(estimate[i]), 1), round(float(low[i]), 1), round(float(high[i]), 1))
        for i in range(contenders)
    )


def _elo(contenders: int, results: Sequence[tuple[int, int, Floats]]) -> Floats:
    """Return the Elo of each contender, with a mean of 0."""
    wins = np.zeros((contenders, contenders))
    for a, b, points in results:
        wins[a, b] += points.sum() + _FLOOR
        wins[b, a] += 2 * len(points) - points.sum() + _FLOOR
    return strengths(wins) * ELO_PER_NAT


def strengths(wins: Floats) -> Floats:
    """Return the maximum-likelihood Bradley-Terry strengths, in nats and with a mean of 0.

    wins: (contenders, contenders); row i has i's wins over each; every pair that met needs some each way.
    Newton's method, on a likelihood with one maximum (D. Hunter, "MM algorithms for generalized Bradley-Terry
    models", 2004, section 2). Raises ValueError if games do not connect all contenders.
    """
    contenders = len(wins)
    games = wins + wins.T
    met = np.eye(contenders) + (games > 0)
    if not np.linalg.matrix_power(met, contenders).all():
        raise ValueError("not everybody is linked by games to everybody else")
    found = np.zeros(contenders)
    for _ in range(_MAX_STEPS):
        share = 1 / (1 + np.exp(found[None, :] - found[:, None]))  # i's expected score against j
        slope = (wins - games * share).sum(axis=1)
        bend = games * share * share.T
        # Only differences matter, so the curvature does not determine the mean; 1 / n keeps it at 0.
        step = np.linalg.solve(np.diag(bend.sum(axis=1)) - bend + 1 / contenders, slope)
        longest = float(np.abs(step).max())
        found += step * min(1.0, _MAX_STEP / longest) if longest else step
        if longest < _CLOSE:
            centred: Floats = found - found.mean()
            return centred
    raise RuntimeError("the ratings did not settle")
