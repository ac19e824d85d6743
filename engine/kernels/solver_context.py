"""What the exact solvers of Connect Four find at the address they are given, an int64 array: names for it."""

from __future__ import annotations

from engine.kernels.bits import load, load_shared, store
from engine.kernels.jit import inlined

NODES, NODE_LIMIT, STOP_FLAG, TIMER_FLAG, TABLE, SHIFT = range(6)
"""Nodes so far; at how many to end; the addresses of both flags and of the table; 64 - log2 of its length."""
CONTEXT_WORDS = 8

STOPPED = 1000
"""Returned instead of a score when the search was told to end."""


@inlined
def is_told_to_stop(nodes: int, context: int) -> bool:
    """Whether the node limit is reached or, looked at every 256 nodes (20 microseconds), a flag raised."""
    if nodes & 255 == 0 and (
        load_shared(load(context, STOP_FLAG), 0) or load_shared(load(context, TIMER_FLAG), 0)
    ):
        store(context, NODE_LIMIT, 0)  # for all that is still to return
    return nodes >= load(context, NODE_LIMIT)
