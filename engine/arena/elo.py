"""Strength from results: Bradley-Terry ratings on the Elo scale, with bootstrap error bars.

Draws are half wins. So that an agent that won every game gets a finite rating with honest error bars, each
pairing also holds one drawn pair of games as prior knowledge, which is resampled with the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ELO_PER_NAT = 400 / math.log(10)
SAMPLES = 400

_FLOOR = 0.05  # wins each way in every pairing: what is left when a sample has drawn no prior
_PRIOR_SCORE = 1.0  # of two games

_MOST_STEPS = 100
_LONGEST_STEP = 2.0  # nats; far from the summit a full step overshoots
_CLOSE = 1e-9

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """elo: relative to the mean of all contenders, which is 0; low and high: the 95 % interval."""

    elo: float
    low: float
    high: float


def ratings(
    contenders: int, pairs: Mapping[tuple[int, int], Sequence[float]], seed: int
) -> tuple[Rating, ...]:
    """One rating for each contender, by number.

    pairs: (a, b) -> a's points (0 to 2) in each pair of games with swapped colours against b. Resampling
    whole pairs keeps what an opening does to both games together. Equal input gives equal output.
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
    """Elo of each contender, the mean being 0."""
    wins = np.zeros((contenders, contenders))
    for a, b, points in results:
        wins[a, b] += points.sum() + _FLOOR
        wins[b, a] += 2 * len(points) - points.sum() + _FLOOR
    return strengths(wins) * ELO_PER_NAT


def strengths(wins: Floats) -> Floats:
    """The Bradley-Terry strengths, in nats and with a mean of 0, under which these results are likeliest.

    wins: (contenders, contenders); row i has i's wins over each, and every pair that met has some each way.
    Newton's method, on a likelihood with one summit (D. Hunter, "MM algorithms for generalized Bradley-Terry
    models", 2004, section 2). Raises ValueError for results that leave somebody incomparable.
    """
    contenders = len(wins)
    games = wins + wins.T
    met = np.eye(contenders) + (games > 0)
    if not np.linalg.matrix_power(met, contenders).all():
        raise ValueError("not everybody is linked by games to everybody else")
    found = np.zeros(contenders)
    for _ in range(_MOST_STEPS):
        share = 1 / (1 + np.exp(found[None, :] - found[:, None]))  # of i in the games with j, expected
        slope = (wins - games * share).sum(axis=1)
        bend = games * share * share.T
        # Only differences count, so the curvature is blind to the mean; 1 / n holds that at 0.
        step = np.linalg.solve(np.diag(bend.sum(axis=1)) - bend + 1 / contenders, slope)
        longest = float(np.abs(step).max())
        found += step * min(1.0, _LONGEST_STEP / longest) if longest else step
        if longest < _CLOSE:
            centred: Floats = found - found.mean()
            return centred
    raise RuntimeError("the ratings did not settle")
