"""Alpha-beta on the part of the tree that an inattentive player sees, for games of k in a row and Othello.

What is not seen is not there: a move that is overlooked is neither played nor feared in that state. Whether
it is, the state, the move and a seed decide, so that one search is of one mind however often it gets there.
"""

from __future__ import annotations

from engine.games.othello.kernels.board import PASS, final_value, flips
from engine.games.othello.kernels.board import evaluate as othello_value
from engine.games.othello.kernels.board import moves as othello_moves
from engine.kernels.control import CUT, INFINITY, STOPPED, keep_line, must_stop
from engine.kernels.intrinsics import lowest_index, shift_right
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.lines import BOARD, Shape, evaluate, has_line
from engine.kernels.lines import moves as line_moves
from engine.kernels.weights import WIN

CHANCES = 1 << 16
"""Chances are counted in so many parts of 1."""

# Odd and without pattern: the digits of the golden ratio and of the square root of 3.
_FIRST_FACTOR = 0x1E3779B97F4A7C15
_SECOND_FACTOR = 0x3BB67AE8584CAA73


@inlined
def _is_overlooked(one: int, other: int, move: int, chance: int, seed: int) -> bool:
    """True in `chance` of CHANCES of all seeds, states (two boards) and moves (one bit)."""
    mixed = (seed ^ one) * _FIRST_FACTOR
    mixed = (mixed ^ shift_right(mixed, 29) ^ other) * _SECOND_FACTOR
    mixed = (mixed ^ shift_right(mixed, 31) ^ lowest_index(move)) * _FIRST_FACTOR
    return shift_right(mixed, 48) < chance


@kernel(
    "int64(int64, int64, int64, int64, int64, int64, int64, UniTuple(int64, 6), int64[::1], int64[::1],"
    " int64, int64[::1], int64[::1], int64[::1], int64[:, ::1])"
)
def glance_at_lines(
    own: int,
    mask: int,
    depth: int,
    alpha: int,
    beta: int,
    distance: int,
    side: int,
    shape: Shape,
    order: Words,
    chances: Words,
    seed: int,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
) -> int:
    """As `line_search.minimax`, exact between alpha and beta, of the moves that are seen.

    chances: of overlooking a move 0, 1, 2 ... plies after the root's own. A state in which no move is seen
    has its heuristic value, as at the end of the depth.
    """
    if must_stop(counters, stop, timer):
        return 0
    pv[distance, 0] = 0
    opposing = own ^ mask
    if has_line(opposing, shape):
        return distance - WIN
    if mask == shape[BOARD]:
        return 0
    best = -INFINITY
    free = line_moves(mask, shape) if depth else 0
    for group in order:
        left = free & group
        while left:
            move = left & -left
            left ^= move
            if _is_overlooked(own, mask, move, chances[distance], seed):
                continue
            value = -glance_at_lines(
                opposing,
                mask | move,
                depth - 1,
                -beta,
                -max(alpha, best),
                distance + 1,
                -side,
                shape,
                order,
                chances,
                seed,
                stop,
                timer,
                counters,
                pv,
            )
            if counters[STOPPED]:
                return 0
            if value > best:
                best = value
                if value >= beta:
                    return value
                if value > alpha:
                    keep_line(pv, distance, lowest_index(move))
    if best == -INFINITY:
        counters[CUT] += 1
        return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)
    return best


@kernel(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64[::1], int64[::1], int64,"
    " int64[::1], int64[::1], int64[::1], int64[:, ::1])"
)
def glance_at_othello(
    own: int,
    opposing: int,
    depth: int,
    alpha: int,
    beta: int,
    distance: int,
    frame: int,
    order: Words,
    chances: Words,
    seed: int,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
) -> int:
    """As `othello_search.minimax`, exact between alpha and beta, of the moves that are seen.

    See `glance_at_lines`; a pass is never overlooked.
    """
    if must_stop(counters, stop, timer):
        return 0
    pv[distance, 0] = 0
    free = othello_moves(own, opposing, frame)
    reply = othello_moves(opposing, own, frame)
    if free == 0 and reply == 0:
        return final_value(own, opposing, distance)
    if free == 0 and depth > 0:
        value = -glance_at_othello(
            opposing,
            own,
            depth - 1,
            -beta,
            -alpha,
            distance + 1,
            frame,
            order,
            chances,
            seed,
            stop,
            timer,
            counters,
            pv,
        )
        keep_line(pv, distance, PASS)
        return value
    best = -INFINITY
    seen = free if depth else 0
    for group in order:
        left = seen & group
        while left:
            move = left & -left
            left ^= move
            if _is_overlooked(own, opposing, move, chances[distance], seed):
                continue
            turned = flips(move, own, opposing)
            value = -glance_at_othello(
                opposing ^ turned,
                own | move | turned,
                depth - 1,
                -beta,
                -max(alpha, best),
                distance + 1,
                frame,
                order,
                chances,
                seed,
                stop,
                timer,
                counters,
                pv,
            )
            if counters[STOPPED]:
                return 0
            if value > best:
                best = value
                if value >= beta:
                    return value
                if value > alpha:
                    keep_line(pv, distance, lowest_index(move))
    if best == -INFINITY:
        counters[CUT] += 1
        return othello_value(own, opposing, free, reply, frame)
    return best
