"""The memory of a search, including its transposition table, in one array.

The array, `memory`, is of int64:

    0 .. 31          the search's context, see `control`; ROOT_STONES is the number of stones at the root,
                     INDEX_SHIFT the shift that turns a hash into the index of a bucket, GENERATION the
                     number of searches that used the table before
    HISTORY ..       how often a move refuted a line, by side and square or by the move's code
    KILLERS ..       the codes of two quiet moves a ply that last refuted a line there
    LISTS ..         move lists of the states on the current line, LIST_WORDS a ply
    TABLE ..         the table: buckets of two entries of four words

The functions here take the array's address; an array as an argument would cost seven words.

An entry holds the two words of the state, a value, and
generation << 20 | depth << 10 | (code + 1) << 2 | kind. The two words are the complete key, so states never
collide. The kind says whether the value is exact, a lower or an upper bound. Replacement: the first entry of
a bucket keeps the deepest state that this generation offered, the second the latest of the others.
"""

from __future__ import annotations

import numpy as np

from engine.kernels.control import CONTEXT_WORDS, GENERATION, INDEX_SHIFT
from engine.kernels.intrinsics import load, shift_right, store
from engine.kernels.jit import Words, inlined

LONGEST = 126
"""The longest line in plies."""
CODES = 256
HISTORY = CONTEXT_WORDS
SIDE_SQUARES = 64
KILLERS = HISTORY + CODES
LIST_WORDS = 192
LISTS = KILLERS + 2 * (LONGEST + 2)
TABLE = LISTS + (LONGEST + 2) * LIST_WORDS
ENTRY_WORDS = 4
BUCKET_WORDS = 2 * ENTRY_WORDS

EXACT_DEPTH = 1000
"""The depth of values without any estimate; larger than that of any search."""
LOWER, UPPER = 1, 2
DEPTH_BITS = (1 << 10) - 1

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
    about = load(memory, GENERATION) << 10 | depth
    kept = shift_right(load(memory, bucket + 3), 10)
    if not is_here and kept > about:
        place += ENTRY_WORDS
    store(memory, place, own)
    store(memory, place + 1, mask)
    store(memory, place + 2, value)
    store(memory, place + 3, about << 10 | (square + 1) << 2 | kind)
