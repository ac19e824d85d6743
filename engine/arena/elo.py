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

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rating:
    """elo: relative to the mean of all entrants, which is 0; low and high: the 95 % interval."""

    elo: float
    low: float
    high: float


def ratings(entrants: int, pairs: Mapping[tuple[int, int], Sequence[float]], seed: int) -> tuple[Rating, ...]:
    """One rating for each entrant, by number.

    pairs: (a, b) -> a's points (0 to 2) in each pair of games with swapped colours against b. Resampling
    whole pairs keeps what an opening does to both games together. Equal input gives equal output.
    """
    if entrants == 0:
        return ()
    rng = np.random.default_rng(seed)
    columns = [(a, b, np.array([*points, _PRIOR_SCORE])) for (a, b), points in pairs.items()]
    estimate = _bradley_terry(entrants, [(a, b, points) for a, b, points in columns])
    samples = np.array(
        [
            _bradley_terry(entrants, [(a, b, rng.choice(points, len(points))) for a, b, points in columns])
            for _ in range(SAMPLES)
        ]
    )
    low, high = np.percentile(samples, (2.5, 97.5), axis=0)
    return tuple(
        Rating(round(float(estimate[i]), 1), round(float(low[i]), 1), round(float(high[i]), 1))
        for i in range(entrants)
    )


def _bradley_terry(entrants: int, results: Sequence[tuple[int, int, Floats]]) -> Floats:
    """Elo of each entrant, the mean being 0 (R. Maystre, choix: iterative Luce spectral ranking)."""
    if entrants == 1:
        return np.zeros(1)
    import choix  # scipy behind it takes a moment to load

    wins = np.zeros((entrants, entrants))
    for a, b, points in results:
        wins[a, b] += points.sum() + _FLOOR
        wins[b, a] += 2 * len(points) - points.sum() + _FLOOR
    strengths: Floats = choix.ilsr_pairwise_dense(wins, max_iter=10_000, tol=1e-6)
    centred: Floats = (strengths - strengths.mean()) * ELO_PER_NAT
    return centred
