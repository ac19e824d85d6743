"""What an inattentive player overlooks: moves that are not seen are neither played nor feared.

Whether one is seen, the state, the move and a seed decide, so that one search is of one mind however often it
gets there. How easily a move is missed is the game's business: its `subtlety`, PLAIN for most moves.
"""

from __future__ import annotations

from engine.kernels.intrinsics import lowest_index, shift_right
from engine.kernels.jit import inlined

CERTAIN = 1 << 16
"""Blunder rates are counted in so many parts of 1."""

PLAIN = 4
"""The subtlety of a move that is missed exactly as often as the rate says; half of it: half as often."""

# Odd and without pattern: the digits of the golden ratio and of the square root of 3.
_FIRST_FACTOR = 0x1E3779B97F4A7C15
_SECOND_FACTOR = 0x3BB67AE8584CAA73


@inlined
def is_unseen(one: int, other: int, move: int, rate: int, subtlety: int, seed: int) -> bool:
    """True in `rate` of CERTAIN of all seeds, states (two boards) and PLAIN moves (one bit)."""
    mixed = (seed ^ one) * _FIRST_FACTOR
    mixed = (mixed ^ shift_right(mixed, 29) ^ other) * _SECOND_FACTOR
    mixed = (mixed ^ shift_right(mixed, 31) ^ lowest_index(move)) * _FIRST_FACTOR
    return PLAIN * shift_right(mixed, 48) < rate * subtlety
