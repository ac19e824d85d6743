"""Communication between a search and its kernels: the context, the counters, the two stop flags.

Everything that stays the same during a search is in one array of int64, its context; kernels get the array's
address:

    0  STOP      address of the caller's flag            6  ORDER        address of the groups of squares
    1  TIMER     address of the clock's flag             7  BLUNDER_RATES  their address, or 0
    2  COUNTERS  address of the counters                 8  SEED         of what is overlooked
    3  PV        address of the principal variations     9  PRUNES       1: alpha-beta, 0: minimax
    4  PV_WIDTH  words per row of them                  10  ROOT_STONES  \
    5  GROUPS    the number of groups of squares        11  INDEX_SHIFT  /  see `transposition`
    12  GENERATION   how many searches used the table before; see `transposition`
    13  REDUCES      1: late quiet moves are searched less deep, see `game_search`
    14  PATH         address of the positions from the last irreversible move on; 15  BEFORE: their number
    16 .. 21     the rules: six words of the game's own, see its kernels

The counters: NODES, the states visited; NODE_LIMIT, where the search ends; CUT, the states whose value was
estimated because the depth ran out; STOPPED, 1 once the search has ended early, which makes its value
meaningless.

Row d of the principal variations holds the length of the best line from ply d on, then its squares.
"""

from __future__ import annotations

from engine.kernels.intrinsics import load, load_shared, store
from engine.kernels.jit import inlined

STOP, TIMER, COUNTERS, PV, PV_WIDTH, GROUPS, ORDER, BLUNDER_RATES, SEED, PRUNES = range(10)
ROOT_STONES, INDEX_SHIFT, GENERATION, REDUCES, PATH, BEFORE = range(10, 16)
RULES = 16
CONTEXT_WORDS = 32

Rules = tuple[int, int, int, int, int, int]

NODES, NODE_LIMIT, CUT, STOPPED = range(4)
COUNTER_WORDS = 4
NO_LIMIT = 2**62

INFINITY = 2**40
"""Larger than the value of any state."""
PASS = 64
"""The pseudo-square of a pass in lines of play."""


@inlined
def rules_of(context: int) -> Rules:
    return (
        load(context, RULES),
        load(context, RULES + 1),
        load(context, RULES + 2),
        load(context, RULES + 3),
        load(context, RULES + 4),
        load(context, RULES + 5),
    )


@inlined
def must_stop(context: int) -> bool:
    """Count one state; return whether the search must end instead."""
    counters = load(context, COUNTERS)
    visited = load(counters, NODES)
    if (
        load(counters, STOPPED)
        or visited >= load(counters, NODE_LIMIT)
        or load_shared(load(context, STOP), 0)
        or load_shared(load(context, TIMER), 0)
    ):
        store(counters, STOPPED, 1)
        return True
    store(counters, NODES, visited + 1)
    return False


@inlined
def has_stopped(context: int) -> bool:
    return load(load(context, COUNTERS), STOPPED) != 0


@inlined
def begin_pv(distance: int, context: int) -> None:
    """Clear the line of this ply."""
    store(load(context, PV), distance * load(context, PV_WIDTH), 0)


@inlined
def update_pv(distance: int, square: int, context: int) -> None:
    """Set the best line of this ply: `square`, followed by the best line of the next ply."""
    width = load(context, PV_WIDTH)
    row = load(context, PV) + 8 * distance * width
    length = load(row, width)
    store(row, 0, length + 1)
    store(row, 1, square)
    for i in range(length):
        store(row, 2 + i, load(row, width + 1 + i))
