"""Alpha-beta for games of k in a row (boards as in `engine.kernels.lines`): minimax's values, sooner."""

from __future__ import annotations

from engine.kernels.control import CUT, INFINITY, NODE_LIMIT, NODES, STOPPED
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.lines import BOARD, DROPS, Shape, evaluate, has_line, moves, winning_squares
from engine.kernels.transposition import (
    BUCKET_WORDS,
    COUNTERS,
    GROUPS,
    HISTORY,
    INDEX_SHIFT,
    LIST_WORDS,
    LISTS,
    LOWER,
    ORDER,
    PV,
    PV_WIDTH,
    ROOT_STONES,
    SHAPE,
    SIDE_SQUARES,
    STOP,
    TABLE,
    TIMER,
    UPPER,
    begin_line,
    bucket_of,
    keep_line,
    must_stop,
    place_of,
    remember,
    shape_of,
)
from engine.kernels.weights import DECIDED, WIN

_RANK_OF_KNOWN = 2**40
_RANK_OF_THREAT = 2**20
_SHALLOW = 2
"""At this depth and below, the table and the threats cost more than they save."""


@inlined
def _estimate(own: int, opposing: int, side: int, shape: Shape) -> int:
    return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)


@inlined
def _best_leaf(
    own: int, mask: int, free: int, beta: int, distance: int, side: int, shape: Shape, memory: int
) -> int:
    """The best move of a state in which none wins, one ply before the end of the depth."""
    counters = load(memory, COUNTERS)
    visited = load(counters, NODES)
    limit = load(counters, NODE_LIMIT)
    seen = 0
    estimated = 0
    best = -INFINITY
    best_move = 0
    opposing = own ^ mask
    for i in range(load(memory, GROUPS)):
        left = free & load(load(memory, ORDER), i)
        while left:
            move = left & -left
            left ^= move
            if visited + seen >= limit:
                store(counters, STOPPED, 1)
                return 0
            seen += 1
            if mask | move == shape[BOARD]:
                value = 0
            else:
                estimated += 1
                value = _estimate(own | move, opposing, side, shape)
            if value > best:
                best = value
                best_move = move
        if best >= beta:
            break
    store(counters, NODES, visited + seen)
    store(counters, CUT, load(counters, CUT) + estimated)
    begin_line(distance + 1, memory)
    keep_line(distance, lowest_index(best_move), memory)
    return best


@inlined
def _lost(distance: int, first: int, second: int, memory: int) -> int:
    """The value of losing with the second move from now, and the line that leads there."""
    begin_line(distance + 2, memory)
    keep_line(distance + 1, lowest_index(second), memory)
    keep_line(distance, lowest_index(first), memory)
    return distance + 2 - WIN


@inlined
def _list_moves(
    own: int,
    mask: int,
    free: int,
    known: int,
    distance: int,
    side: int,
    depth: int,
    shape: Shape,
    memory: int,
) -> int:
    """Writes the moves and their ranks into this ply's room; returns how many.

    known: the square that the table proposes, -1 for none. Ranks: that one first; then, far enough from the
    end, by squares where the move threatens to win; then by refutations elsewhere; then by `order`.
    """
    room = LISTS + LIST_WORDS * distance
    history = HISTORY + (SIDE_SQUARES if side < 0 else 0)
    count = 0
    groups = load(memory, GROUPS)
    for i in range(groups):
        left = free & load(load(memory, ORDER), i)
        while left:
            move = left & -left
            left ^= move
            square = lowest_index(move)
            rank = load(memory, history + square)
            if square == known:
                rank = _RANK_OF_KNOWN
            elif depth > _SHALLOW:
                rank += _RANK_OF_THREAT * popcount(winning_squares(own | move, mask | move, shape))
            # Insertion keeps equal ranks in the order of the groups.
            place = room + count
            while place > room and load(memory, place - 1 + SIDE_SQUARES) < rank:
                store(memory, place, load(memory, place - 1))
                store(memory, place + SIDE_SQUARES, load(memory, place - 1 + SIDE_SQUARES))
                place -= 1
            store(memory, place, square)
            store(memory, place + SIDE_SQUARES, rank)
            count += 1
    return count


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def _search(own: int, mask: int, depth: int, alpha: int, beta: int, side: int, memory: int) -> int:
    """The value of a state without a line on it; depth at least 1. See `alphabeta`."""
    if must_stop(memory):
        return 0
    shape = shape_of(memory)
    distance = popcount(mask) - load(memory, ROOT_STONES)
    begin_line(distance, memory)
    if mask == shape[BOARD]:
        return 0
    free = moves(mask, shape)
    now = free & winning_squares(own, mask, shape)
    if now:
        begin_line(distance + 1, memory)
        keep_line(distance, lowest_index(now), memory)
        return WIN - distance - 1
    if depth == 1:
        return _best_leaf(own, mask, free, beta, distance, side, shape, memory)
    opposing = own ^ mask
    threats = winning_squares(opposing, mask, shape)
    forced = free & threats
    if forced:
        # Any other move loses with the next one, which is the worst there is: leaving it out changes nothing.
        first = forced & -forced
        if forced != first:
            return _lost(distance, first, forced ^ first, memory)
        free = forced
    if shape[DROPS]:
        safe = free & ~shift_right(threats, 1)
        if safe == 0:
            return _lost(distance, free & -free, (free & -free) << 1, memory)
        free = safe
    bucket = TABLE
    known = -1
    if depth > _SHALLOW:
        bucket = bucket_of(own, mask, memory)
        place = place_of(own, mask, bucket, memory)
        if place >= 0:
            value = load(memory, place + 2)
            about = load(memory, place + 3)
            known = (about >> 2 & 127) - 1
            # An exact value inside the window is searched again: its line is wanted as well.
            if about >> 10 == depth or value > DECIDED or value < -DECIDED:
                if about & LOWER and value >= beta:
                    return value
                if about & UPPER and value <= alpha:
                    return value
    count = _list_moves(own, mask, free, known, distance, side, depth, shape, memory)
    room = LISTS + LIST_WORDS * distance
    best = -INFINITY
    best_square = -1
    for i in range(count):
        square = load(memory, room + i)
        move = 1 << square
        floor = max(alpha, best)
        if i > 0 and depth > _SHALLOW and beta - floor > 1:
            # Most likely no better than the first: ask only whether it is (Pearl's Scout, 1980).
            value = -_search(opposing, mask | move, depth - 1, -floor - 1, -floor, -side, memory)
            if floor < value < beta and not load(load(memory, COUNTERS), STOPPED):
                value = -_search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        else:
            value = -_search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        if load(load(memory, COUNTERS), STOPPED):
            return 0
        if value > best:
            best = value
            best_square = square
            if value >= beta:
                break
            if value > alpha:
                keep_line(distance, square, memory)
    if best >= beta:
        heard = HISTORY + (SIDE_SQUARES if side < 0 else 0) + best_square
        store(memory, heard, min(load(memory, heard) + depth * depth, _RANK_OF_THREAT - 1))
    if depth > _SHALLOW:
        kind = (LOWER if best > alpha else 0) | (UPPER if best < beta else 0)
        remember(own, mask, depth, best, kind, best_square, bucket, memory)
    return best


@kernel(
    "int64(int64, int64, int64, int64, int64, int64, int64, UniTuple(int64, 6), int64[::1], int64[::1],"
    " int64[::1], int64[::1], int64[:, ::1], int64[::1])"
)
def alphabeta(
    own: int,
    mask: int,
    depth: int,
    alpha: int,
    beta: int,
    distance: int,
    side: int,
    shape: Shape,
    order: Words,
    stop: Words,
    timer: Words,
    counters: Words,
    pv: Words,
    memory: Words,
) -> int:
    """As `line_search.minimax`, but only exact between alpha and beta.

    A value <= alpha is an upper bound of the true one, a value >= beta a lower bound. (Knuth and Moore,
    An Analysis of Alpha-Beta Pruning, 1975, fail-soft.) memory: zeros at first; see `line_memory`.
    Where the side to move can win at once, or must answer a threat, that is seen without visiting a state.
    """
    pv[distance, 0] = 0
    opposing = own ^ mask
    if depth == 0 or has_line(opposing, shape) or mask == shape[BOARD]:
        if counters[STOPPED] or counters[NODES] >= counters[NODE_LIMIT]:
            counters[STOPPED] = 1
            return 0
        counters[NODES] += 1
        if has_line(opposing, shape):
            return distance - WIN
        if mask == shape[BOARD]:
            return 0
        counters[CUT] += 1
        return _estimate(own, opposing, side, shape)
    base = memory.ctypes.data
    memory[STOP] = stop.ctypes.data
    memory[TIMER] = timer.ctypes.data
    memory[COUNTERS] = counters.ctypes.data
    memory[PV] = pv.ctypes.data
    memory[PV_WIDTH] = pv.shape[1]
    memory[ROOT_STONES] = popcount(mask) - distance
    buckets = (len(memory) - TABLE) // BUCKET_WORDS
    shift = 64
    while buckets > 1:
        shift -= 1
        buckets >>= 1
    memory[INDEX_SHIFT] = shift
    memory[GROUPS] = len(order)
    memory[ORDER] = order.ctypes.data
    for i in range(6):
        memory[SHAPE + i] = shape[i]
    return _search(own, mask, depth, alpha, beta, side, base)
