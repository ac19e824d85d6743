"""Null-window search for Connect Four: one search, compiled for a fixed board or for any.

A search answers one question: is a position's score above alpha? `bounds` defines scores; `n` is the number
of stones, `squares` the number of squares. A win with the stone played at `n` is worth (squares + 1 - n) >>
1: the number of stones that player has left, this one included.

`context` is the address of an int64 array; the module `context` names its words.

Two threads may search the same position with one table. A thread defers a position that the other one is
searching, and later finds the result in the table (J.-C. Weill's ABDADA, 1996, in T. Kerrigan's simplified
form). A thread abandons a position that the other one has solved. Threads change the order of moves only,
never the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.games.connect_four.kernels.bounds import least_strategic_bound, static_bound, strategic_bound
from engine.games.connect_four.kernels.context import (
    ABOVE,
    ANSWERED,
    DEEP_TABLE,
    NODES,
    PATH,
    STOPPED,
    TABLE,
    busy_word,
    is_told_to_stop,
)
from engine.games.connect_four.kernels.move_ordering import (
    follow_forced,
    rank_of,
    score_range,
    wins_next_but_one,
)
from engine.kernels.intrinsics import load, load_shared, popcount, prefetch, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.lines import BOARD, BOTTOM, STRIDE, Shape, winning_squares

NullWindow = Callable[[int, int, int, int], int]


@inlined
def nothing_below(own: int, mask: int, alpha: int, context: int) -> int:  # noqa: ARG001
    """Placeholder for the search near the end of the game in a kernel for a single thread."""
    return STOPPED


# Number of squares before the end up to which a technique pays for its time; measured, no effect on scores.
_CHILDREN_PROBED_UNTIL = 14
_STORED_UNTIL = 8
_BOUNDED_UNTIL = 6
_SHARED_UNTIL = 22
"""Closer to the end, searching a position again is faster than deferring it to the other thread."""
_DEEP_UNTIL = 16
"""Closer to the end, each of two threads uses a table of its own."""


def null_window_kernel(
    board: str,
    *,
    board_of: Callable[[int], tuple[Shape, int, int]],
    column_at: Callable[[int, int, int], int],
    key_of: Callable[[int, int, int, int], int],
    slot_of: Callable[[int, int], int],
    find: Callable[[int, int, int], int],
    lower_of: Callable[[int], int],
    upper_of: Callable[[int], int],
    keep: Callable[[int, int, int, int, int, int], None],
    no_moves: Callable[[int, int], Any],
    inserted: Callable[[Any, int, int, int], Any],
    next_move: Callable[[Any, int], tuple[int, Any]],
    below: NullWindow = nothing_below,
) -> NullWindow:
    """Compile the search for one board, or for one representation of all boards.

        board: its name, for the cache of compiled code. below: in a search for two threads, the search for a
        single thread that takes over near the end of the game. All parts are `inlined`:

        - board_of(context): (shape, number of squares, number of columns)
        - column_at(i, stride, columns): the lowest square of the i-th column, from the edges inwards
        - key_of(own, mask, n, context): the position's key in the table
        - slot_of(key, context): the place of its bucket in the table
        - find(table, slot, key): its entry, 0 for none; lower_of(entry), upper_of(entry): the bounds in it
        - keep(table, slot, key, lower, upper, nodes): stores bounds that took `nodes` nodes

    and the list of a position's moves, in any representation:

        - no_moves(n, context): an empty list
        - inserted(moves, rank, move, context): with one more, the highest rank first, among equals the latest
        - next_move(moves, context): (the first, 0 for none; the rest)
    """

    is_shared = below is not nothing_below

    @inlined
    def table_of(n: int, context: int) -> int:
        """Return the address of the table for positions with `n` stones."""
        _, squares, _ = board_of(context)
        return load(context, TABLE if n < squares - _DEEP_UNTIL else DEEP_TABLE)

    @inlined
    def child_bound(own: int, mask: int, safe: int, alpha: int, n: int, context: int) -> int:
        """Return a value above alpha that the table has for one of the moves, else STOPPED."""
        table = table_of(n + 1, context)
        other = own ^ mask
        while safe:
            move = safe & -safe
            safe ^= move
            key = key_of(other, mask | move, n + 1, context)
            entry = find(table, slot_of(key, context), key)
            if entry and -upper_of(entry) > alpha:
                return -upper_of(entry)
        return STOPPED

    @inlined
    def ranked_moves(
        own: int, mask: int, safe: int, threats: int, alpha: int, n: int, context: int
    ) -> tuple[int, Any]:
        """Return (a value above alpha that needs no search, else STOPPED; the moves, the best first)."""
        shape, squares, columns = board_of(context)
        other = own ^ mask
        stride = shape[STRIDE]
        is_probed = n < squares - _CHILDREN_PROBED_UNTIL
        table_below = table_of(n + 1, context)
        moves = no_moves(n, context)
        for i in range(columns):
            move = safe & ((1 << (stride - 1)) - 1) << column_at(i, stride, columns)
            if move:
                after = mask | move
                own_threats = winning_squares(own | move, mask, shape)
                playable = (after + shape[BOTTOM]) & shape[BOARD]
                if wins_next_but_one(own_threats, playable):  # a double threat: no reply stops both
                    return (squares - 1 - n) >> 1, moves
                if is_probed:  # loads the entry into the cache before it is needed
                    prefetch(table_below, slot_of(key_of(other, after, n + 1, context), context))
                if alpha < -least_strategic_bound(shape) and n < squares - _BOUNDED_UNTIL:
                    bound = strategic_bound(other, after, own_threats, n + 1, shape)
                    if -bound > alpha:  # the other side's upper bound is our lower bound
                        return -bound, moves
                moves = inserted(moves, rank_of(own_threats, threats, playable), move, context)
        if is_probed:  # enhanced transposition cutoff: one child known to be bad enough for them is enough
            return child_bound(own, mask, safe, alpha, n, context), moves
        return STOPPED, moves

    @inlined
    def answer_of(lower: int, upper: int, alpha: int) -> int:
        """Return the bound that decides whether the score is above alpha; STOPPED if neither does."""
        if lower > alpha:
            return lower
        return upper if upper <= alpha else STOPPED

    @inlined
    def answer_in(table: int, key: int, alpha: int, context: int) -> int:
        """Return the table's answer to that question; STOPPED for none."""
        entry = find(table, slot_of(key, context), key)
        return answer_of(lower_of(entry), upper_of(entry), alpha) if entry else STOPPED

    @inlined
    def highest_answered(n: int, context: int) -> int:
        """Return the stones of the highest position on the line that the table decides; -1 for none."""
        path, table = load(context, PATH), load(context, TABLE)
        highest = -1
        while n >= 0:
            key = load(path, 3 * n)
            if answer_in(table, key, load(path, 3 * n + 1), context) != STOPPED:
                highest = n
            n = load(path, 3 * n + 2)
        return highest

    def null_window(own: int, mask: int, alpha: int, context: int) -> int:
        """Return a lower bound above alpha, or an upper bound that is at most alpha.

        The side to move must have no immediate win, and the board room for a stone. Returns STOPPED, which
        is above every score, when told to end.
        """
        shape, squares, _ = board_of(context)
        if is_shared and popcount(mask) >= squares - _SHARED_UNTIL:
            return below(own, mask, alpha, context)
        # Forced extension: moves without a choice are played at once, without a node or a table entry.
        value, own, mask, alpha, sign, safe, threats = follow_forced(own, mask, alpha, squares, shape)
        if value != STOPPED:
            return value
        n = popcount(mask)
        table = table_of(n, context)
        is_stored = n <= squares - _STORED_UNTIL  # nearer the end, searching costs less than storing
        key = 0
        slot = 0
        if is_stored:
            key = key_of(own, mask, n, context)
            slot = slot_of(key, context)
            prefetch(table, slot)
        nodes_before = load(context, NODES)
        if is_told_to_stop(nodes_before, context):
            return STOPPED
        store(context, NODES, nodes_before + 1)
        # A strategy that works against any reply bounds the score without search.
        value = static_bound(own, mask, threats, alpha, n, squares, shape)
        if value != STOPPED:
            return sign * value
        lower, upper = score_range(n, squares)
        if is_stored:
            entry = find(table, slot, key)
            if entry:
                lower = lower_of(entry)
                upper = upper_of(entry)
                value = answer_of(lower, upper, alpha)
                if value != STOPPED:
                    return sign * value
        value, moves = ranked_moves(own, mask, safe, threats, alpha, n, context)
        if value != STOPPED:
            return sign * value

        best = -STOPPED
        later = 0
        put_off = True
        if is_shared:
            path = load(context, PATH)
            store(path, 3 * n, key)
            store(path, 3 * n + 1, alpha)
            store(path, 3 * n + 2, load(context, ABOVE))
        move, moves = next_move(moves, context)
        while move:
            if is_shared:
                key_after = key_of(own ^ mask, mask | move, n + 1, context)
                word = busy_word(key_after, context)
                if put_off and best != -STOPPED and load_shared(word, 0) == key_after:
                    later |= move
                    move, moves = next_move(moves, context)
                    if move == 0:
                        put_off = False
                        move = later & -later
                        later ^= move
                    continue
                store(word, 0, key_after)
                store(context, ABOVE, n)
            value = -null_window(own ^ mask, mask | move, -alpha - 1, context)
            if is_shared:
                store(busy_word(key_of(own ^ mask, mask | move, n + 1, context), context), 0, 0)
            if value == -STOPPED and load(context, ANSWERED) == 0:
                return STOPPED
            if value > best:
                best = value
                if value > alpha:  # beta cutoff in a null window: the question is answered
                    break
            if is_shared:  # has the other thread solved this position, or one above it, in the meantime?
                highest = highest_answered(n, context)
                store(context, ANSWERED, 0)
                if highest == n:
                    store(context, ABOVE, load(load(context, PATH), 3 * n + 2))
                    return sign * answer_in(table, key, alpha, context)
                if highest >= 0:
                    store(context, ANSWERED, highest + 1)
                    return STOPPED
                if value == -STOPPED:  # solved, but no longer in the table
                    continue
            move, moves = next_move(moves, context)
            if move == 0:
                put_off = False
                move = later & -later
                later ^= move
        if is_shared:
            store(context, ABOVE, load(load(context, PATH), 3 * n + 2))
        if is_stored:
            if best > alpha:
                lower = max(lower, best)
            else:
                upper = min(upper, best)
            keep(table, slot, key, lower, upper, load(context, NODES) - nodes_before)
        return sign * best

    return kernel("int64(int64, int64, int64, int64)", board)(null_window)
