"""The int64 array shared by the exact solvers of Connect Four and Python: the names of its words."""

from __future__ import annotations

from engine.kernels.intrinsics import load, load_shared, shift_right, store
from engine.kernels.jit import inlined

NODES, NODE_LIMIT, STOP_FLAG, TIMER_FLAG, TABLE, SHIFT = range(6)
"""Nodes so far; the limit; the addresses of both flags and of the table; 64 - log2 of the table's length."""
BUSY = 8
"""The address of BUSY_WORDS words shared by two threads with one table; 0 for a single thread."""
DEEP_TABLE = 9
"""The address of the table for positions with few empty squares, as long as the other one. A single thread
uses one table for both. Two threads each have their own: shared entries rarely help there, and writes to
shared memory slow both threads down."""
PATH, ABOVE, ANSWERED = 10, 11, 12
"""For each of two threads: the address of PATH_WORDS words, three per position of the current line, indexed
by the number of stones: key, alpha, stones of the parent position; the number of stones of the deepest
position; 1 + the stones of a position that the other thread has solved, so that everything below it is
abandoned."""
PATH_WORDS = 3 * 64
CONTEXT_WORDS = 16
BUSY_BITS = 12
BUSY_WORDS = 1 << BUSY_BITS

STOPPED = 1000
"""Returned instead of a score by a search that was told to end."""

SCATTER = -7046029254386353131
"""2**64 divided by the golden ratio, for Fibonacci hashing (Knuth, The Art of Computer Programming 3,
6.4)."""


@inlined
def work_of(nodes: int) -> int:
    """Return 0 to 7, more for more nodes: the search effort as stored in a table entry."""
    work = 0
    while nodes >= 6 and work < 7:
        nodes >>= 2
        work += 1
    return work


@inlined
def is_told_to_stop(nodes: int, context: int) -> bool:
    """Whether the node limit is reached or a flag raised; flags are polled every 256 nodes (20 µs)."""
    if nodes & 255 == 0 and (
        load_shared(load(context, STOP_FLAG), 0) or load_shared(load(context, TIMER_FLAG), 0)
    ):
        store(context, NODE_LIMIT, 0)  # so that every caller up the stack stops as well
    return nodes >= load(context, NODE_LIMIT)


@inlined
def busy_word(key: int, context: int) -> int:
    """Return the address of the word that holds the key while a thread searches that position."""
    return load(context, BUSY) + 8 * shift_right(key * SCATTER, 64 - BUSY_BITS)
