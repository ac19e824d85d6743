"""Pop Out nine plies ahead, compiled by numba: as `pop_out`, without table, order and repetition."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numba

from engine.score import Score
from tests.contracts.oracles.pop_out import Position, following
from tests.contracts.oracles.pop_out import truth as near_truth

PLIES = 9


@numba.njit(cache=True)
def has_four(discs: int) -> bool:
    """Whether four of the discs, bit 7 * column + row, are in a row, by walking from each."""
    for column in range(7):
        for row in range(6):
            for right, up in ((0, 1), (1, 0), (1, 1), (1, -1)):
                length = 0
                c, r = column, row
                while length < 4 and 0 <= c < 7 and 0 <= r < 6 and discs >> (7 * c + r) & 1:
                    length += 1
                    c, r = c + right, r + up
                if length == 4:
                    return True
    return False


@numba.njit(cache=True)
def is_won(own: int, other: int, plies: int, attacks: bool) -> bool:
    """Whether the attacker forces four in a row within so many plies.

    own: the discs of the side to move. attacks: whether that side is the attacker.
    """
    if has_four(other):
        return not attacks
    if has_four(own):
        return attacks
    if plies == 0:
        return False
    for column in range(7):
        shift = 7 * column
        mine, theirs = own >> shift & 63, other >> shift & 63
        rest, others = own & ~(63 << shift), other & ~(63 << shift)
        full = mine | theirs
        if full < 63:
            won = is_won(other, own | (full + 1) << shift, plies - 1, not attacks)
            if won == attacks:
                return won
        if mine & 1:
            won = is_won(others | (theirs >> 1) << shift, rest | (mine >> 1) << shift, plies - 1, not attacks)
            if won == attacks:
                return won
    return not attacks


def truth(board: str, moves: Sequence[str], plies: int = PLIES) -> Score:
    here: Position = ("",) * 7, "X"
    stood = Counter([here])
    for name in moves:
        here = dict(following(*here))[name]
        stood[here] += 1
    if max(stood.values()) > 1:
        return near_truth(board, moves, min(plies, 4))
    columns, mover = here
    own, other = 0, 0
    for at, column in enumerate(columns):
        own |= sum(1 << 7 * at + row for row, disc in enumerate(column) if disc == mover)
        other |= sum(1 << 7 * at + row for row, disc in enumerate(column) if disc != mover)
    for ahead in range(1, plies + 1):
        if is_won(own, other, ahead, True):
            return Score.won(ahead)
        if is_won(own, other, ahead, False):
            return Score.lost(ahead)
    return Score.between(Score.lost(plies + 1), Score.won(plies + 1))
