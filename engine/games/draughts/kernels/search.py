"""Alpha-beta of draughts: a transposition table, the exact endings, and jumps searched on to their end.

The memory is that of `engine.kernels.transposition`. The words RULES of its context: the address of the
positions of the game since the last capture or man's move, followed by those of the line; their number before
the root; the address of the endings, or 0. A position that occurs again on the way counts as a draw; zeros
stand for those of the game that may occur again. Values are those of the side to move; a won game is worth
WIN less one per ply until then.
"""

from __future__ import annotations

from engine.games.draughts.kernels.endings import MOST_PIECES, value_of_ending
from engine.games.draughts.kernels.moves import (
    FIELD,
    KEY,
    NONE,
    NUMBER,
    generate,
    jumpers,
    kings_of,
    list_at,
    side_of,
)
from engine.kernels.blundering import PLAIN, is_unseen
from engine.kernels.control import (
    BLUNDER_RATES,
    INFINITY,
    RULES,
    SEED,
    begin_pv,
    has_stopped,
    must_stop,
    update_pv,
)
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.intrinsics import load, lowest_index, popcount, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.transposition import HISTORY, LOWER, SIDE_SQUARES, UPPER, bucket_of, place_of, remember

PATH, BEFORE, ENDINGS = RULES, RULES + 1, RULES + 2
LONGEST = 62
"""The longest line in plies."""
QUIET_PLIES = 80
_CENTRE = 1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 19 | 1 << 20 | 1 << 23 | 1 << 24
_GUARDS = (1 << 0 | 1 << 2, 1 << 32 | 1 << 34)
"""Squares 1 and 3, 30 and 32: two men there keep kings out."""
_HALVES = (FIELD & ~((1 << 18) - 1), (1 << 17) - 1)
SINGLE_JUMP, DOUBLE_JUMP = PLAIN // 2, 2 * PLAIN
"""How easily an inattentive player misses a jump; see `engine.kernels.blundering`."""


@inlined
def _worth(own: int, kings: int, side: int) -> int:
    men = own & ~kings
    crowned = own & kings
    value = 100 * popcount(men) + 140 * popcount(crowned)
    value += 3 * popcount(men & _CENTRE) + 5 * popcount(crowned & _CENTRE)
    value += 3 * popcount(men & _HALVES[side])
    if men & _GUARDS[side] == _GUARDS[side]:
        value += 12
    return value


@inlined
def evaluate(own: int, other: int, kings: int, side: int) -> int:
    """Return the estimate for the side to move; the side ahead likes exchanges."""
    lead = _worth(own, kings, side) - _worth(other, kings, 1 - side)
    return lead + lead // (popcount(own | other) + 2) + 3


@inlined
def _taken(other: int, one: int) -> int:
    """Return the number of pieces taken on the way to a position."""
    return popcount(other) - popcount(one & FIELD)


@inlined
def _moved_bit(own: int, two: int) -> int:
    """Return the bit of the piece that moved, at its place in the position after."""
    to = two & FIELD & ~own
    return to if to else own & -own


@inlined
def _is_missed(one: int, two: int, own: int, taken: int, after: int, ply: int, memory: int) -> bool:
    rates = load(memory, BLUNDER_RATES)
    if rates == 0:
        return False
    subtlety = PLAIN if taken == 0 else SINGLE_JUMP if taken == 1 else DOUBLE_JUMP
    return is_unseen(one, two, _moved_bit(own, after), load(rates, ply), subtlety, load(memory, SEED))


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64)")
def search(one: int, two: int, depth: int, alpha: int, beta: int, ply: int, since: int, memory: int) -> int:
    """Return the value of a position. since: the first position of the path that could occur again."""
    if must_stop(memory):
        return 0
    begin_pv(ply, memory)
    path = load(memory, PATH)
    here = load(memory, BEFORE) + ply
    own = one & FIELD
    other = two & FIELD
    kings = kings_of(one, two)
    side = side_of(two)
    endings = load(memory, ENDINGS)
    if endings and own and popcount(own | other) <= MOST_PIECES:  # the table has no ending of one side only
        byte = value_of_ending(endings, one, two)
        if byte == 0:
            return 0
        # The byte is 1 + the plies until the end; an even number of plies means that this side loses.
        return ply + byte - 1 - WIN if byte & 1 else WIN - ply - byte + 1
    # Two steps of each side are the shortest way back to a position.
    for earlier in range(here - 4, since - 1, -2):
        if load(path, 2 * earlier) == one and load(path, 2 * earlier + 1) == two:
            return 0
    store(path, 2 * here, one)
    store(path, 2 * here + 1, two)
    hint = NONE
    bucket = bucket_of(one, two, memory)
    known = place_of(one, two, bucket, memory)
    if known >= 0:
        about = load(memory, known + 3)
        hint = (about >> 2 & 255) - 1
        if about >> 10 >= depth:
            value = load(memory, known + 2)
            # The table counts a win's plies from the position, the search from the root.
            value -= ply if value > DECIDED else -ply if value < -DECIDED else 0
            kind = about & 3
            if kind == 0 or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                return value
    must_jump = jumpers(own, other, kings, side) != 0
    if (depth <= 0 and not must_jump) or ply >= LONGEST:
        return evaluate(own, other, kings, side)
    count = generate(one, two, hint, ply, memory)
    if count == 0:  # first, as in the rules: a blocked side loses even after QUIET_PLIES
        return ply - WIN
    if here - since >= QUIET_PLIES:
        return 0
    place = list_at(ply, memory)
    best = -INFINITY
    chosen = NONE
    floor = alpha
    below = depth if count == 1 else depth - 1  # a forced turn is free; LONGEST bounds such a line
    for index in range(count):
        child = load(place, 2 * index)
        after = load(place, 2 * index + 1)
        taken = _taken(other, child)
        if _is_missed(one, two, own, taken, after, ply, memory):
            continue
        # Only after a king's step can an earlier position come back.
        is_quiet = taken == 0 and (own & ~(after & FIELD)) & kings != 0
        start = since if is_quiet else here + 1
        value = floor + 1
        if index:
            value = -search(child, after & KEY, below, -floor - 1, -floor, ply + 1, start, memory)
        if value > floor:
            value = -search(child, after & KEY, below, -beta, -floor, ply + 1, start, memory)
        if has_stopped(memory):
            return 0
        if value > best:
            best = value
            chosen = after >> NUMBER & 63
            if value > floor:
                floor = value
                update_pv(ply, chosen, memory)
            if value >= beta:
                if not must_jump:  # jumps are ranked by the pieces they take, not by history
                    at = HISTORY + side * SIDE_SQUARES + lowest_index(_moved_bit(own, after))
                    store(memory, at, load(memory, at) + depth * depth)
                break
    if chosen == NONE:  # every turn was missed
        return evaluate(own, other, kings, side)
    kind = LOWER if best >= beta else UPPER if best <= alpha else 0
    kept = best + ply if best > DECIDED else best - ply if best < -DECIDED else best
    # At any depth below 1 only jumps are searched, so those depths are the same.
    remember(one, two, max(depth, 0), kept, kind, chosen, bucket, memory)
    return best
