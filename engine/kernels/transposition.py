"""What a search of k in a row knows and learns, in one array, for its kernel to inline.

The array, `memory`, is of int64:

    0 .. 31      the search's context, see `control`; ROOT_STONES is how many stones the root has, INDEX_SHIFT
                 how far a hash is shifted to number a bucket
    32 .. 159    how often a square refuted a line, for each side (64 squares a side)
    160 .. 8479  room for the moves of each state on the way, 65 plies of 64 squares and 64 ranks
    8480 ..      the table: buckets of two entries of four words

Everything here gets the array's address alone: as an argument an array would cost seven words.

An entry holds the stones of the side to move, all stones, a value, and
depth << 10 | (square + 1) << 2 | kind. The two boards are the key, in full: no two states share an entry by
chance. The kind says whether the value is exact, a lower or an upper bound, for exactly that depth; an entry
of another depth only proposes a move, unless the value is a won or lost game's, which looking deeper cannot
change: a quicker end would have been seen. Replacement: the first entry of a bucket keeps the deepest state
it was offered, the second the latest of the others. A memory belongs to one root, since distances to a win
are counted from there, and which player's view the estimates take.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.control import CONTEXT_WORDS, INDEX_SHIFT
from engine.kernels.intrinsics import load, shift_right, store
from engine.kernels.jit import Words, inlined

HISTORY = CONTEXT_WORDS
SIDE_SQUARES = 64
LISTS = HISTORY + 2 * SIDE_SQUARES
LIST_WORDS = 128
TABLE = LISTS + 65 * LIST_WORDS
ENTRY_WORDS = 4
BUCKET_WORDS = 2 * ENTRY_WORDS

LOWER, UPPER = 1, 2

_FACTOR = 0x1E3779B97F4A7C15
_OTHER_FACTOR = 0x3BB67AE8584CAA73


def new_memory(table_bits: int) -> Words:
    """An empty memory whose table has 2 ** table_bits buckets, one bit at least."""
    memory = np.zeros(TABLE + (BUCKET_WORDS << table_bits), np.int64)
    memory[INDEX_SHIFT] = 64 - table_bits
    return memory


@inlined
def bucket_of(own: int, mask: int, memory: int) -> int:
    """Where in the memory the state's two entries lie."""
    mixed = own * _FACTOR ^ mask * _OTHER_FACTOR
    mixed ^= shift_right(mixed, 32)
    return TABLE + BUCKET_WORDS * shift_right(mixed * _FACTOR, load(memory, INDEX_SHIFT))


@inlined
def place_of(own: int, mask: int, bucket: int, memory: int) -> int:
    """The state's entry in the bucket; -1 where it has none."""
    if load(memory, bucket) == own and load(memory, bucket + 1) == mask:
        return bucket
    bucket += ENTRY_WORDS
    if load(memory, bucket) == own and load(memory, bucket + 1) == mask:
        return bucket
    return -1


@inlined
def remember(
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
