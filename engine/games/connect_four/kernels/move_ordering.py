"""Move ordering of the Connect Four solvers: moves that make the most useful threats come first."""

from __future__ import annotations

from engine.games.connect_four.kernels.context import STOPPED
from engine.kernels.intrinsics import popcount
from engine.kernels.jit import inlined
from engine.kernels.lines import BOARD, BOTTOM, Shape, winning_squares

RANK_SHIFT = 49
Ranked = tuple[int, int, int, int, int, int, int]
"""Moves, the highest rank first, each as rank << RANK_SHIFT | move; 0 after the last."""


@inlined
def score_range(n: int, squares: int) -> tuple[int, int]:
    """Return the possible scores if neither side can win with its next stone: at best with the one after."""
    return -((squares - 2 - n) >> 1), (squares - 1 - n) >> 1


@inlined
def follow_forced(
    own: int, mask: int, alpha: int, squares: int, shape: Shape
) -> tuple[int, int, int, int, int, int, int]:
    """Play forced moves without a node of their own.

    Returns (value, own, mask, alpha, sign, safe, threats): a value for the caller, or STOPPED and the
    position reached, with alpha from the view of its side to move and `sign` to convert its values back; its
    moves that do not lose at once, two or more, and the winning squares of the side not to move.
    """
    sign = 1
    n = popcount(mask)
    while True:
        other = own ^ mask
        threats = winning_squares(other, mask, shape)
        safe = (mask + shape[BOTTOM]) & shape[BOARD]
        forced = safe & threats
        if forced:  # two threats cannot both be stopped
            safe = 0 if forced & (forced - 1) else forced
        safe &= ~(threats >> 1)  # not right below a winning square of the other side
        if safe == 0:
            return -sign * ((squares - n) >> 1), own, mask, alpha, sign, safe, threats
        if n >= squares - 2:  # neither side wins with its next stone, and these are the last two
            return 0, own, mask, alpha, sign, safe, threats
        least, most = score_range(n, squares)
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
def wins_next_but_one(threats: int, playable: int) -> bool:
    """Whether the side with these winning squares, not to move, will win with its next stone by force.

    Two of them are playable; or one is, and the next is right above it; or every playable square is right
    below one. The side to move must have no immediate win.
    """
    now = playable & threats
    if now:
        return (now & (now - 1)) != 0 or (now & (threats >> 1)) != 0
    return (playable & ~(threats >> 1)) == 0


@inlined
def rank_of(own_threats: int, threats: int, playable: int) -> int:
    """Rank a move by the threats it leaves; a threat right above one of the other side's is useless."""
    useful = own_threats & ~(threats << 1)
    return 2 * popcount(useful) + popcount(useful & (playable << 1)) + 1


@inlined
def inserted(ranked: Ranked, entry: int) -> Ranked:
    """Insert an entry into the seven, the highest rank first; among equals, the latest first."""
    a, b, c, d, e, f, _ = ranked
    rank = entry >> RANK_SHIFT
    if rank >= a >> RANK_SHIFT:
        return entry, a, b, c, d, e, f
    if rank >= b >> RANK_SHIFT:
        return a, entry, b, c, d, e, f
    if rank >= c >> RANK_SHIFT:
        return a, b, entry, c, d, e, f
    if rank >= d >> RANK_SHIFT:
        return a, b, c, entry, d, e, f
    if rank >= e >> RANK_SHIFT:
        return a, b, c, d, entry, e, f
    if rank >= f >> RANK_SHIFT:
        return a, b, c, d, e, entry, f
    return a, b, c, d, e, f, entry
