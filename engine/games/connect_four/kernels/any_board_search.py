"""Connect Four on any board: whether a position's score is above a bound, as exactly as on 6 x 7.

The same search as in `exact_search`, whose comments explain it, with the board as a value
instead of a constant. Boards and shapes are those of `engine.kernels.lines`; `n` is the number of stones,
`squares` how many there are. A win with the stone played at `n` is worth (squares + 1 - n) >> 1: the player
who has this move has that many stones left, this one included.

`context` is the address of an int64 array:

    0 .. 5       as in `engine.games.connect_four.kernels.context`
    6, 7         the numbers of squares and of columns
    16 .. 21     the shape
    24 ..        room for the moves of each state on the way, 32 words a ply, as rank << 6 | square

The table holds two words an entry, two entries side by side: the key, and

    16 .. 10 lower    9 .. 3 upper    2 .. 0 work       bounds are stored + 64

The key, own + mask + bottom, tells positions apart and is never 0: in each column it has a bit right above
the highest stone, and below that bit the own stones.
"""

from __future__ import annotations

from engine.games.connect_four.kernels.bounds import least_strategic_bound, static_bound, strategic_bound
from engine.games.connect_four.kernels.context import (
    NODES,
    SCATTER,
    SHIFT,
    STOPPED,
    TABLE,
    is_told_to_stop,
    work_of,
)
from engine.games.connect_four.kernels.move_ordering import (
    follow_forced,
    rank_of,
    score_range,
    wins_next_but_one,
)
from engine.kernels.intrinsics import load, lowest_index, popcount, prefetch, shift_right, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.lines import BOARD, BOTTOM, STRIDE, Shape, shape_of, winning_squares

SQUARES, COLUMNS = 6, 7
_LISTS = 24
_LIST_WORDS = 32
CONTEXT_WORDS = _LISTS + 65 * _LIST_WORDS
ENTRY_WORDS = 2

# So many squares before the end a means stops, or begins, to be worth its time.
_CHILDREN_PROBED_UNTIL = 14
_STORED_UNTIL = 8
_BOUNDED_UNTIL = 6

_OFFSET = 64


@inlined
def _mirrored(bits: int, shape: Shape, columns: int) -> int:
    """The board, or a sum of boards, with its columns in reverse order."""
    stride = shape[STRIDE]
    column = (1 << stride) - 1
    image = 0
    for _ in range(columns):
        image = image << stride | bits & column
        bits = shift_right(bits, stride)
    return image


@inlined
def _key(own: int, mask: int, n: int, shape: Shape, context: int) -> int:
    """The table's name of a position; in the first half of the game a mirrored one shares it."""
    key = own + mask + shape[BOTTOM]
    if 2 * n < load(context, SQUARES):
        key = min(key, _mirrored(key, shape, load(context, COLUMNS)))
    return key


@inlined
def _slot(key: int, context: int) -> int:
    """Where in the table the first of the key's two entries lies."""
    return 2 * ENTRY_WORDS * shift_right(key * SCATTER, load(context, SHIFT) + 1)


@inlined
def _find(table: int, slot: int, key: int) -> int:
    """What is known of the key, or 0."""
    if load(table, slot) == key:
        return load(table, slot + 1)
    if load(table, slot + 2) == key:
        return load(table, slot + 3)
    return 0


@inlined
def _lower(entry: int) -> int:
    return (entry >> 10) - _OFFSET


@inlined
def _upper(entry: int) -> int:
    return (entry >> 3 & 127) - _OFFSET


@inlined
def _keep(table: int, slot: int, key: int, lower: int, upper: int, nodes: int) -> None:
    """Enters the bounds: in the first place if that is ours or took less work, else in the second."""
    work = work_of(nodes)
    entry = (lower + _OFFSET) << 10 | (upper + _OFFSET) << 3 | work
    if load(table, slot) == key or work >= load(table, slot + 1) & 7:
        if load(table, slot) != key and load(table, slot + 2) == key:
            store(table, slot + 2, 0)  # never two entries of one key
        store(table, slot, key)
        store(table, slot + 1, entry)
    else:
        store(table, slot + 2, key)
        store(table, slot + 3, entry)


@inlined
def _list_moves(
    own: int, mask: int, safe: int, threats: int, alpha: int, n: int, shape: Shape, context: int
) -> tuple[int, int]:
    """Writes the moves into this ply's room, the most promising first.

    Returns (a value above alpha that needs no search, else STOPPED; how many moves).
    """
    other = own ^ mask
    squares = load(context, SQUARES)
    columns = load(context, COLUMNS)
    table = load(context, TABLE)
    stride = shape[STRIDE]
    is_probed = n < squares - _CHILDREN_PROBED_UNTIL
    room = _LISTS + _LIST_WORDS * n
    count = 0
    for i in range(columns):
        column = columns - 1 - (i >> 1) if i & 1 else i >> 1  # from the edges to the middle
        move = safe & ((1 << (stride - 1)) - 1) << stride * column
        if move:
            after = mask | move
            own_threats = winning_squares(own | move, mask, shape)
            playable = (after + shape[BOTTOM]) & shape[BOARD]
            if wins_next_but_one(own_threats, playable):
                return (squares - 1 - n) >> 1, count
            if is_probed:
                prefetch(table, _slot(_key(other, after, n + 1, shape, context), context))
            if alpha < -least_strategic_bound(shape) and n < squares - _BOUNDED_UNTIL:
                bound = strategic_bound(other, after, own_threats, n + 1, shape)
                if -bound > alpha:
                    return -bound, count
            entry = rank_of(own_threats, threats, playable) << 6 | lowest_index(move)
            place = room + count
            while place > room and load(context, place - 1) >> 6 <= entry >> 6:
                store(context, place, load(context, place - 1))
                place -= 1
            store(context, place, entry)
            count += 1
    if is_probed:
        for i in range(count):
            move = 1 << (load(context, room + i) & 63)
            key = _key(other, mask | move, n + 1, shape, context)
            known = _find(table, _slot(key, context), key)
            if known and -_upper(known) > alpha:
                return -_upper(known), count
    return STOPPED, count


@kernel("int64(int64, int64, int64, int64)")
def compare(own: int, mask: int, alpha: int, context: int) -> int:
    """Is the score above alpha? A value above alpha is a lower bound of the score, another an upper one.

    The side to move must have no immediate win, and the board room for a stone. Returns STOPPED, above
    every score, when told to end.
    """
    shape = shape_of(context)
    squares = load(context, SQUARES)
    value, own, mask, alpha, sign, safe, threats = follow_forced(own, mask, alpha, squares, shape)
    if value != STOPPED:
        return value
    n = popcount(mask)
    table = load(context, TABLE)
    is_stored = n <= squares - _STORED_UNTIL
    key = 0
    slot = 0
    if is_stored:
        key = _key(own, mask, n, shape, context)
        slot = _slot(key, context)
        prefetch(table, slot)
    nodes_before = load(context, NODES)
    if is_told_to_stop(nodes_before, context):
        return STOPPED
    store(context, NODES, nodes_before + 1)
    value = static_bound(own, mask, threats, alpha, n, squares, shape)
    if value != STOPPED:
        return sign * value
    lower, upper = score_range(n, squares)
    if is_stored:
        entry = _find(table, slot, key)
        if entry:
            lower = _lower(entry)
            upper = _upper(entry)
            if lower > alpha:
                return sign * lower
            if upper <= alpha:
                return sign * upper
    value, count = _list_moves(own, mask, safe, threats, alpha, n, shape, context)
    if value != STOPPED:
        return sign * value

    best = -STOPPED
    room = _LISTS + _LIST_WORDS * n
    for i in range(count):
        move = 1 << (load(context, room + i) & 63)
        value = -compare(own ^ mask, mask | move, -alpha - 1, context)
        if value == -STOPPED:
            return STOPPED
        if value > best:
            best = value
            if value > alpha:
                break
    if is_stored:
        if best > alpha:
            lower = max(lower, best)
        else:
            upper = min(upper, best)
        _keep(table, slot, key, lower, upper, load(context, NODES) - nodes_before)
    return sign * best
