"""The last four empty squares of Othello, with a function for each number of them.

Every value is a difference of discs for the side to move, with empty squares counted for the winner. Every
search answers one question, whether the value is above alpha: a result <= alpha is an upper bound of the
value, one above alpha a lower bound (a null window, fail-soft).

`empties` are squares of the board, so one code serves 8 x 8 and 6 x 6: squares outside are neither empty nor
taken. `parity` has a bit for each quadrant with an odd number of empty squares; the side that moves there
first also moves there last (Jean-Christophe Weill, The NegaC* search, 1992).
"""

from __future__ import annotations

from engine.games.othello.kernels.tables import (
    antidiagonal_of,
    diagonal_of,
    last_turns,
    quadrant_of,
    squares_of,
)
from engine.games.othello.kernels.vectors import flips_of
from engine.kernels.intrinsics import lowest_index, popcount, shift_right
from engine.kernels.jit import inlined, kernel

NOTHING = 99
"""Larger than any difference of discs: no move has been searched."""

_FILE_A = 0x0101010101010101
_FILE_TO_BYTE = 0x0102040810204080


@kernel("int64(int64, int64, int64)")
def final_difference(own: int, opposing: int, empties: int) -> int:
    """Return the value of a finished game: the winner gets the empty squares."""
    difference = popcount(own) - popcount(opposing)
    if difference > 0:
        return difference + popcount(empties)
    if difference < 0:
        return difference - popcount(empties)
    return 0


@inlined
def _twice_turned(own: int, square: int) -> int:
    """Return twice the number of discs that `own` turns on the only empty square.

    Each of the four lines through the square is gathered into a byte; on diagonals a multiplication does
    that, since they have at most one square on each file.
    """
    rank = shift_right(own, square & 56) & 255
    file = shift_right((shift_right(own, square & 7) & _FILE_A) * _FILE_TO_BYTE, 56)
    diagonal = shift_right((own & diagonal_of(square)) * _FILE_A, 56)
    antidiagonal = shift_right((own & antidiagonal_of(square)) * _FILE_A, 56)
    column, row = (square & 7) << 8, square >> 3 << 8
    return (
        last_turns(column | rank)
        + last_turns(row | file)
        + last_turns(column | diagonal)
        + last_turns(column | antidiagonal)
    )


@inlined
def solve_one(own: int, opposing: int, alpha: int, square: int) -> int:
    """Return the value with only `square` empty."""
    difference = popcount(own) - popcount(opposing)
    turned = _twice_turned(own, square)
    if turned:
        return difference + turned + 1
    # No legal move here. If the other side has none either, the winner gets the square.
    if_over = difference + 1 if difference >= 0 else difference - 1
    if if_over <= alpha:
        return if_over
    turned = _twice_turned(opposing, square)
    return difference - turned - 1 if turned else if_over


@kernel("int64(int64, int64, int64, int64, int64)")
def solve_two(own: int, opposing: int, alpha: int, first: int, second: int) -> int:
    """Return the value with two squares empty."""
    beta = alpha + 1
    best = -NOTHING
    turned = flips_of(first, own, opposing)
    if turned:
        best = -solve_one(opposing ^ turned, own ^ turned | 1 << first, -beta, second)
        if best > alpha:
            return best
    turned = flips_of(second, own, opposing)
    if turned:
        value = -solve_one(opposing ^ turned, own ^ turned | 1 << second, -beta, first)
        return max(value, best)
    if best != -NOTHING:
        return best
    worst = NOTHING
    turned = flips_of(first, opposing, own)
    if turned:
        worst = solve_one(own ^ turned, opposing ^ turned | 1 << first, alpha, second)
        if worst <= alpha:
            return worst
    turned = flips_of(second, opposing, own)
    if turned:
        value = solve_one(own ^ turned, opposing ^ turned | 1 << second, alpha, first)
        return min(value, worst)
    if worst != NOTHING:
        return worst
    return final_difference(own, opposing, 1 << first | 1 << second)


@kernel("int64(int64, int64, int64, int64, int64, int64)")
def solve_three(own: int, opposing: int, alpha: int, first: int, second: int, third: int) -> int:
    """Return the value with three squares empty, searched in this order."""
    beta = alpha + 1
    best = -NOTHING
    turned = flips_of(first, own, opposing)
    if turned:
        best = -solve_two(opposing ^ turned, own ^ turned | 1 << first, -beta, second, third)
        if best > alpha:
            return best
    turned = flips_of(second, own, opposing)
    if turned:
        value = -solve_two(opposing ^ turned, own ^ turned | 1 << second, -beta, first, third)
        if value > alpha:
            return value
        best = max(value, best)
    turned = flips_of(third, own, opposing)
    if turned:
        value = -solve_two(opposing ^ turned, own ^ turned | 1 << third, -beta, first, second)
        return max(value, best)
    if best != -NOTHING:
        return best
    # No move: the other side moves instead and takes the lowest value, still asked whether it is above alpha.
    worst = NOTHING
    turned = flips_of(first, opposing, own)
    if turned:
        worst = solve_two(own ^ turned, opposing ^ turned | 1 << first, alpha, second, third)
        if worst <= alpha:
            return worst
    turned = flips_of(second, opposing, own)
    if turned:
        value = solve_two(own ^ turned, opposing ^ turned | 1 << second, alpha, first, third)
        if value <= alpha:
            return value
        worst = min(value, worst)
    turned = flips_of(third, opposing, own)
    if turned:
        value = solve_two(own ^ turned, opposing ^ turned | 1 << third, alpha, first, second)
        return min(value, worst)
    if worst != NOTHING:
        return worst
    # Neither side can move, which ends the game.
    return final_difference(own, opposing, 1 << first | 1 << second | 1 << third)


@inlined
def _solve_three_by_parity(
    own: int, opposing: int, alpha: int, first: int, second: int, third: int, parity: int
) -> int:
    """As `solve_three`, with a square of an odd quadrant first."""
    if quadrant_of(first) & parity:
        return solve_three(own, opposing, alpha, first, second, third)
    if quadrant_of(second) & parity:
        return solve_three(own, opposing, alpha, second, first, third)
    return solve_three(own, opposing, alpha, third, first, second)


@inlined
def _after(own: int, opposing: int, alpha: int, square: int, turned: int, rest: int, parity: int) -> int:
    """Return the value, for the mover, of a move to `square` that leaves the three squares `rest`."""
    first = lowest_index(rest)
    rest &= rest - 1
    second = lowest_index(rest)
    third = lowest_index(rest & (rest - 1))
    return -_solve_three_by_parity(
        opposing ^ turned,
        own ^ turned | 1 << square,
        -alpha - 1,
        first,
        second,
        third,
        parity ^ quadrant_of(square),
    )


@kernel("int64(int64, int64, int64, int64, int64)")
def solve_four(own: int, opposing: int, alpha: int, empties: int, parity: int) -> int:
    """Return the value with four squares empty; those of odd quadrants are searched first."""
    odd = empties & squares_of(parity)
    best = -NOTHING
    for group in (odd, empties ^ odd):
        left = group
        while left:
            square = lowest_index(left)
            left &= left - 1
            turned = flips_of(square, own, opposing)
            if turned:
                value = _after(own, opposing, alpha, square, turned, empties ^ 1 << square, parity)
                if value > alpha:
                    return value
                best = max(value, best)
    if best != -NOTHING:
        return best
    worst = NOTHING
    for group in (odd, empties ^ odd):
        left = group
        while left:
            square = lowest_index(left)
            left &= left - 1
            turned = flips_of(square, opposing, own)
            if turned:
                # The other side's move, with the same question seen from there: is it above -alpha - 1?
                value = -_after(opposing, own, -alpha - 1, square, turned, empties ^ 1 << square, parity)
                if value <= alpha:
                    return value
                worst = min(value, worst)
    return worst if worst != NOTHING else final_difference(own, opposing, empties)


@kernel("int64(int64, int64, int64, int64, int64)")
def solve_few(own: int, opposing: int, alpha: int, empties: int, parity: int) -> int:
    """Return the value with at most four squares empty."""
    count = popcount(empties)
    if count == 4:
        return solve_four(own, opposing, alpha, empties, parity)
    if count == 0:
        return final_difference(own, opposing, empties)
    first = lowest_index(empties)
    empties &= empties - 1
    if count == 1:
        return solve_one(own, opposing, alpha, first)
    second = lowest_index(empties)
    if count == 2:
        return solve_two(own, opposing, alpha, first, second)
    return solve_three(own, opposing, alpha, first, second, lowest_index(empties & (empties - 1)))
