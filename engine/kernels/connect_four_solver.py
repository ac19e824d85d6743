"""Connect Four on 6 x 7, solved: the exact score of any position, by null-window searches.

Boards, and the meaning of a score, are those of `engine.kernels.connect_four_bounds`. `n` is the number of
stones on the board. A win with the stone played at `n` is worth (43 - n) >> 1: the player who has this move
has that many stones left, this one included.

`context` is the address of an int64 array, and the table that of an int64 array of a power of two length;
what stands in them is named below. A table entry is one int64:

     63 ........... 15 14 ... 9 8 ... 3 2 .. 0
     key (49 bits)     lower     upper    work       bounds are stored + 21, so that none is negative

The key, own + mask + BOTTOM, tells positions apart and is never 0: in each column it has a bit right above
the highest stone, and below that bit the own stones.
"""

from __future__ import annotations

from engine.kernels.bits import load, load_shared, popcount, prefetch, shift_right, store
from engine.kernels.connect_four_bounds import (
    BOARD,
    BOTTOM,
    COLUMN,
    FIRSTS_ROWS,
    NO_BOUND,
    claim_even_bound,
    has_four,
    mirrored,
    odd_threat_bound,
    winning_squares,
)
from engine.kernels.jit import Words, inlined, kernel

NODES, NODE_LIMIT, STOP_FLAG, TIMER_FLAG, TABLE, SHIFT = range(6)
CONTEXT_WORDS = 8

STOPPED = 1000
"""Returned instead of a score when the search was told to end."""
ILLEGAL = -1000
"""Returned instead of a score for a full column."""

LAST = 41
"""The number of stones before the last move."""

# Which means are worth their time at which stage: found by measuring, without influence on any score.
_MIRRORED_UNTIL, _CHILDREN_PROBED_UNTIL, _STORED_UNTIL, _BOUNDED_UNTIL, _LINES_COUNTED_FROM = (
    20,
    28,
    34,
    36,
    24,
)

_SCATTER = -7046029254386353131
"""2**64 divided by the golden ratio; Knuth, The Art of Computer Programming 3, 6.4: Fibonacci hashing."""

_SQUARES = (1 << 49) - 1


@inlined
def _key(own: int, mask: int, n: int) -> int:
    """The table's name of a position; early on a mirrored one shares it."""
    key = own + mask + BOTTOM
    if n <= _MIRRORED_UNTIL:
        key = min(key, mirrored(key))
    return key


@inlined
def _slot(key: int, context: int) -> int:
    """The first of the two places of a key: the top bits of a product, the lower ones scatter badly."""
    return shift_right(key * _SCATTER, load(context, SHIFT)) & ~1


@inlined
def _find(table: int, slot: int, key: int) -> int:
    """The entry of the key, or 0."""
    entry = load(table, slot)
    if shift_right(entry, 15) == key:
        return entry
    entry = load(table, slot | 1)
    return entry if shift_right(entry, 15) == key else 0


@inlined
def _lower(entry: int) -> int:
    return ((entry >> 9) & 63) - 21


@inlined
def _upper(entry: int) -> int:
    return ((entry >> 3) & 63) - 21


@inlined
def _keep(table: int, slot: int, key: int, lower: int, upper: int, nodes: int) -> None:
    """Enters the bounds: in the first place if that is ours or took less work, else in the second."""
    work = 0
    while nodes >= 6 and work < 7:
        nodes >>= 2
        work += 1
    entry = key << 15 | (lower + 21) << 9 | (upper + 21) << 3 | work
    old = load(table, slot)
    is_ours = shift_right(old, 15) == key
    if is_ours or work >= old & 7:
        if not is_ours and shift_right(load(table, slot | 1), 15) == key:
            store(table, slot | 1, 0)  # never two entries of one key
        store(table, slot, entry)
    else:
        store(table, slot | 1, entry)


@inlined
def _is_told_to_stop(nodes: int, context: int) -> bool:
    """Whether the node limit is reached or, looked at every 256 nodes (20 microseconds), a flag raised."""
    if nodes & 255 == 0 and (
        load_shared(load(context, STOP_FLAG), 0) or load_shared(load(context, TIMER_FLAG), 0)
    ):
        store(context, NODE_LIMIT, 0)  # for all that is still to return
    return nodes >= load(context, NODE_LIMIT)


@inlined
def _strategic_bound(own: int, mask: int, threats: int, n: int) -> int:
    """An upper bound of the score without search. threats: winning squares of the side not to move."""
    if n & 1 == 0:
        return claim_even_bound(own, mask)
    if threats & FIRSTS_ROWS:
        return odd_threat_bound(own, mask, threats)
    return NO_BOUND


@inlined
def _range(n: int) -> tuple[int, int]:
    """The scores possible where neither side can win with its next stone: either does with the one after."""
    return -((40 - n) >> 1), (41 - n) >> 1


@inlined
def _wins_next_but_one(threats: int, playable: int) -> bool:
    """Whether the side with these winning squares, not to move, wins with its next stone whatever happens.

    Two of them can be played; or one can, and the next lies right above it; or every square that can be
    played lies right below one. The side to move must have no immediate win.
    """
    now = playable & threats
    if now:
        return (now & (now - 1)) != 0 or (now & (threats >> 1)) != 0
    return (playable & ~(threats >> 1)) == 0


@inlined
def _rank(own_threats: int, threats: int, playable: int) -> int:
    """How promising a move is that leaves these winning squares; useless above one of the other side's."""
    useful = own_threats & ~(threats << 1)
    return 2 * popcount(useful) + popcount(useful & (playable << 1)) + 1


@inlined
def _inserted(
    ranked: tuple[int, int, int, int, int, int, int], entry: int
) -> tuple[int, int, int, int, int, int, int]:
    """The seven numbers with one more in its place, the highest rank first, of equals the latest."""
    a, b, c, d, e, f, _ = ranked
    rank = entry >> 49
    if rank >= a >> 49:
        return entry, a, b, c, d, e, f
    if rank >= b >> 49:
        return a, entry, b, c, d, e, f
    if rank >= c >> 49:
        return a, b, entry, c, d, e, f
    if rank >= d >> 49:
        return a, b, c, entry, d, e, f
    if rank >= e >> 49:
        return a, b, c, d, entry, e, f
    if rank >= f >> 49:
        return a, b, c, d, e, entry, f
    return a, b, c, d, e, f, entry


@inlined
def _child_table_bound(own: int, mask: int, safe: int, alpha: int, n: int, context: int) -> int:
    """A value above alpha that the table promises for one of the moves, else STOPPED."""
    table = load(context, TABLE)
    other = own ^ mask
    while safe:
        move = safe & -safe
        safe ^= move
        key = _key(other, mask | move, n + 1)
        entry = _find(table, _slot(key, context), key)
        if entry and -_upper(entry) > alpha:
            return -_upper(entry)
    return STOPPED


@inlined
def _follow_forced(own: int, mask: int, alpha: int) -> tuple[int, int, int, int, int, int, int]:
    """Plays on as long as there is but one sensible move, without a node of its own.

    Returns (value, own, mask, alpha, sign, safe, threats): a value for the caller, or STOPPED and the
    position reached, with alpha seen from its side to move and `sign` to turn its values back; its moves
    that do not lose at once, two or more, and the winning squares of the side not to move.
    """
    sign = 1
    n = popcount(mask)
    while True:
        other = own ^ mask
        threats = winning_squares(other, mask)
        safe = (mask + BOTTOM) & BOARD
        forced = safe & threats
        if forced:
            safe = 0 if forced & (forced - 1) else forced
        safe &= ~(threats >> 1)  # right below a winning square of the other side
        if safe == 0:
            return -sign * ((42 - n) >> 1), own, mask, alpha, sign, safe, threats
        if n >= LAST - 1:
            return 0, own, mask, alpha, sign, safe, threats
        least, most = _range(n)
        if alpha < least:
            return sign * least, own, mask, alpha, sign, safe, threats
        if alpha >= most:
            return sign * most, own, mask, alpha, sign, safe, threats
        if safe & (safe - 1):
            return STOPPED, own, mask, alpha, sign, safe, threats
        mask |= safe
        own = other
        n += 1
        alpha = -alpha - 1
        sign = -sign


@inlined
def _rank_moves(
    own: int, mask: int, safe: int, threats: int, alpha: int, n: int, context: int
) -> tuple[int, tuple[int, int, int, int, int, int, int]]:
    """(a value above alpha that needs no search, else STOPPED; the moves, the most promising first).

    A ranked move is its rank << 49 | its square.
    """
    other = own ^ mask
    ranked = (0, 0, 0, 0, 0, 0, 0)
    for column in (0, 6, 1, 5, 2, 4, 3):
        move = safe & COLUMN << 7 * column
        if move:
            after = mask | move
            own_threats = winning_squares(own | move, mask)
            playable = (after + BOTTOM) & BOARD
            if _wins_next_but_one(own_threats, playable):
                return (41 - n) >> 1, ranked
            if n < _CHILDREN_PROBED_UNTIL:
                prefetch(load(context, TABLE), _slot(_key(other, after, n + 1), context))
            if alpha < 3 and n < _BOUNDED_UNTIL:
                bound = _strategic_bound(other, after, own_threats, n + 1)
                if -bound > alpha:
                    return -bound, ranked
            ranked = _inserted(ranked, _rank(own_threats, threats, playable) << 49 | move)
    if n < _CHILDREN_PROBED_UNTIL:
        return _child_table_bound(own, mask, safe, alpha, n, context), ranked
    return STOPPED, ranked


@inlined
def _static_bound(own: int, mask: int, threats: int, alpha: int, n: int) -> int:
    """A bound of the score on the right side of alpha that needs no search, else STOPPED."""
    if n >= _LINES_COUNTED_FROM:  # who could make no four even with every empty square cannot win
        if alpha >= 0:
            if not has_four(BOARD ^ own ^ mask):
                return 0
        elif not has_four(BOARD ^ own):
            return 0
    if alpha >= -3:
        bound = _strategic_bound(own, mask, threats, n)
        if bound <= alpha:
            return bound
    return STOPPED


@kernel("int64(int64, int64, int64, int64)")
def compare(own: int, mask: int, alpha: int, context: int) -> int:
    """Is the score above alpha? A value above alpha is a lower bound of the score, another an upper one.

    The side to move must have no immediate win, and the board room for a stone. Returns STOPPED, above
    every score, when told to end.
    """
    value, own, mask, alpha, sign, safe, threats = _follow_forced(own, mask, alpha)
    if value != STOPPED:
        return value
    n = popcount(mask)
    table = load(context, TABLE)
    key = 0
    slot = 0
    if n <= _STORED_UNTIL:
        key = _key(own, mask, n)
        slot = _slot(key, context)
        prefetch(table, slot)
    nodes_before = load(context, NODES)
    if _is_told_to_stop(nodes_before, context):
        return STOPPED
    store(context, NODES, nodes_before + 1)
    value = _static_bound(own, mask, threats, alpha, n)
    if value != STOPPED:
        return sign * value
    lower, upper = _range(n)
    if n <= _STORED_UNTIL:
        entry = _find(table, slot, key)
        if entry:
            lower = _lower(entry)
            upper = _upper(entry)
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
        _keep(table, slot, key, lower, upper, load(context, NODES) - nodes_before)
    return sign * best


@inlined
def _wins_now(own: int, mask: int) -> bool:
    return (winning_squares(own, mask) & (mask + BOTTOM)) != 0


@kernel("int64(int64, int64, int64)")
def solve(own: int, mask: int, context: int) -> int:
    """The score of a position that is not won yet, for the side to move; STOPPED when told to end."""
    n = popcount(mask)
    if n > LAST:
        return 0
    if _wins_now(own, mask):
        return (43 - n) >> 1
    low = -((42 - n) >> 1)
    high = (41 - n) >> 1
    while low < high:
        middle = low + ((high - low) >> 1)
        # Small scores are decided first: they are more frequent, and big ones follow from them quickly.
        if middle <= 0 and -((-low) >> 1) < middle:
            middle = -((-low) >> 1)
        elif middle >= 0 and high >> 1 > middle:
            middle = high >> 1
        value = compare(own, mask, middle, context)
        if value == STOPPED:
            return STOPPED
        if value <= middle:
            high = value
        else:
            low = value
    return low


@kernel("void(int64, int64, int64, int64[::1])")
def analyze(own: int, mask: int, context: int, scores: Words) -> None:
    """Writes each column's score for the side to move: ILLEGAL when full, STOPPED when told to end."""
    n = popcount(mask)
    for column in range(7):
        move = (mask + (1 << 7 * column)) & COLUMN << 7 * column
        if move == 0:
            scores[column] = ILLEGAL
        elif has_four(own | move):
            scores[column] = (43 - n) >> 1
        else:
            score = solve(own ^ mask, mask | move, context)
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
        if has_four(own | move):
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
