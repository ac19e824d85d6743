"""The memory of a search for k in a row, including its transposition table, in one array.

The array, `memory`, is of int64:

    0 .. 31      the search's context, see `control`; ROOT_STONES is the number of stones at the root,
                 INDEX_SHIFT the shift that turns a hash into the index of a bucket
    32 .. 159    history: how often a square refuted a line, for each side (64 squares a side)
    160 .. 8479  move lists of the states on the current line, 65 plies of 64 squares and 64 ranks
    8480 ..      the table: buckets of two entries of four words

The functions here take the array's address; an array as an argument would cost seven words.

An entry holds the stones of the side to move, all stones, a value, and
depth << 10 | (square + 1) << 2 | kind. The two boards are the complete key, so states never collide. The kind
says whether the value is exact, a lower or an upper bound, for exactly that depth. An entry of another depth
only proposes a move, unless it holds the value of a won or lost game: a deeper search cannot change that,
since a faster end would have been found. Replacement: the first entry of a bucket keeps the deepest state it
was offered, the second the latest of the others. A memory belongs to one root, because distances to a win are
counted from the root and estimates take its player's view.
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
    """Return an empty memory whose table has 2 ** table_bits buckets, table_bits >= 1."""
    memory = np.zeros(TABLE + (BUCKET_WORDS << table_bits), np.int64)
    memory[INDEX_SHIFT] = 64 - table_bits
    return memory


@inlined
def bucket_of(own: int, mask: int, memory: int) -> int:
    """Return the offset of the state's bucket of two entries in the memory."""
    mixed = own * _FACTOR ^ mask * _OTHER_FACTOR
    mixed ^= shift_right(mixed, 32)
    return TABLE + BUCKET_WORDS * shift_right(mixed * _FACTOR, load(memory, INDEX_SHIFT))


@inlined
def place_of(own: int, mask: int, bucket: int, memory: int) -> int:
    """Return the offset of the state's entry in the bucket; -1 if there is none."""
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
    """Write the entry; the module's docstring describes the replacement."""
    place = bucket
    is_here = load(memory, bucket) == own and load(memory, bucket + 1) == mask
    if not is_here and load(memory, bucket + 3) >> 10 > depth:
        place += ENTRY_WORDS
    store(memory, place, own)
    store(memory, place + 1, mask)
    store(memory, place + 2, value)
    store(memory, place + 3, depth << 10 | (square + 1) << 2 | kind)
