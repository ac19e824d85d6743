"""Minimax and alpha-beta for Othello (boards as in `engine.games.othello.kernels.board`)."""

from __future__ import annotations

from engine.games.othello.kernels.board import PASS, evaluate, final_value, flips, moves
from engine.kernels.control import CUT, INFINITY, STOPPED, keep_line, must_stop
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import Words, kernel


@kernel("int64(int64, int64, int64)")
def legal_squares(own: int, opposing: int, frame: int) -> int:
    """The squares where the owner of `own` may play."""
    return moves(own, opposing, frame)


@kernel("int64(int64, int64, int64)")
def flipped_discs(move: int, own: int, opposing: int) -> int:
    """The discs that `move` (one bit) turns over."""
    return flips(move, own, opposing)


@kernel("int64(int64, int64, int64)")
def square_value(own: int, opposing: int, frame: int) -> int:
    """The heuristic value of a state for the owner of `own`."""
    return evaluate(own, opposing, moves(own, opposing, frame), moves(opposing, own, frame), frame)


@kernel(
    "int64(int64, int64, int64, int64, int64, int64[::1], int64[::1], int64[::1], int64[::1], int64[:, ::1])"
)
def minimax(
    own: int,
    opposing: int,
    depth: int,
    distance: int,
    frame: int,
    order: Words,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
) -> int:
    """The value of the state for the side to move, every line looked at to `depth` plies, passes counted.

    own: discs of the side to move. distance: plies since the search's root, so that quicker wins are worth
    more. order: groups of squares, the likely best first. See `control` for the rest.
    """
    if must_stop(counters, stop, timer):
        return 0
    pv[distance, 0] = 0
    free = moves(own, opposing, frame)
    if free == 0 or depth == 0:
        reply = moves(opposing, own, frame)
        if free == 0 and reply == 0:
            return final_value(own, opposing, distance)
        if depth == 0:
            counters[CUT] += 1
            return evaluate(own, opposing, free, reply, frame)
        value = -minimax(opposing, own, depth - 1, distance + 1, frame, order, stop, timer, counters, pv)
        keep_line(pv, distance, PASS)
        return value
    best = -INFINITY
    for group in order:
        left = free & group
        while left:
            move = left & -left
            left ^= move
            turned = flips(move, own, opposing)
            value = -minimax(
                opposing ^ turned,
                own | move | turned,
                depth - 1,
                distance + 1,
                frame,
                order,
                stop,
                timer,
                counters,
                pv,
            )
            if counters[STOPPED]:
                return 0
            if value > best:
                best = value
                keep_line(pv, distance, lowest_index(move))
    return best


@kernel(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[:, ::1])"
)
def alphabeta(
    own: int,
    opposing: int,
    depth: int,
    alpha: int,
    beta: int,
    distance: int,
    frame: int,
    order: Words,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
) -> int:
    """As `minimax`, but only exact between alpha and beta.

    A value <= alpha is an upper bound of the true one, a value >= beta a lower bound. (Knuth and Moore,
    An Analysis of Alpha-Beta Pruning, 1975, in its fail-soft form.)
    """
    if must_stop(counters, stop, timer):
        return 0
    pv[distance, 0] = 0
    free = moves(own, opposing, frame)
    if free == 0 or depth == 0:
        reply = moves(opposing, own, frame)
        if free == 0 and reply == 0:
            return final_value(own, opposing, distance)
        if depth == 0:
            counters[CUT] += 1
            return evaluate(own, opposing, free, reply, frame)
        value = -alphabeta(
            opposing, own, depth - 1, -beta, -alpha, distance + 1, frame, order, stop, timer, counters, pv
        )
        keep_line(pv, distance, PASS)
        return value
    best = -INFINITY
    for group in order:
        left = free & group
        while left:
            move = left & -left
            left ^= move
            turned = flips(move, own, opposing)
            value = -alphabeta(
                opposing ^ turned,
                own | move | turned,
                depth - 1,
                -beta,
                -max(alpha, best),
                distance + 1,
                frame,
                order,
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
    return best
