"""Alpha-beta for games of k in a row (boards as in `engine.kernels.lines`): minimax's values, sooner.

Everything that one choice learns lies in one int64 array, its `memory`:

    0 .. 31      what does not change during a search: see the names below
    32 .. 159    how often a square refuted a line, for each side (64 squares a side)
    160 .. 8479  room for the moves of each state on the way, 65 plies of 64 squares and 64 ranks
    8480 ..      the table: buckets of two entries of four words

The recursive function gets the array's address alone; an array as an argument would cost seven words.

An entry holds the stones of the side to move, all stones, a value, and
depth << 10 | (square + 1) << 2 | kind. The two boards are the key, in full: no two states share an entry by
chance. The kind says whether the value is exact, a lower or an upper bound, for exactly that depth; an entry
of another depth only proposes a move, unless the value is a won or lost game's, which looking deeper cannot
change: a quicker end would have been seen. Replacement: the first entry of a bucket keeps the deepest state
it was offered, the second the latest of the others. A memory belongs to one root, since distances to a win
are counted from there, and which player's view the estimates take.
"""

from __future__ import annotations

from engine.kernels.bits import load, load_shared, lowest_index, popcount, shift_right, store
from engine.kernels.control import CUT, INFINITY, NODE_LIMIT, NODES, STOPPED
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.lines import Shape, evaluate, has_line, moves, winning_squares
from engine.kernels.weights import DECIDED, WIN

HISTORY = 32
SIDE_SQUARES = 64
LISTS = HISTORY + 2 * SIDE_SQUARES
LIST_WORDS = 128
TABLE = LISTS + 65 * LIST_WORDS
ENTRY_WORDS = 4
BUCKET_WORDS = 2 * ENTRY_WORDS

_STOP, _TIMER, _COUNTERS, _PV, _PV_WIDTH, _ROOT_STONES, _INDEX_SHIFT, _GROUPS, _ORDER = range(9)
_SHAPE = 16  # and the five words behind it

_LOWER, _UPPER = 1, 2
_FACTOR = 0x1E3779B97F4A7C15
_OTHER_FACTOR = 0x3BB67AE8584CAA73
_RANK_OF_KNOWN = 2**40
_RANK_OF_THREAT = 2**20
_SHALLOW = 2
"""At this depth and below, the table and the threats cost more than they save."""


@inlined
def _shape_of(memory: int) -> Shape:
    return (
        load(memory, _SHAPE),
        load(memory, _SHAPE + 1),
        load(memory, _SHAPE + 2),
        load(memory, _SHAPE + 3),
        load(memory, _SHAPE + 4),
        load(memory, _SHAPE + 5),
    )


@inlined
def _bucket_of(own: int, mask: int, memory: int) -> int:
    """Where in the memory the state's two entries lie."""
    mixed = own * _FACTOR ^ mask * _OTHER_FACTOR
    mixed ^= shift_right(mixed, 32)
    return TABLE + BUCKET_WORDS * shift_right(mixed * _FACTOR, load(memory, _INDEX_SHIFT))


@inlined
def _place_of(own: int, mask: int, bucket: int, memory: int) -> int:
    """The state's entry in the bucket; -1 where it has none."""
    if load(memory, bucket) == own and load(memory, bucket + 1) == mask:
        return bucket
    bucket += ENTRY_WORDS
    if load(memory, bucket) == own and load(memory, bucket + 1) == mask:
        return bucket
    return -1


@inlined
def _remember(
    own: int, mask: int, depth: int, value: int, kind: int, square: int, bucket: int, memory: int
) -> None:
    """Writes the entry; see the replacement above."""
    place = bucket
    is_here = load(memory, bucket) == own and load(memory, bucket + 1) == mask
    if not is_here and load(memory, bucket + 3) >> 10 > depth:
        place += ENTRY_WORDS
    store(memory, place, own)
    store(memory, place + 1, mask)
    store(memory, place + 2, value)
    store(memory, place + 3, depth << 10 | (square + 1) << 2 | kind)


@inlined
def _begin_line(distance: int, memory: int) -> None:
    store(load(memory, _PV), distance * load(memory, _PV_WIDTH), 0)


@inlined
def _keep_line(distance: int, square: int, memory: int) -> None:
    """See `control.keep_line`."""
    lines = load(memory, _PV)
    width = load(memory, _PV_WIDTH)
    row = distance * width
    length = load(lines, row + width)
    store(lines, row, length + 1)
    store(lines, row + 1, square)
    for i in range(length):
        store(lines, row + 2 + i, load(lines, row + width + 1 + i))


@inlined
def _must_stop(memory: int) -> bool:
    """See `control.must_stop`."""
    counters = load(memory, _COUNTERS)
    visited = load(counters, NODES)
    if (
        load(counters, STOPPED)
        or visited >= load(counters, NODE_LIMIT)
        or load_shared(load(memory, _STOP), 0)
        or load_shared(load(memory, _TIMER), 0)
    ):
        store(counters, STOPPED, 1)
        return True
    store(counters, NODES, visited + 1)
    return False


@inlined
def _estimate(own: int, opposing: int, side: int, shape: Shape) -> int:
    return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)


@inlined
def _best_leaf(
    own: int, mask: int, free: int, beta: int, distance: int, side: int, shape: Shape, memory: int
) -> int:
    """The best move of a state in which none wins, one ply before the end of the depth."""
    counters = load(memory, _COUNTERS)
    visited = load(counters, NODES)
    limit = load(counters, NODE_LIMIT)
    seen = 0
    estimated = 0
    best = -INFINITY
    best_move = 0
    opposing = own ^ mask
    for i in range(load(memory, _GROUPS)):
        left = free & load(load(memory, _ORDER), i)
        while left:
            move = left & -left
            left ^= move
            if visited + seen >= limit:
                store(counters, STOPPED, 1)
                return 0
            seen += 1
            if mask | move == shape[3]:
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
    _begin_line(distance + 1, memory)
    _keep_line(distance, lowest_index(best_move), memory)
    return best


@inlined
def _lost(distance: int, first: int, second: int, memory: int) -> int:
    """The value of losing with the second move from now, and the line that leads there."""
    _begin_line(distance + 2, memory)
    _keep_line(distance + 1, lowest_index(second), memory)
    _keep_line(distance, lowest_index(first), memory)
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
    groups = load(memory, _GROUPS)
    for i in range(groups):
        left = free & load(load(memory, _ORDER), i)
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
    if _must_stop(memory):
        return 0
    shape = _shape_of(memory)
    distance = popcount(mask) - load(memory, _ROOT_STONES)
    _begin_line(distance, memory)
    if mask == shape[3]:
        return 0
    free = moves(mask, shape)
    now = free & winning_squares(own, mask, shape)
    if now:
        _begin_line(distance + 1, memory)
        _keep_line(distance, lowest_index(now), memory)
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
    if shape[5]:
        safe = free & ~shift_right(threats, 1)
        if safe == 0:
            return _lost(distance, free & -free, (free & -free) << 1, memory)
        free = safe
    bucket = TABLE
    known = -1
    if depth > _SHALLOW:
        bucket = _bucket_of(own, mask, memory)
        place = _place_of(own, mask, bucket, memory)
        if place >= 0:
            value = load(memory, place + 2)
            about = load(memory, place + 3)
            known = (about >> 2 & 127) - 1
            # An exact value inside the window is searched again: its line is wanted as well.
            if about >> 10 == depth or value > DECIDED or value < -DECIDED:
                if about & _LOWER and value >= beta:
                    return value
                if about & _UPPER and value <= alpha:
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
            if floor < value < beta and not load(load(memory, _COUNTERS), STOPPED):
                value = -_search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        else:
            value = -_search(opposing, mask | move, depth - 1, -beta, -floor, -side, memory)
        if load(load(memory, _COUNTERS), STOPPED):
            return 0
        if value > best:
            best = value
            best_square = square
            if value >= beta:
                break
            if value > alpha:
                _keep_line(distance, square, memory)
    if best >= beta:
        heard = HISTORY + (SIDE_SQUARES if side < 0 else 0) + best_square
        store(memory, heard, min(load(memory, heard) + depth * depth, _RANK_OF_THREAT - 1))
    if depth > _SHALLOW:
        kind = (_LOWER if best > alpha else 0) | (_UPPER if best < beta else 0)
        _remember(own, mask, depth, best, kind, best_square, bucket, memory)
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
    An Analysis of Alpha-Beta Pruning, 1975, in its fail-soft form.) memory: zeros at first; see above.
    Where the side to move can win at once, or must answer a threat, that is seen without visiting a state.
    """
    pv[distance, 0] = 0
    opposing = own ^ mask
    if depth == 0 or has_line(opposing, shape) or mask == shape[3]:
        if counters[STOPPED] or counters[NODES] >= counters[NODE_LIMIT]:
            counters[STOPPED] = 1
            return 0
        counters[NODES] += 1
        if has_line(opposing, shape):
            return distance - WIN
        if mask == shape[3]:
            return 0
        counters[CUT] += 1
        return _estimate(own, opposing, side, shape)
    base = memory.ctypes.data
    memory[_STOP] = stop.ctypes.data
    memory[_TIMER] = timer.ctypes.data
    memory[_COUNTERS] = counters.ctypes.data
    memory[_PV] = pv.ctypes.data
    memory[_PV_WIDTH] = pv.shape[1]
    memory[_ROOT_STONES] = popcount(mask) - distance
    buckets = (len(memory) - TABLE) // BUCKET_WORDS
    shift = 64
    while buckets > 1:
        shift -= 1
        buckets >>= 1
    memory[_INDEX_SHIFT] = shift
    memory[_GROUPS] = len(order)
    memory[_ORDER] = order.ctypes.data
    for i in range(6):
        memory[_SHAPE + i] = shape[i]
    return _search(own, mask, depth, alpha, beta, side, base)
