"""Which moves the Connect Four solver looks at first: those that make the most useful threats."""

from __future__ import annotations

from engine.kernels.bits import popcount
from engine.kernels.jit import inlined

Ranked = tuple[int, int, int, int, int, int, int]
"""Moves, the highest rank first, each as rank << 49 | square; 0 where there are no more."""


@inlined
def wins_next_but_one(threats: int, playable: int) -> bool:
    """Whether the side with these winning squares, not to move, wins with its next stone whatever happens.

    Two of them can be played; or one can, and the next lies right above it; or every square that can be
    played lies right below one. The side to move must have no immediate win.
    """
    now = playable & threats
    if now:
        return (now & (now - 1)) != 0 or (now & (threats >> 1)) != 0
    return (playable & ~(threats >> 1)) == 0


@inlined
def rank_of(own_threats: int, threats: int, playable: int) -> int:
    """How promising a move is that leaves these winning squares; useless above one of the other side's."""
    useful = own_threats & ~(threats << 1)
    return 2 * popcount(useful) + popcount(useful & (playable << 1)) + 1


@inlined
def inserted(ranked: Ranked, entry: int) -> Ranked:
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
