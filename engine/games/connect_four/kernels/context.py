"""What the exact solvers of Connect Four find at the address they are given, an int64 array: names for it."""

from __future__ import annotations

from engine.kernels.intrinsics import load, load_shared, shift_right, store
from engine.kernels.jit import inlined

NODES, NODE_LIMIT, STOP_FLAG, TIMER_FLAG, TABLE, SHIFT = range(6)
"""Nodes so far; at how many to end; the addresses of both flags and of the table; 64 - log2 of its length."""
BUSY = 8
"""The address of BUSY_WORDS words that two threads with one table share; 0 for a thread alone."""
DEEP_TABLE = 9
"""The address of the table for positions with few empty squares, as long as the other; a thread alone has one
table for all, of two each has its own: they seldom meet there, and what both write costs each of them."""
PATH, ABOVE, ANSWERED = 10, 11, 12
"""For each of two threads: the address of PATH_WORDS words, three for each position on its way, by its number
of stones: key, alpha, and the stones of the one above; the stones of the lowest on the way; 1 + those of one
whose question the other thread has answered, so that all below is given up."""
PATH_WORDS = 3 * 64
CONTEXT_WORDS = 16
BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS

STOPPED = 1000
"""Returned instead of a score when the search was told to end."""

SCATTER = -7046029254386353131
"""2**64 divided by the golden ratio; Knuth, The Art of Computer Programming 3, 6.4: Fibonacci hashing."""


@inlined
def work_of(nodes: int) -> int:
    """0 to 7, more for more nodes: what a table entry keeps of the effort that went into it."""
    work = 0
    while nodes >= 6 and work < 7:
        nodes >>= 2
        work += 1
    return work


@inlined
def is_told_to_stop(nodes: int, context: int) -> bool:
    """Whether the node limit is reached or, looked at every 256 nodes (20 microseconds), a flag raised."""
    if nodes & 255 == 0 and (
        load_shared(load(context, STOP_FLAG), 0) or load_shared(load(context, TIMER_FLAG), 0)
    ):
        store(context, NODE_LIMIT, 0)  # for all that is still to return
    return nodes >= load(context, NODE_LIMIT)


@inlined
def busy_word(key: int, context: int) -> int:
    """The address of the word that holds the key while one of the threads searches that position."""
    return load(context, BUSY) + 8 * shift_right(key * SCATTER, 64 - BUSY_BITS)
