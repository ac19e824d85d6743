"""Connect Four on 6 x 7, solved: the exact score of any position, by null-window searches.

The board is that of `board`, a score means what `bounds` says. `n` is the
number of stones on the board. A win with the stone played at `n` is worth (43 - n) >> 1: the player who has
this move has that many stones left, this one included.

`context` is the address of an int64 array; what stands in it is named in the module `context`.
"""

from __future__ import annotations

from engine.games.connect_four.kernels.board import BOARD, BOTTOM, COLUMN, FOUR, SQUARES
from engine.games.connect_four.kernels.bounds import least_strategic_bound, static_bound, strategic_bound
from engine.games.connect_four.kernels.context import NODES, STOPPED, TABLE, is_told_to_stop
from engine.games.connect_four.kernels.move_ordering import (
    Ranked,
    follow_forced,
    inserted,
    rank_of,
    score_range,
    wins_next_but_one,
)
from engine.games.connect_four.kernels.transposition import find, keep, key_of, lower_of, slot_of, upper_of
from engine.kernels.intrinsics import load, popcount, prefetch, store
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.lines import has_line, winning_squares

ILLEGAL = -1000
"""Returned instead of a score for a full column."""
UNKNOWN = -2000
"""Stands for the score of a column until it is found."""

MOST = 21
"""No score is higher: a win with the side's very first stone."""
LEAST = -MOST

LAST = SQUARES - 1
"""The number of stones before the last move."""

# Until how many stones (from how many) a means is worth its time: measured, and without influence on scores.
_CHILDREN_PROBED_UNTIL = 28
_STORED_UNTIL = 34
_BOUNDED_UNTIL = 36

# Moves of one side: what is decided within so many is looked for first; with few stones, within more.
_SOON = 4
_SOON_EARLY = 7
_EARLY = 15
_SOON_UNTIL = 29

_SQUARES = (1 << 49) - 1


@inlined
def _child_table_bound(own: int, mask: int, safe: int, alpha: int, n: int, context: int) -> int:
    """A value above alpha that the table promises for one of the moves, else STOPPED."""
    table = load(context, TABLE)
    other = own ^ mask
    while safe:
        move = safe & -safe
        safe ^= move
        key = key_of(other, mask | move, n + 1)
        entry = find(table, slot_of(key, context), key)
        if entry and -upper_of(entry) > alpha:
            return -upper_of(entry)
    return STOPPED


@inlined
def _rank_moves(
    own: int, mask: int, safe: int, threats: int, alpha: int, n: int, context: int
) -> tuple[int, Ranked]:
    """(a value above alpha that needs no search, else STOPPED; the moves, the most promising first)."""
    other = own ^ mask
    ranked = (0, 0, 0, 0, 0, 0, 0)
    for column in (0, 6, 1, 5, 2, 4, 3):
        move = safe & COLUMN << 7 * column
        if move:
            after = mask | move
            own_threats = winning_squares(own | move, mask, FOUR)
            playable = (after + BOTTOM) & BOARD
            if wins_next_but_one(own_threats, playable):
                return (41 - n) >> 1, ranked
            if n < _CHILDREN_PROBED_UNTIL:
                prefetch(load(context, TABLE), slot_of(key_of(other, after, n + 1), context))
            if alpha < -least_strategic_bound(FOUR) and n < _BOUNDED_UNTIL:
                bound = strategic_bound(other, after, own_threats, n + 1, FOUR)
                if -bound > alpha:
                    return -bound, ranked
            ranked = inserted(ranked, rank_of(own_threats, threats, playable) << 49 | move)
    if n < _CHILDREN_PROBED_UNTIL:
        return _child_table_bound(own, mask, safe, alpha, n, context), ranked
    return STOPPED, ranked


@kernel("int64(int64, int64, int64, int64)")
def compare(own: int, mask: int, alpha: int, context: int) -> int:
    """Is the score above alpha? A value above alpha is a lower bound of the score, another an upper one.

    The side to move must have no immediate win, and the board room for a stone. Returns STOPPED, above
    every score, when told to end.
    """
    value, own, mask, alpha, sign, safe, threats = follow_forced(own, mask, alpha, SQUARES, FOUR)
    if value != STOPPED:
        return value
    n = popcount(mask)
    table = load(context, TABLE)
    key = 0
    slot = 0
    if n <= _STORED_UNTIL:
        key = key_of(own, mask, n)
        slot = slot_of(key, context)
        prefetch(table, slot)
    nodes_before = load(context, NODES)
    if is_told_to_stop(nodes_before, context):
        return STOPPED
    store(context, NODES, nodes_before + 1)
    value = static_bound(own, mask, threats, alpha, n, SQUARES, FOUR)
    if value != STOPPED:
        return sign * value
    lower, upper = score_range(n, SQUARES)
    if n <= _STORED_UNTIL:
        entry = find(table, slot, key)
        if entry:
            lower = lower_of(entry)
            upper = upper_of(entry)
            if lower > alpha:
                return sign * lower
            if upper <= alpha:
                return sign * upper
    value, ranked = _rank_moves(own, mask, safe, threats, alpha, n, context)
    if value != STOPPED:
        return sign * value

    best = -STOPPED
    first, second, third, fourth, fifth, sixth, seventh = ranked
    while first:
        value = -compare(own ^ mask, mask | first & _SQUARES, -alpha - 1, context)
        if value == -STOPPED:
            return STOPPED
        if value > best:
            best = value
            if value > alpha:
                break
        first, second, third, fourth, fifth, sixth, seventh = second, third, fourth, fifth, sixth, seventh, 0
    if n <= _STORED_UNTIL:
        if best > alpha:
            lower = max(lower, best)
        else:
            upper = min(upper, best)
        keep(table, slot, key, lower, upper, load(context, NODES) - nodes_before)
    return sign * best


@inlined
def _wins_now(own: int, mask: int) -> bool:
    return (winning_squares(own, mask, FOUR) & (mask + BOTTOM)) != 0


@kernel("int64(int64, int64, int64, int64, int64)")
def _between(own: int, mask: int, low: int, high: int, context: int) -> int:
    """The score of a position without an immediate win, known to be low at least and high at most."""
    n = popcount(mask)
    if n < _SOON_UNTIL:
        # Is it decided soon? That takes a shallow search, since lines too long for it are cut.
        soon = _SOON_EARLY if n < _EARLY else _SOON
        for near in (((41 - n) >> 1) - soon, soon - ((42 - n) >> 1)):
            if low <= near < high:
                value = compare(own, mask, near, context)
                if value == STOPPED:
                    return STOPPED
                if value <= near:
                    high = value
                else:
                    low = value
    part = 2 if n < _EARLY else 3
    while low < high:
        # Who wins, if anyone, is asked first: it says most, and costs least. Then the scores nearer to 0,
        # which are more frequent; a short part of the way leaves little to the dear ones beyond.
        if low <= 0 < high:
            middle = 0
        elif low <= -1 < high:
            middle = -1
        elif low > 0:
            middle = low + ((high - low) >> part)
        else:
            middle = high - 1 - ((high - 1 - low) >> part)
        value = compare(own, mask, middle, context)
        if value == STOPPED:
            return STOPPED
        if value <= middle:
            high = value
        else:
            low = value
    return low


@kernel("int64(int64, int64, int64, int64)")
def solve(own: int, mask: int, least: int, context: int) -> int:
    """The score of a position that is not won yet, for the side to move; STOPPED when told to end.

    least: a score that the position is known to reach, such as that of a position before it; LEAST if none.
    """
    n = popcount(mask)
    if n > LAST:
        return 0
    if _wins_now(own, mask):
        return (43 - n) >> 1
    low = -((42 - n) >> 1)
    if least >= low:  # often it is no more than that, so that one search settles it
        low = compare(own, mask, least, context)
        if low <= least or low == STOPPED:
            return max(low, least)
    return _between(own, mask, low, (41 - n) >> 1, context)


@kernel("void(int64, int64, int64, int64, int64[::1])")
def analyze(own: int, mask: int, most: int, context: int, scores: Words) -> None:
    """Writes each column's score for the side to move: ILLEGAL when full, STOPPED when told to end.

    most: a score that no column exceeds, such as the position's own where that is known. Only columns whose
    score is UNKNOWN before are looked at.
    """
    n = popcount(mask)
    for column in range(7):
        if scores[column] != UNKNOWN:
            continue
        move = (mask + (1 << 7 * column)) & COLUMN << 7 * column
        if move == 0:
            scores[column] = ILLEGAL
        elif has_line(own | move, FOUR):
            scores[column] = (43 - n) >> 1
        elif n == LAST:
            scores[column] = 0
        elif _wins_now(own ^ mask, mask | move):
            scores[column] = -((42 - n) >> 1)
        else:
            least = max(-most, -((41 - n) >> 1))
            score = _between(own ^ mask, mask | move, least, (40 - n) >> 1, context)
            scores[column] = score if score == STOPPED else -score


@kernel("int64(int64, int64, int64, int64)")
def best_column(own: int, mask: int, score: int, context: int) -> int:
    """The most central column that keeps the position's `score`; STOPPED when told to end."""
    n = popcount(mask)
    for column in (3, 2, 4, 1, 5, 0, 6):
        move = (mask + (1 << 7 * column)) & COLUMN << 7 * column
        if move == 0:
            continue
        after = mask | move
        if has_line(own | move, FOUR):
            return column
        if _wins_now(own ^ mask, after):
            if -((42 - n) >> 1) == score:
                return column
        elif n == LAST:
            return column
        else:
            value = compare(own ^ mask, after, -score, context)
            if value == STOPPED:
                return STOPPED
            if -value >= score:
                return column
    return STOPPED
