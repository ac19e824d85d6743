"""A plain Connect Four solver for 6 x 7: alpha-beta and a table of upper bounds, no other rule.

It shares no code with the project's solver. Boards are those of `engine.games.connect_four`; scores count
the winner's stones from the end.
"""

from __future__ import annotations

import numba
import numpy as np
import numpy.typing as npt

TABLE_SIZE = 1_000_003


@numba.njit(cache=True)
def makes_four(stones: int, column: int, row: int) -> bool:
    """Whether the stone just placed is part of a four, by walking along the four lines through it."""
    for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            c, r = column + sign * right, row + sign * up
            while 0 <= c < 7 and 0 <= r < 6 and stones >> (7 * c + r) & 1:
                length += 1
                c, r = c + sign * right, r + sign * up
        if length >= 4:
            return True
    return False


@numba.njit(cache=True)
def height(mask: int, column: int) -> int:
    row = 0
    while row < 6 and mask >> (7 * column + row) & 1:
        row += 1
    return row


@numba.njit(cache=True)
def negamax(
    own: int,
    mask: int,
    stones: int,
    alpha: int,
    beta: int,
    keys: npt.NDArray[np.int64],
    uppers: npt.NDArray[np.int64],
) -> int:
    """The exact score between alpha and beta, else a bound on that side."""
    if stones == 42:
        return 0
    for column in range(7):
        row = height(mask, column)
        if row < 6 and makes_four(own | 1 << (7 * column + row), column, row):
            return (43 - stones) // 2
    beta = min(beta, (41 - stones) // 2)
    if alpha >= beta:
        return beta
    place = (own + mask * 31) % TABLE_SIZE
    key = own * 4398046511119 + mask * 3
    if keys[place] == key:
        beta = min(beta, uppers[place])
        if alpha >= beta:
            return beta
    before = alpha
    for column in (3, 2, 4, 1, 5, 0, 6):
        row = height(mask, column)
        if row < 6:
            after = mask | 1 << (7 * column + row)
            value = -negamax(own ^ mask, after, stones + 1, -beta, -alpha, keys, uppers)
            if value >= beta:
                return value
            alpha = max(alpha, value)
    if alpha == before:
        keys[place] = key
        uppers[place] = alpha
    return alpha


class PlainSolver:
    def __init__(self) -> None:
        self._keys = np.zeros(TABLE_SIZE, np.int64)
        self._uppers = np.zeros(TABLE_SIZE, np.int64)

    def score(self, own: int, mask: int) -> int:
        return int(negamax(own, mask, mask.bit_count(), -21, 21, self._keys, self._uppers))


@numba.njit(cache=True)
def random_position(stones: int, follow: float) -> tuple[int, int]:
    """Return (own, mask) with that number of stones and no four, from numba's own random numbers.

    follow: the probability that the second player answers right above the first.
    """
    while True:
        own = 0
        mask = 0
        column = 0
        placed = 0
        while placed < stones:
            if placed % 2 == 0 or height(mask, column) == 6 or np.random.random() >= follow:
                column = np.random.randint(7)
                while height(mask, column) == 6:
                    column = np.random.randint(7)
            row = height(mask, column)
            stone = 1 << (7 * column + row)
            if makes_four(own | stone, column, row):
                break
            own ^= mask
            mask |= stone
            placed += 1
        if placed == stones:
            return own, mask


@numba.njit(cache=True)
def seed(value: int) -> None:
    """Numba's random numbers begin here; they are not numpy's."""
    np.random.seed(value)
