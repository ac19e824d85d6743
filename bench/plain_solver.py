"""A tutorial-style Connect Four solver, compiled by numba: the baseline for our solver's speed.

It follows Pascal Pons, "Solving Connect 4": bitboards, only moves that do not lose at once, moves with the
most winning squares first, a table of bounds, null windows. It lacks strategic bounds without search, forced
replies within one node, and a look at the children's table entries. It shares no code with the project's
solver. Boards and scores are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

TABLE_SIZE = 8_388_593
"""The greatest prime below 2**23: 72 MB."""

BOTTOM = sum(1 << 7 * column for column in range(7))
BOARD = BOTTOM * 63

F = TypeVar("F", bound=Callable[..., int])


def _compiled(signature: str) -> Callable[[F], F]:
    return cast(Callable[[F], F], numba.njit(signature, cache=True))


@_compiled("int64(int64)")
def _popcount(bits: int) -> int:
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@_compiled("int64(int64, int64)")
def _winning(stones: int, mask: int) -> int:
    found = (stones << 1) & (stones << 2) & (stones << 3)
    for step in (6, 7, 8):
        up = (stones << step) & (stones << 2 * step)
        down = (stones >> step) & (stones >> 2 * step)
        found |= up & (stones << 3 * step)
        found |= up & (stones >> step)
        found |= down & (stones >> 3 * step)
        found |= down & (stones << step)
    return found & (BOARD ^ mask)


@_compiled("int64(int64, int64, int64, int64, int64, int64[::1], int8[::1], int64[::1])")
def negamax(own: int, mask: int, n: int, alpha: int, beta: int, keys: Any, bounds: Any, counters: Any) -> int:
    """The score if it lies between alpha and beta, else a bound. The side to move cannot win at once."""
    counters[0] += 1
    other = own ^ mask
    threats = _winning(other, mask)
    moves = (mask + BOTTOM) & BOARD
    forced = moves & threats
    if forced:
        if forced & (forced - 1):
            return -((42 - n) >> 1)
        moves = forced
    moves &= ~(threats >> 1)
    if moves == 0:
        return -((42 - n) >> 1)
    if n >= 40:
        return 0
    alpha = max(alpha, -((40 - n) >> 1))
    beta = min(beta, (41 - n) >> 1)
    key = own + mask
    place = key % TABLE_SIZE
    if keys[place] == key and bounds[place]:
        entry = numba.int64(bounds[place])
        if entry > 50:
            alpha = max(alpha, entry - 72)
        else:
            beta = min(beta, entry - 22)
    if alpha >= beta:
        return alpha
    order = np.zeros(7, np.int64)
    ranks = np.zeros(7, np.int64)
    count = 0
    for column in (6, 0, 5, 1, 4, 2, 3):
        move = moves & 63 << 7 * column
        if move:
            rank = _popcount(_winning(own | move, mask | move))
            spot = count
            while spot and ranks[spot - 1] > rank:
                ranks[spot] = ranks[spot - 1]
                order[spot] = order[spot - 1]
                spot -= 1
            ranks[spot] = rank
            order[spot] = move
            count += 1
    while count:
        count -= 1
        value = -negamax(other, mask | order[count], n + 1, -beta, -alpha, keys, bounds, counters)
        if value >= beta:
            keys[place] = key
            bounds[place] = value + 72
            return value
        alpha = max(alpha, value)
    keys[place] = key
    bounds[place] = alpha + 22
    return alpha


@_compiled("int64(int64, int64, int64[::1], int8[::1], int64[::1])")
def solve(own: int, mask: int, keys: Any, bounds: Any, counters: Any) -> int:
    n = _popcount(mask)
    if _winning(own, mask) & (mask + BOTTOM):
        return (43 - n) >> 1
    low = -((42 - n) >> 1)
    high = (43 - n) >> 1
    while low < high:
        middle = low + (high - low) // 2
        if middle <= 0 and -(-low // 2) < middle:
            middle = -(-low // 2)
        elif middle >= 0 and high // 2 > middle:
            middle = high // 2
        value = negamax(own, mask, n, middle, middle + 1, keys, bounds, counters)
        if value <= middle:
            high = value
        else:
            low = value
    return low


class PlainSolver:
    """One search at a time; keeps its table until told to forget it."""

    def __init__(self) -> None:
        self._keys = np.zeros(TABLE_SIZE, np.int64)
        self._bounds = np.zeros(TABLE_SIZE, np.int8)
        self._counters = np.zeros(1, np.int64)

    def solve(self, own: int, mask: int) -> int:
        return int(solve(own, mask, self._keys, self._bounds, self._counters))

    def forget(self) -> None:
        self._keys.fill(0)
        self._bounds.fill(0)
