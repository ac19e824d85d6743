"""Minimax for games of k in a row (boards as in `engine.kernels.lines`): the yardstick, nothing left out."""

from __future__ import annotations

from engine.kernels.control import CUT, INFINITY, STOPPED, keep_line, must_stop
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import Words, kernel
from engine.kernels.lines import BOARD, Shape, evaluate, has_line, moves
from engine.kernels.weights import WIN


@kernel("int64(int64, int64, UniTuple(int64, 6))")
def window_value(mine: int, theirs: int, shape: Shape) -> int:
    """The heuristic value of a state for the owner of `mine`."""
    return evaluate(mine, theirs, shape)


@kernel(
    "int64(int64, int64, int64, int64, int64, UniTuple(int64, 6), int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[:, ::1])"
)
def minimax(
    own: int,
    mask: int,
    depth: int,
    distance: int,
    side: int,
    shape: Shape,
    order: Words,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
) -> int:
    """The value of the state for the side to move, every line looked at to `depth` plies.

    own: stones of the side to move; mask: all stones. distance: plies since the search's root, so that
    quicker wins are worth more. side: 1 when the root's player is to move here, else -1; estimates take
    that player's viewpoint. order: groups of squares, the likely best first. See `control` for the rest.
    """
    if must_stop(counters, stop, timer):
        return 0
    pv[distance, 0] = 0
    opposing = own ^ mask
    if has_line(opposing, shape):
        return distance - WIN
    if mask == shape[BOARD]:
        return 0
    if depth == 0:
        counters[CUT] += 1
        return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)
    best = -INFINITY
    free = moves(mask, shape)
    for group in order:
        left = free & group
        while left:
            move = left & -left
            left ^= move
            value = -minimax(
                opposing, mask | move, depth - 1, distance + 1, -side, shape, order, stop, timer, counters, pv
            )
            if counters[STOPPED]:
                return 0
            if value > best:
                best = value
                keep_line(pv, distance, lowest_index(move))
    return best
