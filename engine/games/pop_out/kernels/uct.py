"""Monte Carlo tree search of Pop Out; states and squares as in `search`."""

from __future__ import annotations

from engine.games.pop_out.kernels.search import after, pops
from engine.kernels.control import rules_of
from engine.kernels.intrinsics import shift_right
from engine.kernels.jit import inlined
from engine.kernels.lines import Shape, has_line, winning_squares
from engine.kernels.lines import moves as drops
from engine.kernels.uct import MOVER_LOST, MOVER_WON, OPEN, next_random, random_bit, uct_kernel

_LONGEST_PLAYOUT = 120
"""Longer random games count as draws; hardly any is longer."""


@inlined
def _sensible(own: int, mask: int, shape: Shape) -> int:
    """Return the moves worth trying: one that wins, else moves that do not lose at once.

    Decisive and anti-decisive moves (Teytaud and Teytaud, 2010), in the tree and in the playouts. A threat of
    the other side is stopped by a drop into it or by a pop.
    """
    opposing = own ^ mask
    free = drops(mask, shape)
    now = free & winning_squares(own, mask, shape)
    if now:
        return now & -now
    harmless = 0
    left = pops(own, shape)
    while left:
        pop = left & -left
        left ^= pop
        theirs, remaining = after(own, mask, pop, shape)
        if has_line(theirs ^ remaining, shape):
            return pop
        # Excludes moves that make a four for the other side, and those after which it drops into a four.
        hands_over = drops(remaining, shape) & winning_squares(theirs, remaining, shape)
        if not has_line(theirs, shape) and not hands_over:
            harmless |= pop
    threats = winning_squares(opposing, mask, shape)
    forced = free & threats
    if forced:
        if forced & (forced - 1) == 0:
            harmless |= forced
    else:
        harmless |= free & ~shift_right(threats, 1)
    return harmless if harmless else free | pops(own, shape)


@inlined
def _status_after(own: int, mask: int, move: int, shape: Shape) -> int:
    theirs, left = after(own, mask, move, shape)
    if has_line(theirs ^ left, shape):
        return MOVER_WON
    if has_line(theirs, shape):
        return MOVER_LOST
    return OPEN


@inlined
def _play_out(own: int, mask: int, random: int, shape: Shape) -> tuple[int, int]:
    """Play a random game from here: (1 if the side to move wins, -1 if it loses, 0), random state."""
    sign = 1
    for _ in range(_LONGEST_PLAYOUT):
        free = _sensible(own, mask, shape)
        random = next_random(random)
        own, mask = after(own, mask, random_bit(free, random), shape)
        if has_line(own ^ mask, shape):
            return sign, random
        if has_line(own, shape):
            return -sign, random
        sign = -sign
    return 0, random


@inlined
def _after_square(own: int, mask: int, square: int, shape: Shape) -> tuple[int, int]:
    return after(own, mask, 1 << square, shape)


search = uct_kernel(
    "pop_out",
    64,
    rules_of=rules_of,
    moves=_sensible,
    status_after=_status_after,
    after=_after_square,
    play_out=_play_out,
)
"""See `uct.uct_kernel`; a state is own and mask, the rules are the shape."""
