"""What searches and their kernels tell each other while one runs: `counters` and the two flags.

`counters` is an int64 array: NODES states visited so far; at NODE_LIMIT the search ends; CUT counts the
states whose value was estimated because the depth ran out; STOPPED is 1 once the search has ended early,
and its value means nothing.
"""

from __future__ import annotations

from engine.kernels.intrinsics import is_raised
from engine.kernels.jit import Words, inlined

NODES, NODE_LIMIT, CUT, STOPPED = range(4)
COUNTERS = 4
NO_LIMIT = 2**62
INFINITY = 2**40
"""Beyond every value of a state."""


@inlined
def must_stop(counters: Words, stop: Words, timer: Words) -> bool:
    """Counts one state, or says that there is no time for it."""
    if counters[STOPPED]:
        return True
    if counters[NODES] >= counters[NODE_LIMIT] or is_raised(stop) or is_raised(timer):
        counters[STOPPED] = 1
        return True
    counters[NODES] += 1
    return False


@inlined
def keep_line(pv: Words, distance: int, square: int) -> None:
    """Makes `square`, followed by the best line found one ply on, the best line of this ply.

    Row d of `pv` holds the length of the line from ply d, then its squares.
    """
    length = pv[distance + 1, 0]
    pv[distance, 0] = length + 1
    pv[distance, 1] = square
    for i in range(length):
        pv[distance, 2 + i] = pv[distance + 1, 1 + i]
