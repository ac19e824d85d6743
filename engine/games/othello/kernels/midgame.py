"""Othello's middle game: principal variation search to a depth with the pattern evaluation.

Boards, empties, parity and values are as in `last_squares`; `colour` is 0 if black is to move, 1 for white.
The features of the position must be in the row of its number of empty squares before it is searched.

`confidence` 0 to EXACT controls selectivity: a move whose shallow search is outside the window by a margin is
not searched deeply (Michael Buro, "ProbCut: An Effective Selective Extension of the Alpha-Beta Algorithm",
1995, and multi-ProbCut, 1997). The margins come from `multi_probcut`; EXACT never cuts. A depth of at least
the number of empty squares searches to the end of the game; with at most END_SQUARES empty squares, `endgame`
does so exactly.

Two threads may search the same position with one large table. A thread defers a position that the other one
is searching, and later finds the result in the table (J.-C. Weill's ABDADA, 1996, in T. Kerrigan's simplified
form).
"""

from __future__ import annotations

from engine.games.othello.kernels.context import (
    BEST_SQUARE,
    BEST_VALUE,
    BUSY_AT,
    EXACT,
    MARGINS_AT,
    MOVE_WORDS,
    NO_SQUARE,
    ROOT_LIST,
    ROOT_MOVES,
    STOPPED,
    best_square,
    busy_key,
    busy_word,
    enter,
    expect,
    feature_row,
    find,
    is_enough,
    lower_bound,
    move_list,
    put_move,
    remember,
    take_most_urgent,
    upper_bound,
)
from engine.games.othello.kernels.endgame import (
    WINNING_MOVE,
    corners_and_base,
    is_above,
    solve,
    stability_bound,
)
from engine.games.othello.kernels.last_squares import NOTHING, final_difference
from engine.games.othello.kernels.patterns import estimate, fine_value, update_features
from engine.games.othello.kernels.tables import quadrant_of, square_value
from engine.games.othello.kernels.vectors import flips_of, moves_of
from engine.kernels.intrinsics import load, load_half, load_shared, lowest_index, popcount, store
from engine.kernels.jit import inlined, kernel

END_SQUARES = 12
"""Up to this number of empty squares the endgame search takes over."""
NO_MARGIN = 99
"""A margin that forbids selective cuts."""
_REPLY_URGENCY = 300
_TABLE_MOVE = 1 << 38
_PUT_OFF = -1 << 60
"""The urgency of a move that another thread is searching."""
_SHARED_DEPTH = 8
"""Below this depth, searching a position again is faster than deferring it to the other thread."""


@inlined
def shallow_depth(depth: int) -> int:
    """Return the depth of the shallow search for probcut: about half of `depth`, of the same parity."""
    half = depth >> 1
    return half - ((depth ^ half) & 1)


@inlined
def _list_by_evaluation(
    c: int,
    own: int,
    opposing: int,
    free: int,
    depth: int,
    empties: int,
    parity: int,
    colour: int,
    table_square: int,
) -> int:
    """Fill the move list of this number of empty squares; return the number of moves.

    Near the leaves the moves with the fewest replies come first; higher up, those with the best evaluation
    after the move, less a penalty per reply.
    """
    count = popcount(empties)
    moves = move_list(c, count)
    corners, base = corners_and_base(own, opposing, empties)
    row, below = feature_row(c, count), feature_row(c, count - 1)
    listed = 0
    while free:
        square = lowest_index(free)
        free &= free - 1
        turned = flips_of(square, own, opposing)
        after = opposing ^ turned
        bit = 1 << square
        if after == 0:
            put_move(moves, 0, square, turned, WINNING_MOVE)
            return 1
        if depth >= 3:  # searches of one ply do not read the table
            expect(c, after, own ^ turned | bit)
        replies = moves_of(after, own ^ turned | bit) & empties & ~bit
        mobility = popcount(replies) + popcount(replies & corners)
        if square == table_square:
            urgency = _TABLE_MOVE
        elif depth <= 2:
            urgency = square_value(base + square) - (mobility << 10)
            if quadrant_of(square) & parity:
                urgency += 8
        else:
            update_features(below, row, square, turned, colour)
            urgency = -fine_value(c, count - 1, 1 - colour) - mobility * _REPLY_URGENCY
        put_move(moves, listed, square, turned, urgency)
        listed += 1
    return listed


@inlined
def _best_leaf(c: int, own: int, opposing: int, free: int, beta: int, empties: int, colour: int) -> int:
    """Return the best evaluation after one move; a value of at least beta ends the search."""
    count = popcount(empties)
    row, below = feature_row(c, count), feature_row(c, count - 1)
    best = -NOTHING
    while free:
        square = lowest_index(free)
        free &= free - 1
        turned = flips_of(square, own, opposing)
        if opposing == turned:
            return popcount(own | opposing | empties)
        update_features(below, row, square, turned, colour)
        best = max(best, -estimate(c, count - 1, 1 - colour))
        if best >= beta:
            break
    return best


@inlined
def _table_cut(
    c: int, listed: int, own: int, opposing: int, depth: int, confidence: int, beta: int, moves: int
) -> int:
    """Return a lower bound >= beta that the table has for one of the moves; -NOTHING if there is none."""
    for i in range(listed):
        square = load(moves, MOVE_WORDS * i)
        turned = load(moves, MOVE_WORDS * i + 1)
        data = find(c, opposing ^ turned, own ^ turned | 1 << square)
        if data and is_enough(data, depth - 1, confidence) and -upper_bound(data) >= beta:
            return -upper_bound(data)
    return -NOTHING


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def search(
    c: int,
    own: int,
    opposing: int,
    alpha: int,
    beta: int,
    depth: int,
    empties: int,
    parity: int,
    colour: int,
    confidence: int,
) -> int:
    """Return the value at that depth, exact between alpha and beta, else a bound on its side (fail-soft)."""
    if not enter(c):
        return alpha
    count = popcount(empties)
    if empties == 0:
        return final_difference(own, opposing, empties)
    if depth <= 0:
        return estimate(c, count, colour)
    free = moves_of(own, opposing) & empties
    if free == 0:
        if moves_of(opposing, own) & empties == 0:
            return final_difference(own, opposing, empties)
        return -search(c, opposing, own, -beta, -alpha, depth, empties, parity, 1 - colour, confidence)
    is_null = beta == alpha + 1
    if depth >= count:
        depth = count
        if count <= END_SQUARES:
            if is_null:
                return is_above(c, own, opposing, alpha, empties, parity)
            return solve(c, own, opposing, alpha, beta, empties, parity)
    if is_null:
        bound = stability_bound(own, opposing, empties, alpha)
        if bound <= alpha:  # more stable discs than this side may concede
            return bound
    if depth == 1:
        return _best_leaf(c, own, opposing, free, beta, empties, colour)
    table_square = NO_SQUARE
    data = find(c, own, opposing)
    if data:
        if is_enough(data, depth, confidence):
            if lower_bound(data) >= beta or lower_bound(data) == upper_bound(data):
                return lower_bound(data)
            if upper_bound(data) <= alpha:
                return upper_bound(data)
        table_square = best_square(data)
    # Multi-ProbCut: a shallow search far outside the window predicts the result of the deep one. It is only
    # tried on the side that the evaluation favours, and returns the edge of the window: a value further out
    # would claim more than was searched.
    if is_null and confidence < EXACT and depth >= 3:
        margin = load_half(load(c, MARGINS_AT), (confidence << 12) + (count << 6) + depth)
        if margin < NO_MARGIN:
            shallow = shallow_depth(depth)
            guess = estimate(c, count, colour)
            high, low = beta + margin, alpha - margin
            if guess >= beta and high <= 63:
                value = search(c, own, opposing, high - 1, high, shallow, empties, parity, colour, confidence)
                if value >= high:
                    return beta
            elif guess <= alpha and low >= -63:
                value = search(c, own, opposing, low, low + 1, shallow, empties, parity, colour, confidence)
                if value <= low:
                    return alpha
    moves = move_list(c, count)
    left = _list_by_evaluation(c, own, opposing, free, depth, empties, parity, colour, table_square)
    if is_null and depth >= 5:  # enhanced transposition cutoff: a reply known to fail low is enough
        known = _table_cut(c, left, own, opposing, depth, confidence, beta, moves)
        if known >= beta:
            return known
    row, below = feature_row(c, count), feature_row(c, count - 1)
    best = -NOTHING
    best_move = NO_SQUARE
    low = alpha
    is_shared = load(c, BUSY_AT) != 0 and depth >= _SHARED_DEPTH
    not_put_off = left
    word = 0
    while left:
        square, turned = take_most_urgent(moves, left)
        left -= 1
        bit = 1 << square
        after, before = opposing ^ turned, own ^ turned | bit
        if is_shared:
            key = busy_key(after, before, depth)
            word = busy_word(c, key)
            not_put_off -= 1
            if not_put_off >= 0 and best != -NOTHING and load_shared(word, 0) == key:
                put_move(moves, left, square, turned, _PUT_OFF)
                left += 1
                continue
            store(word, 0, key)
        rest, odd = empties ^ bit, parity ^ quadrant_of(square)
        update_features(below, row, square, turned, colour)
        if best == -NOTHING:
            value = -search(c, after, before, -beta, -low, depth - 1, rest, odd, 1 - colour, confidence)
        else:
            # Null-window search: the move is probably no better than the first; if it is, search again.
            value = -search(c, after, before, -low - 1, -low, depth - 1, rest, odd, 1 - colour, confidence)
            if low < value < beta:
                value = -search(c, after, before, -beta, -low, depth - 1, rest, odd, 1 - colour, confidence)
        if is_shared:
            store(word, 0, 0)
        if value > best:
            best, best_move = value, square
            low = max(low, value)
            if value >= beta:  # beta cutoff: the other side avoids this position
                break
    if load(c, STOPPED):  # the value of a stopped search must not be stored
        return alpha
    remember(c, own, opposing, depth, confidence, alpha, beta, best, best_move)
    return best


@kernel("int64(int64, int64, int64, int64, int64, int64)")
def list_root(c: int, own: int, opposing: int, empties: int, parity: int, colour: int) -> int:
    """Fill the root's move list, the most promising first; return the number of moves."""
    free = moves_of(own, opposing) & empties
    count = popcount(empties)
    depth = popcount(empties | own)  # deep enough to order by evaluation; no literal, see `jit.kernel`
    left = _list_by_evaluation(c, own, opposing, free, depth, empties, parity, colour, NO_SQUARE)
    source, target = move_list(c, count), move_list(c, ROOT_LIST)
    listed = left
    for i in range(listed):
        square, turned = take_most_urgent(source, left)
        left -= 1
        put_move(target, i, square, turned, 0)
    store(c, ROOT_MOVES, listed)
    return listed


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def search_root(
    c: int,
    own: int,
    opposing: int,
    alpha: int,
    beta: int,
    depth: int,
    empties: int,
    parity: int,
    colour: int,
    confidence: int,
) -> int:
    """As `search`, over the root's list: each new best move goes to its front and into BEST_SQUARE.

    BEST_SQUARE and BEST_VALUE are valid for a stopped search as well: the best move searched so far.
    """
    count = popcount(empties)
    moves = move_list(c, ROOT_LIST)
    row, below = feature_row(c, count), feature_row(c, count - 1)
    best = -NOTHING
    low = alpha
    for i in range(load(c, ROOT_MOVES)):
        square, turned = load(moves, MOVE_WORDS * i), load(moves, MOVE_WORDS * i + 1)
        bit = 1 << square
        after, before = opposing ^ turned, own ^ turned | bit
        rest, odd = empties ^ bit, parity ^ quadrant_of(square)
        # Anew for each move: searching one leaves its own features in the rows below.
        update_features(below, row, square, turned, colour)
        if i == 0:
            value = -search(c, after, before, -beta, -low, depth - 1, rest, odd, 1 - colour, confidence)
        else:
            value = -search(c, after, before, -low - 1, -low, depth - 1, rest, odd, 1 - colour, confidence)
            if low < value < beta and load(c, STOPPED) == 0:
                value = -search(c, after, before, -beta, -low, depth - 1, rest, odd, 1 - colour, confidence)
        if load(c, STOPPED):
            break
        if value > best:
            best = value
            # At most low, a value is only an upper bound and proves no better move; the first move stands
            # even so, for there must be one.
            if value > low or i == 0:
                store(c, BEST_SQUARE, square)
                store(c, BEST_VALUE, value)
                for j in range(i, 0, -1):  # the moves that it overtakes keep their order for the next depth
                    previous = MOVE_WORDS * (j - 1)
                    put_move(moves, j, load(moves, previous), load(moves, previous + 1), 0)
                put_move(moves, 0, square, turned, 0)
            low = max(low, value)
            if value >= beta:
                break
    return best
