"""Alpha-beta for games of k in a row (boards as in `engine.kernels.lines`): the values of minimax, faster."""

from __future__ import annotations

from engine.kernels.control import (
    COUNTERS,
    CUT,
    GROUPS,
    INFINITY,
    NODE_LIMIT,
    NODES,
    ORDER,
    ROOT_STONES,
    STOPPED,
    begin_pv,
    has_stopped,
    must_stop,
    rules_of,
    update_pv,
)
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.line_search import estimate
from engine.kernels.lines import BOARD, DROPS, Shape, has_line, moves, winning_squares
from engine.kernels.transposition import (
    HISTORY,
    LIST_WORDS,
    LISTS,
    LOWER,
    SIDE_SQUARES,
    TABLE,
    UPPER,
    bucket_of,
    place_of,
    remember,
)

_RANK_OF_KNOWN = 2**40
_RANK_OF_THREAT = 2**20
_SHALLOW = 2
"""At this depth and below, the table and the threats cost more than they save."""


@inlined
def _best_leaf(
    own: int, mask: int, free: int, beta: int, distance: int, side: int, shape: Shape, memory: int
) -> int:
    """Search the moves of a state without an immediate win, one ply before the end of the depth."""
    counters = load(memory, COUNTERS)
    visited = load(counters, NODES)
    limit = load(counters, NODE_LIMIT)
    seen = 0
    estimated = 0
    best = -INFINITY
    best_move = 0
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
                value = estimate(own | move, mask | move, side, shape)
            if value > best:
                best = value
                best_move = move
        if best >= beta:
            break
    store(counters, NODES, visited + seen)
    store(counters, CUT, load(counters, CUT) + estimated)
    begin_pv(distance + 1, memory)
    update_pv(distance, lowest_index(best_move), memory)
    return best


@inlined
def _lost(distance: int, first: int, second: int, memory: int) -> int:
    """Return the value of losing with the second move from now, and set the line that leads there."""
    begin_pv(distance + 2, memory)
    update_pv(distance + 1, lowest_index(second), memory)
    update_pv(distance, lowest_index(first), memory)
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
    """Write the moves and their ranks into this ply's list; return their number.

    known: the table's move, -1 for none. Ranks: the table's move first; then, at sufficient depth, squares
    where the move threatens to win; then the history heuristic; then the order of `order`.
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
def search(own: int, mask: int, depth: int, alpha: int, beta: int, side: int, memory: int) -> int:
    """As `line_search.search` with PRUNES, for a state at least one ply from the root; depth at least 1.

    Immediate wins and forced answers to threats are found without visiting a state. memory: see
    `transposition`.
    """
    if must_stop(memory):
        return 0
    shape = rules_of(memory)
    distance = popcount(mask) - load(memory, ROOT_STONES)
    begin_pv(distance, memory)
    if distance == 1 and has_line(own ^ mask, shape):  # deeper, an immediate win was found a ply earlier
        return distance - WIN
    if mask == shape[BOARD]:
        return 0
    free = moves(mask, shape)
    now = free & winning_squares(own, mask, shape)
    if now:
        begin_pv(distance + 1, memory)
        update_pv(distance, lowest_index(now), memory)
        return WIN - distance - 1
    if depth == 1:
        return _best_leaf(own, mask, free, beta, distance, side, shape, memory)
    opposing = own ^ mask
    threats = winning_squares(opposing, mask, shape)
    forced = free & threats
    if forced:
        # Any other move loses to the next one, the worst result possible, so leaving it out changes nothing.
        first = forced & -forced
        if forced != first:  # a double threat: one answer is not enough
            return _lost(distance, first, forced ^ first, memory)
        free = forced
    if shape[DROPS]:  # a disc right below a winning square of theirs lets them take it: a loss in two plies
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
            # An exact value inside the window is searched again to get its principal variation.
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
            # Null-window search: the move is probably no better than the first (Pearl's Scout, 1980).
            value = -search(opposing, mask | move, depth - 1, -floor - 1, -floor, -side, memory)
            if floor < value < beta and not has_stopped(memory):
                value = -search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        else:
            value = -search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        if has_stopped(memory):
            return 0
        if value > best:
            best = value
            best_square = square
            if value >= beta:
                break
            if value > alpha:
                update_pv(distance, square, memory)
    if best >= beta:  # history heuristic: a refutation of one move is likely to refute others
        place = HISTORY + (SIDE_SQUARES if side < 0 else 0) + best_square
        store(memory, place, min(load(memory, place) + depth * depth, _RANK_OF_THREAT - 1))
    if depth > _SHALLOW:
        kind = (LOWER if best > alpha else 0) | (UPPER if best < beta else 0)
        remember(own, mask, depth, best, kind, best_square, bucket, memory)
    return best
