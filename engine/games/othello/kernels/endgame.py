"""Exact endgame search for Othello: the difference of discs with best play.

Boards, empties, parity and values are as in `last_squares`. Up to EARLY_SQUARES empty squares the search
orders moves by parity alone and has no table; above, by the number of replies a move leaves, and with the
transposition table (Gunnar Andersson, "Writing an Othello program", on fastest-first search). The value of a
stopped search is meaningless; callers check STOPPED.
"""

from __future__ import annotations

from engine.games.othello.kernels.context import (
    EXACT,
    GENERATION,
    MOVE_WORDS,
    NO_SQUARE,
    best_square,
    enter,
    far_bucket,
    find,
    find_in,
    is_exact,
    lower_bound,
    move_list,
    near_bucket,
    put_move,
    remember,
    remember_in,
    take_most_urgent,
    upper_bound,
)
from engine.games.othello.kernels.context import STOPPED as STOPPED
from engine.games.othello.kernels.last_squares import NOTHING, final_difference, solve_few, solve_four
from engine.games.othello.kernels.tables import (
    SMALL_BOARD,
    quadrant_of,
    square_value,
    squares_of,
    stable_edge,
)
from engine.games.othello.kernels.vectors import flips_of, grow_stable, moves_of
from engine.kernels.intrinsics import load, lowest_index, popcount, prefetch, shift_right
from engine.kernels.jit import inlined, kernel

EARLY_SQUARES = 6
NEAR_SQUARES = 11
"""Up to this number of empty squares the search uses the small table."""
LOOKING_SQUARES = 10
"""From this number of empty squares on, a search first looks for a table cutoff among its moves."""
WINNING_MOVE = 1 << 40
"""The urgency of a move that ends the game at once."""
TABLE_MOVE = 1 << 30

_CORNERS = 1 << 0 | 1 << 7 | 1 << 56 | -(1 << 63)
_SMALL_CORNERS = 1 << 9 | 1 << 14 | 1 << 49 | 1 << 54
_FILE_A = 0x0101010101010101
_FILE_TO_BYTE = 0x0102040810204080
_BYTE_TO_FILE = 0x0002040810204081


@inlined
def _file_as_byte(board: int) -> int:
    """Return the discs on file a as a byte, the top one in the lowest bit."""
    return shift_right((board & _FILE_A) * _FILE_TO_BYTE, 56)


@inlined
def _byte_as_file(byte: int) -> int:
    return byte * _BYTE_TO_FILE & _FILE_A


@kernel("int64(int64, int64, int64)")
def stable_discs(own: int, opposing: int, empties: int) -> int:
    """Return discs of `own` that can never be turned; a subset of all such discs."""
    edges = stable_edge((own & 255) << 8 | (opposing & 255))
    edges |= stable_edge(shift_right(own, 56) << 8 | shift_right(opposing, 56)) << 56
    edges |= _byte_as_file(stable_edge(_file_as_byte(own) << 8 | _file_as_byte(opposing)))
    own_h, opposing_h = shift_right(own, 7), shift_right(opposing, 7)
    edges |= _byte_as_file(stable_edge(_file_as_byte(own_h) << 8 | _file_as_byte(opposing_h))) << 7
    return grow_stable(own, empties, edges, ~(own | opposing | empties))


@inlined
def stability_bound(own: int, opposing: int, empties: int, alpha: int) -> int:
    """Return an upper bound of the value, since the other side keeps its stable discs; NOTHING if not tried.

    The bound can only be <= alpha if the other side has enough discs, with a margin because rarely all of
    them are stable.
    """
    area = popcount(own | opposing | empties)
    if 2 * popcount(opposing) < area - alpha + 4:
        return NOTHING
    return area - 2 * popcount(stable_discs(opposing, own, empties))


@kernel("int64(int64, int64, int64, int64, int64)")
def solve_early(own: int, opposing: int, alpha: int, empties: int, parity: int) -> int:
    """Return a bound of the value on the right side of alpha, with five or a few more empty squares."""
    moves = moves_of(own, opposing) & empties
    if moves == 0:
        if moves_of(opposing, own) & empties == 0:
            return final_difference(own, opposing, empties)
        return -solve_early(opposing, own, -alpha - 1, empties, parity)
    bound = stability_bound(own, opposing, empties, alpha)
    if bound <= alpha:
        return bound
    leaves_four = popcount(empties) == 5
    # Odd quadrants first: the side that moves there first also moves last there, and the last move is final.
    left = moves & squares_of(parity)
    later = moves ^ left
    if left == 0:
        left, later = later, left
    best = -NOTHING
    while left:
        square = lowest_index(left)
        bit = 1 << square
        turned = flips_of(square, own, opposing)
        after, before = opposing ^ turned, own ^ turned | bit
        if leaves_four:
            value = -solve_four(after, before, -alpha - 1, empties ^ bit, parity ^ quadrant_of(square))
        else:
            value = -solve_early(after, before, -alpha - 1, empties ^ bit, parity ^ quadrant_of(square))
        if value > best:
            best = value
            if value > alpha:
                return value
        left &= left - 1
        if left == 0:
            left, later = later, left
    return best


@inlined
def corners_and_base(own: int, opposing: int, empties: int) -> tuple[int, int]:
    """Return the corners of the board in play, and the offset of its square values."""
    if own | opposing | empties == -1:
        return _CORNERS, 0
    return _SMALL_CORNERS, SMALL_BOARD


@inlined
def list_moves(
    moves: int, own: int, opposing: int, free: int, empties: int, parity: int, table_square: int
) -> int:
    """Fill the list at address `moves` with the moves `free`; return their number.

    Most urgent: the table's move, then those that leave the other side the fewest replies, with corners
    counted twice; among equals, good squares and odd quadrants first.
    """
    count = 0
    corners, base = corners_and_base(own, opposing, empties)
    odd_bonus = 10 if popcount(empties) < 13 else 5
    while free:
        square = lowest_index(free)
        free &= free - 1
        turned = flips_of(square, own, opposing)
        after = opposing ^ turned
        bit = 1 << square
        if after == 0:
            put_move(moves, 0, square, turned, WINNING_MOVE)
            return 1
        replies = moves_of(after, own ^ turned | bit) & empties & ~bit
        urgency = square_value(base + square) - ((popcount(replies) + popcount(replies & corners)) << 12)
        if quadrant_of(square) & parity:
            urgency += odd_bonus
        if square == table_square:
            urgency += TABLE_MOVE
        put_move(moves, count, square, turned, urgency)
        count += 1
    return count


@inlined
def _bucket(c: int, own: int, opposing: int, count: int) -> int:
    """Return the bucket that null windows use for a position with `count` empty squares."""
    return near_bucket(c, own, opposing) if count <= NEAR_SQUARES else far_bucket(c, own, opposing)


@kernel("int64(int64, int64, int64, int64, int64, int64)")
def null_window(c: int, own: int, opposing: int, alpha: int, empties: int, parity: int) -> int:
    """Return a bound of the value on the right side of alpha, with more than EARLY_SQUARES empty squares."""
    if not enter(c):
        return alpha
    count = popcount(empties)
    bucket = _bucket(c, own, opposing, count)
    prefetch(bucket, 0)  # it is read after some work without memory access
    bound = stability_bound(own, opposing, empties, alpha)
    if bound <= alpha:  # more stable discs than this side may concede
        return bound
    free = moves_of(own, opposing) & empties
    if free == 0:
        if moves_of(opposing, own) & empties == 0:
            return final_difference(own, opposing, empties)
        return -null_window(c, opposing, own, -alpha - 1, empties, parity)
    table_square = NO_SQUARE
    data = find_in(bucket, own, opposing)
    if data:
        if is_exact(data, count):
            if lower_bound(data) > alpha:
                return lower_bound(data)
            if upper_bound(data) <= alpha:
                return upper_bound(data)
        table_square = best_square(data)
    moves = move_list(c, count)
    left = list_moves(moves, own, opposing, free, empties, parity, table_square)
    if count >= LOOKING_SQUARES:  # enhanced transposition cutoff: a reply known to fail low is enough
        for i in range(left):
            square, turned = load(moves, MOVE_WORDS * i), load(moves, MOVE_WORDS * i + 1)
            after, before = opposing ^ turned, own ^ turned | 1 << square
            data = find_in(_bucket(c, after, before, count - 1), after, before)
            if data and is_exact(data, count - 1) and -upper_bound(data) > alpha:
                return -upper_bound(data)
    best = -NOTHING
    best_move = NO_SQUARE
    while left:
        square, turned = take_most_urgent(moves, left)
        left -= 1
        bit = 1 << square
        after, before = opposing ^ turned, own ^ turned | bit
        if count <= EARLY_SQUARES + 1:
            value = -solve_early(after, before, -alpha - 1, empties ^ bit, parity ^ quadrant_of(square))
        else:
            value = -null_window(c, after, before, -alpha - 1, empties ^ bit, parity ^ quadrant_of(square))
        if value > best:
            best, best_move = value, square
            if value > alpha:  # beta cutoff: the question is answered
                break
    if load(c, STOPPED):  # the value of a stopped search must not be stored
        return alpha
    remember_in(bucket, load(c, GENERATION), own, opposing, count, EXACT, alpha, alpha + 1, best, best_move)
    return best


@kernel("int64(int64, int64, int64, int64, int64, int64)")
def is_above(c: int, own: int, opposing: int, alpha: int, empties: int, parity: int) -> int:
    """As `null_window`, for any number of empty squares."""
    count = popcount(empties)
    if count > EARLY_SQUARES:
        return null_window(c, own, opposing, alpha, empties, parity)
    if count > 4:
        return solve_early(own, opposing, alpha, empties, parity)
    return solve_few(own, opposing, alpha, empties, parity)


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def solve_window(c: int, own: int, opposing: int, alpha: int, beta: int, empties: int, parity: int) -> int:
    """Return the value, exact between alpha and beta, else a bound on its side, by rising null windows."""
    low = alpha
    while True:
        value = is_above(c, own, opposing, low, empties, parity)
        if value >= beta or load(c, STOPPED):
            return value
        if value <= low:
            return value if low == alpha else low
        low = value


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def solve(c: int, own: int, opposing: int, alpha: int, beta: int, empties: int, parity: int) -> int:
    """Return the value, exact between alpha and beta, else a bound on its side (principal variation search).

    The best square of every position of the principal variation is left in the table.
    """
    count = popcount(empties)
    if not enter(c):
        return alpha
    free = moves_of(own, opposing) & empties
    if free == 0:
        if moves_of(opposing, own) & empties == 0:
            return final_difference(own, opposing, empties)
        return -solve(c, opposing, own, -beta, -alpha, empties, parity)
    if count <= EARLY_SQUARES + 1:
        return solve_window(c, own, opposing, alpha, beta, empties, parity)
    table_square = NO_SQUARE
    data = find(c, own, opposing)
    if data:
        if is_exact(data, count):
            if lower_bound(data) >= beta or lower_bound(data) == upper_bound(data):
                return lower_bound(data)
            if upper_bound(data) <= alpha:
                return upper_bound(data)
        table_square = best_square(data)
    moves = move_list(c, count)
    left = list_moves(moves, own, opposing, free, empties, parity, table_square)
    best = -NOTHING
    best_move = NO_SQUARE
    low = alpha
    while left:
        square, turned = take_most_urgent(moves, left)
        left -= 1
        bit = 1 << square
        after, before = opposing ^ turned, own ^ turned | bit
        rest, odd = empties ^ bit, parity ^ quadrant_of(square)
        if best == -NOTHING:
            value = -solve(c, after, before, -beta, -low, rest, odd)
        else:
            # Null-window search: the move is probably no better than the first; if it is, search again.
            value = -is_above(c, after, before, -low - 1, rest, odd)
            if low < value < beta:
                value = -solve(c, after, before, -beta, -value + 1, rest, odd)
        if value > best:
            best, best_move = value, square
            low = max(low, value)
            if value >= beta:
                break
    if load(c, STOPPED):
        return alpha
    remember(c, own, opposing, count, EXACT, alpha, beta, best, best_move)
    return best
