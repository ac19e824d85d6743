"""The memory block of one Othello search, and its transposition tables.

The block is an array of int64; kernels get its address. Words 0 to 15 are counters, flags and addresses, as
named below; then come the addresses of the weights, a move list per number of empty squares, and the features
of the pattern evaluation per number of empty squares.

There are two tables: a large one, and a small one for positions near the end of the game. Those are so many
that waiting for the memory of a large table costs more than losing some entries; the small one stays in the
processor's cache. (Richard Delorme's Edax also has a separate hash table for shallow depths.)

A table holds buckets of 64 bytes with two entries each. An entry has four words: both boards, each xor the
data, the data, and one unused word. An entry that two threads wrote at once then matches no position (R.
Hyatt and T. Mann, "A lockless transposition table implementation for parallel search", 2002). The data, from
the lowest bit:

    bits  0-7   lower bound + 64        bits 24-26  confidence, 0 to EXACT
    bits  8-15  upper bound + 64        bits 27-39  depth in plies, never more than the empty squares
    bits 16-23  best square, or 64      bits 40-47  generation of the search that wrote it

An entry is exact if its depth is the number of empty squares and its confidence EXACT: the search reached the
end of the game without selective cuts.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernels.intrinsics import load, load_shared, prefetch, shift_right, store
from engine.kernels.jit import inlined, kernel

(
    NODES,
    NODE_LIMIT,
    STOPPED,
    STOP_AT,
    TIMER_AT,
    TABLE_AT,
    TABLE_SHIFT,
    GENERATION,
    MARGINS_AT,
    BEST_SQUARE,
    BEST_VALUE,
    ROOT_MOVES,
    RANDOM,
    NEAR_AT,
    NEAR_SHIFT,
    BUSY_AT,
) = range(16)
"""The number of states and its limit; whether the search was stopped; addresses of its two stop flags, of the
large table and of the probcut margins; the root's results; the random state; the small table; the address of
BUSY_WORDS words shared by two threads with one large table, 0 for a single thread."""

BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS

WEIGHTS_AT = 16
"""From here on, two addresses of weights per number of empty squares: black's view, white's view."""
MOVES_AT = 144
MOVE_WORDS = 3
"""A move in a list: its square, the discs it turns, and its urgency in the move ordering."""
LIST_MOVES = 36
"""Enough for the 33 moves that a position can have."""
LIST_WORDS = LIST_MOVES * MOVE_WORDS
ROOT_LIST = 62
"""The list of the root's moves, separate from those of the numbers of empty squares."""
FEATURES_AT = MOVES_AT + 64 * LIST_WORDS
FEATURE_BYTES = 128
BLOCK_WORDS = FEATURES_AT + 64 * FEATURE_BYTES // 8

EXACT = 5
"""The confidence of a search without selective cuts."""
NO_SQUARE = 64

_BUCKET_BYTES = 64
_ENTRY_BYTES = 32
_DEPTH_SHIFT, _CONFIDENCE_SHIFT, _GENERATION_SHIFT = 27, 24, 40


def aligned_words(count: int) -> npt.NDArray[np.int64]:
    """Return zeros whose address is a multiple of 64 bytes."""
    raw = np.zeros(count + 8, np.int64)
    start = -raw.ctypes.data % 64 // 8
    return raw[start : start + count]


@inlined
def enter(c: int) -> bool:
    """Count one state; return False if the search must end instead."""
    if load(c, STOPPED):
        return False
    nodes = load(c, NODES)
    if nodes >= load(c, NODE_LIMIT) or load_shared(load(c, STOP_AT), 0) or load_shared(load(c, TIMER_AT), 0):
        store(c, STOPPED, 1)
        return False
    store(c, NODES, nodes + 1)
    return True


@inlined
def move_list(c: int, level: int) -> int:
    """Return the address of the move list of that level."""
    return c + 8 * (MOVES_AT + level * LIST_WORDS)


@inlined
def feature_row(c: int, count: int) -> int:
    """Return the address of the features of positions with `count` empty squares."""
    return c + 8 * FEATURES_AT + FEATURE_BYTES * count


@inlined
def put_move(moves: int, index: int, square: int, turned: int, urgency: int) -> None:
    store(moves, MOVE_WORDS * index, square)
    store(moves, MOVE_WORDS * index + 1, turned)
    store(moves, MOVE_WORDS * index + 2, urgency)


@inlined
def take_most_urgent(moves: int, count: int) -> tuple[int, int]:
    """Remove the most urgent of `count` moves, replacing it by the last: (its square, the turned discs)."""
    best = 0
    urgency = load(moves, 2)
    for i in range(1, count):
        other = load(moves, MOVE_WORDS * i + 2)
        if other > urgency:
            best, urgency = i, other
    square = load(moves, MOVE_WORDS * best)
    turned = load(moves, MOVE_WORDS * best + 1)
    last = MOVE_WORDS * (count - 1)
    put_move(moves, best, load(moves, last), load(moves, last + 1), load(moves, last + 2))
    return square, turned


@inlined
def _mixed(own: int, opposing: int) -> int:
    mixed = own * -7046029254386353131 ^ opposing * -4417276706812531889
    mixed ^= shift_right(mixed, 32)
    return mixed * -7046029288634856825


@inlined
def busy_key(own: int, opposing: int, depth: int) -> int:
    """Return the key of a search of that position to that depth, for the list of running searches."""
    return _mixed(own, opposing) + depth


@inlined
def busy_word(c: int, key: int) -> int:
    """Return the address of the word that holds the key while a thread runs that search."""
    return load(c, BUSY_AT) + 8 * shift_right(key, 64 - BUSY_BITS)


@inlined
def far_bucket(c: int, own: int, opposing: int) -> int:
    """Return the address of the position's bucket in the large table."""
    return load(c, TABLE_AT) + shift_right(_mixed(own, opposing), load(c, TABLE_SHIFT)) * _BUCKET_BYTES


@inlined
def near_bucket(c: int, own: int, opposing: int) -> int:
    """Return the address of the position's bucket in the small table, which stays in the CPU's cache."""
    return load(c, NEAR_AT) + shift_right(_mixed(own, opposing), load(c, NEAR_SHIFT)) * _BUCKET_BYTES


@inlined
def expect(c: int, own: int, opposing: int) -> None:
    """Prefetch the position's bucket, because it will be read soon."""
    prefetch(far_bucket(c, own, opposing), 0)


@inlined
def find_in(entry: int, own: int, opposing: int) -> int:
    """Return the data of a position in a bucket; 0 if there is none."""
    data = load(entry, 2)
    if load(entry, 0) ^ data == own and load(entry, 1) ^ data == opposing:
        return data
    entry += _ENTRY_BYTES
    data = load(entry, 2)
    if load(entry, 0) ^ data == own and load(entry, 1) ^ data == opposing:
        return data
    return 0


@inlined
def find(c: int, own: int, opposing: int) -> int:
    """Return the data of a position in the large table; 0 if there is none."""
    return find_in(far_bucket(c, own, opposing), own, opposing)


@inlined
def lower_bound(data: int) -> int:
    return (data & 255) - 64


@inlined
def upper_bound(data: int) -> int:
    return (data >> 8 & 255) - 64


@inlined
def best_square(data: int) -> int:
    return data >> 16 & 255


@inlined
def is_exact(data: int, count: int) -> bool:
    """Whether the bounds hold to the end of the game, with `count` squares empty."""
    return data >> _CONFIDENCE_SHIFT & 0xFFFF == count << 3 | EXACT


@inlined
def is_enough(data: int, depth: int, confidence: int) -> bool:
    """Whether the bounds come from a search of at least that depth and confidence."""
    return data >> _DEPTH_SHIFT & 0x1FFF >= depth and data >> _CONFIDENCE_SHIFT & 7 >= confidence


@inlined
def _worth(entry: int, generation: int) -> int:
    data = load(entry, 2)
    is_recent = data >> _GENERATION_SHIFT & 255 == generation
    return (data >> _CONFIDENCE_SHIFT & 0xFFFF) + (4096 if is_recent else 0)


@kernel("void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def remember_in(
    first: int,
    generation: int,
    own: int,
    opposing: int,
    depth: int,
    confidence: int,
    alpha: int,
    beta: int,
    value: int,
    square: int,
) -> None:
    """Store the result of a search with that window; deep entries of this search are replaced last."""
    second = first + _ENTRY_BYTES
    low, high = -64, 64
    if value < beta:
        high = value
    if value > alpha:
        low = value
    draft = depth << 3 | confidence
    data, other = load(first, 2), load(second, 2)
    is_first = load(first, 0) ^ data == own and load(first, 1) ^ data == opposing
    if is_first or (load(second, 0) ^ other == own and load(second, 1) ^ other == opposing):
        entry = first if is_first else second
        data = data if is_first else other
        if data >> _CONFIDENCE_SHIFT & 0xFFFF == draft:  # equal depth: the bounds of both searches hold
            low = max(low, min(lower_bound(data), high))
            high = min(high, max(upper_bound(data), low))
    else:
        entry = first if _worth(first, generation) <= _worth(second, generation) else second
    bounds = low + 64 | high + 64 << 8
    data = bounds | square << 16 | draft << _CONFIDENCE_SHIFT | generation << _GENERATION_SHIFT
    store(entry, 0, own ^ data)
    store(entry, 1, opposing ^ data)
    store(entry, 2, data)


@inlined
def remember(
    c: int,
    own: int,
    opposing: int,
    depth: int,
    confidence: int,
    alpha: int,
    beta: int,
    value: int,
    square: int,
) -> None:
    """As `remember_in`, in the large table."""
    bucket = far_bucket(c, own, opposing)
    remember_in(bucket, load(c, GENERATION), own, opposing, depth, confidence, alpha, beta, value, square)


@kernel("int64(int64, int64, int64)")
def stored(c: int, own: int, opposing: int) -> int:
    """As `find`, for Python."""
    return find(c, own, opposing)
