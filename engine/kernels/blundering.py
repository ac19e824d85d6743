"""Model of an inattentive player: an unseen move is neither played nor feared.

Whether a move is seen depends on the state, the move and a seed only, so a search that reaches a state twice
sees the same moves. Each game defines how easily a move is missed, its `subtlety`; most moves are PLAIN.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.intrinsics import lowest_index, shift_right
from engine.kernels.jit import Words, inlined

CERTAIN = 1 << 16
"""The unit of blunder rates: a rate of CERTAIN misses every PLAIN move."""

PLAIN = 4
"""The subtlety of a move that is missed exactly as often as the rate says; with half of it, half as often."""

# Odd numbers without a pattern: the digits of the golden ratio and of the square root of 3.
_FIRST_FACTOR = 0x1E3779B97F4A7C15
_SECOND_FACTOR = 0x3BB67AE8584CAA73


@inlined
def is_unseen(one: int, other: int, move: int, rate: int, subtlety: int, seed: int) -> bool:
    """True in `rate` of CERTAIN of all seeds, states (two boards) and PLAIN moves (one bit)."""
    mixed = (seed ^ one) * _FIRST_FACTOR
    mixed = (mixed ^ shift_right(mixed, 29) ^ other) * _SECOND_FACTOR
    mixed = (mixed ^ shift_right(mixed, 31) ^ lowest_index(move)) * _FIRST_FACTOR
    return PLAIN * shift_right(mixed, 48) < rate * subtlety


def blunder_rates(depth: int, rate: float) -> Words:
    """Return the rates for moves 0, 1, 2 ... plies after the first, up to `depth`, in parts of CERTAIN."""
    return np.array([CERTAIN * (1 - (1 - rate) ** (ply + 1)) for ply in range(depth + 1)], np.int64)
