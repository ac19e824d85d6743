"""Connect Four solved by null-window searches: one search, compiled for a board known beforehand or for any.

A search asks one question, whether a position's score is above alpha. A score means what `bounds` says; `n`
is the number of stones, `squares` how many the board has. A win with the stone played at `n` is worth
(squares + 1 - n) >> 1: the player who has this move has that many stones left, this one included.

`context` is the address of an int64 array; what stands in it is named in the module `context`.

Two threads may search the same position with one table. What one is just searching, the other leaves for
later, and finds it in the table then (J.-C. Weill's ABDADA, 1996, in T. Kerrigan's simple form). The order of
moves is all that this changes, never what an answer says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.games.connect_four.kernels.bounds import least_strategic_bound, static_bound, strategic_bound
from engine.games.connect_four.kernels.context import (
    BUSY,
    NODES,
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

# So many squares before the end a means stops to be worth its time; measured, without influence on scores.
_CHILDREN_PROBED_UNTIL = 14
_STORED_UNTIL = 8
_BOUNDED_UNTIL = 6
_SHARED_UNTIL = 20
"""So many squares before the end, too, what another thread searches is done sooner than it is put off."""


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
) -> NullWindow:
    """The search for one board, or for one way to hold any, compiled.

    board: its name, for the cache of compiled code. All parts are `inlined`:

    - board_of(context): the shape, how many squares it has, how many columns
    - column_at(i, stride, columns): the lowest square of the i-th column to look at, from the edges inwards
    - key_of(own, mask, n, context): the table's name of a position
    - slot_of(key, context): where the table may hold it
    - find(table, slot, key): its entry, 0 for none; lower_of(entry), upper_of(entry): the bounds in it
    - keep(table, slot, key, lower, upper, nodes): enters them, which took so many nodes

    and for the moves of a position, listed in whatever form serves:

    - no_moves(n, context): an empty list
    - inserted(moves, rank, move, context): with one more, the highest rank first, of equals the latest
    - next_move(moves, context): (the first, 0 for none; the rest)
    """

    @inlined
    def child_bound(own: int, mask: int, safe: int, alpha: int, n: int, context: int) -> int:
        """A value above alpha that the table promises for one of the moves, else STOPPED."""
        table = load(context, TABLE)
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
        """(a value above alpha that needs no search, else STOPPED; the moves, the most promising first)."""
        shape, squares, columns = board_of(context)
        other = own ^ mask
        stride = shape[STRIDE]
        is_probed = n < squares - _CHILDREN_PROBED_UNTIL
        moves = no_moves(n, context)
        for i in range(columns):
            move = safe & ((1 << (stride - 1)) - 1) << column_at(i, stride, columns)
            if move:
                after = mask | move
                own_threats = winning_squares(own | move, mask, shape)
                playable = (after + shape[BOTTOM]) & shape[BOARD]
                if wins_next_but_one(own_threats, playable):  # a double threat: no reply stops both
                    return (squares - 1 - n) >> 1, moves
                if is_probed:  # by the time it is asked for, the entry has come from memory
                    prefetch(load(context, TABLE), slot_of(key_of(other, after, n + 1, context), context))
                if alpha < -least_strategic_bound(shape) and n < squares - _BOUNDED_UNTIL:
                    bound = strategic_bound(other, after, own_threats, n + 1, shape)
                    if -bound > alpha:  # the other side's strategy bound is a lower bound of ours
                        return -bound, moves
                moves = inserted(moves, rank_of(own_threats, threats, playable), move, context)
        if is_probed:  # enhanced transposition cutoff: one child known to be bad enough for them settles it
            return child_bound(own, mask, safe, alpha, n, context), moves
        return STOPPED, moves

    def null_window(own: int, mask: int, alpha: int, context: int) -> int:
        """Is the score above alpha? A value above alpha is a lower bound of the score, another an upper one.

        The side to move must have no immediate win, and the board room for a stone. Returns STOPPED, above
        every score, when told to end.
        """
        shape, squares, _ = board_of(context)
        # Forced extension: moves without a choice are played at once, without a node or a table entry.
        value, own, mask, alpha, sign, safe, threats = follow_forced(own, mask, alpha, squares, shape)
        if value != STOPPED:
            return value
        n = popcount(mask)
        table = load(context, TABLE)
        is_stored = n <= squares - _STORED_UNTIL  # nearer the end searching costs less than remembering
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
        # A strategy that holds whatever the other side does bounds the score without looking ahead.
        value = static_bound(own, mask, threats, alpha, n, squares, shape)
        if value != STOPPED:
            return sign * value
        lower, upper = score_range(n, squares)
        if is_stored:
            entry = find(table, slot, key)
            if entry:
                lower = lower_of(entry)
                upper = upper_of(entry)
                if lower > alpha:
                    return sign * lower
                if upper <= alpha:
                    return sign * upper
        value, moves = ranked_moves(own, mask, safe, threats, alpha, n, context)
        if value != STOPPED:
            return sign * value

        is_shared = load(context, BUSY) != 0 and n < squares - _SHARED_UNTIL
        best = -STOPPED
        later = 0
        put_off = True
        move, moves = next_move(moves, context)
        while move:
            word = 0
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
            value = -null_window(own ^ mask, mask | move, -alpha - 1, context)
            if is_shared:
                store(word, 0, 0)
            if value == -STOPPED:
                return STOPPED
            if value > best:
                best = value
                if value > alpha:  # the question is answered; by how much does not matter
                    break
            move, moves = next_move(moves, context)
            if move == 0:
                put_off = False
                move = later & -later
                later ^= move
        if is_stored:
            if best > alpha:
                lower = max(lower, best)
            else:
                upper = min(upper, best)
            keep(table, slot, key, lower, upper, load(context, NODES) - nodes_before)
        return sign * best

    return kernel("int64(int64, int64, int64, int64)", board)(null_window)
