"""Kalah's search: alpha-beta with a transposition table for the seeds that are still to be stored.

A state is (own, theirs): the pits of the side to move and of the other, each in the order of sowing, PIT_BITS
a pit; its value does not depend on the seeds in the stores. The value is the difference between the seeds
that both sides will store from now on, for the side to move. It lies between less and plus all seeds in play,
which cuts off many lines (Irving, Donkers and Uiterwijk, "Solving Kalah", 2000, section 4).

The table is that of `engine.kernels.transposition`. An entry of depth EXACT contains no estimate.
"""

from __future__ import annotations

from engine.kernels.control import COUNTERS, CUT, INFINITY, has_stopped, must_stop
from engine.kernels.intrinsics import load, shift_right, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.transposition import LOWER, UPPER, bucket_of, place_of, remember

PIT_BITS = 7
EXACT = 1000
"""The depth of proved values in the table; larger than that of any search."""
_SIDE_BITS = 48
_PIT = (1 << PIT_BITS) - 1
_AGAIN, _KNOWN = 1 << 20, 1 << 30
"""Ranks of a move that gives another move, and of the table's move."""


@inlined
def _total(side: int) -> int:
    """Return the seeds in all pits of a side."""
    total = 0
    while side:
        total += side & _PIT
        side = shift_right(side, PIT_BITS)
    return total


@inlined
def _after(own: int, theirs: int, pit: int, pits: int) -> tuple[int, int, int, bool]:
    """Return the own pits, the other side's, the seeds stored, and whether the same side moves again."""
    seeds = shift_right(own, PIT_BITS * pit) & _PIT
    own -= seeds << PIT_BITS * pit
    gained = 0
    place = pit
    while seeds > 0:
        seeds -= 1
        place = 0 if place == 2 * pits else place + 1
        if place < pits:
            own += 1 << PIT_BITS * place
        elif place == pits:
            gained += 1
        else:
            theirs += 1 << PIT_BITS * (place - pits - 1)
    if place < pits and shift_right(own, PIT_BITS * place) & _PIT == 1:
        across = PIT_BITS * (pits - 1 - place)
        taken = shift_right(theirs, across) & _PIT
        own -= 1 << PIT_BITS * place
        theirs -= taken << across
        gained += 1 + taken
    return own, theirs, gained, place == pits


@inlined
def _estimate(own: int, theirs: int) -> int:
    """A quarter of the difference of the seeds on both sides."""
    return (_total(own) - _total(theirs)) // 4


@kernel("int64(int64, int64, int64, int64, int64, int64, int64)")
def search(own: int, theirs: int, pits: int, depth: int, alpha: int, beta: int, memory: int) -> int:
    """Return the value for the side to move, `depth` plies deep; moving again is a ply as well."""
    if must_stop(memory):
        return 0
    counters = load(memory, COUNTERS)
    if not own or not theirs:
        return _total(own) - _total(theirs)
    if depth <= 0:
        store(counters, CUT, load(counters, CUT) + 1)
        return _estimate(own, theirs)
    in_play = _total(own) + _total(theirs)
    if alpha >= in_play:
        return in_play
    if beta <= -in_play:
        return -in_play
    key = pits << _SIDE_BITS | own
    bucket = bucket_of(key, theirs, memory)
    place = place_of(key, theirs, bucket, memory)
    known = -1
    if place >= 0:
        packed = load(memory, place + 3)
        known = (packed >> 2 & 0xFF) - 1
        if packed >> 10 == depth or packed >> 10 == EXACT:
            value = load(memory, place + 2)
            kind = packed & 3
            if kind == 0 or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                if packed >> 10 != EXACT:
                    store(counters, CUT, load(counters, CUT) + 1)
                return value
    cut_before = load(counters, CUT)
    best = -INFINITY
    best_pit = -1
    floor = alpha
    left = own
    while left:
        # The likeliest of the pits that are left: the table's, then those that move again or gain most.
        chosen = -1
        chosen_rank = -1
        for pit in range(pits):
            if shift_right(left, PIT_BITS * pit) & _PIT:
                _, _, gained, again = _after(own, theirs, pit, pits)
                rank = (gained << 4) + pit + (_AGAIN if again else 0) + (_KNOWN if pit == known else 0)
                if rank > chosen_rank:
                    chosen = pit
                    chosen_rank = rank
        left &= ~(_PIT << PIT_BITS * chosen)
        mine, others, gained, again = _after(own, theirs, chosen, pits)
        if again:
            value = gained + search(mine, others, pits, depth - 1, floor - gained, beta - gained, memory)
        else:
            value = gained - search(others, mine, pits, depth - 1, gained - beta, gained - floor, memory)
        if has_stopped(memory):
            return 0
        if value > best:
            best = value
            best_pit = chosen
            floor = max(floor, value)
            if best >= beta:
                break
    if load(counters, CUT) == cut_before:
        depth = EXACT
    kind = UPPER if best <= alpha else LOWER if best >= beta else 0
    remember(key, theirs, depth, best, kind, best_pit, bucket, memory)
    return best
