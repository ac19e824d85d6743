"""Minimax, alpha-beta and Monte Carlo tree search of Pop Out.

A state is (own, mask), the discs of the side to move and all discs, laid out as in `engine.kernels.lines`.
The square of a drop is the cell that it fills; that of a pop is the sentinel above its column, which no
disc ever fills, so that the two are never taken for each other. How often a position has stood is not
looked at.
"""

from __future__ import annotations

from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.blundering import PLAIN
from engine.kernels.intrinsics import shift_right
from engine.kernels.jit import inlined
from engine.kernels.lines import BOARD, BOTTOM, STRIDE, Shape, evaluate, has_line, shape_of, winning_squares
from engine.kernels.lines import moves as drops
from engine.kernels.uct import MOVER_LOST, MOVER_WON, OPEN, next_random, random_bit, uct_kernel
from engine.kernels.weights import WIN

_LONGEST_PLAYOUT = 120
"""Random games that last longer are taken for draws; hardly any does."""


@inlined
def _pops(own: int, shape: Shape) -> int:
    """The sentinels of the columns whose bottom disc is one's own."""
    return (own & shape[BOTTOM]) << (shape[STRIDE] - 1)


@inlined
def _moves(own: int, mask: int, shape: Shape) -> int:
    return drops(mask, shape) | _pops(own, shape)


@inlined
def _fallen(discs: int, pop: int, shape: Shape) -> int:
    """The discs after the lowest of the column under that sentinel is out."""
    low = shift_right(pop, shape[STRIDE] - 1)
    within = discs & (pop - low)
    return discs ^ within | shift_right(within & ~low, 1)


@inlined
def _after(own: int, mask: int, move: int, shape: Shape) -> tuple[int, int]:
    """The state for the other side."""
    if move & shape[BOARD]:
        return own ^ mask, mask | move
    mine = _fallen(own, move, shape)
    left = _fallen(mask, move, shape)
    return mine ^ left, left


@inlined
def _ending(own: int, mask: int, free: int, distance: int, shape: Shape) -> tuple[bool, int]:  # noqa: ARG001
    if has_line(own ^ mask, shape):  # of who has moved, also where both have one
        return True, distance - WIN
    if has_line(own, shape):
        return True, WIN - distance
    return False, 0


@inlined
def _estimate(own: int, mask: int, side: int, shape: Shape) -> int:
    """The window heuristic as the root's player sees it, since it is not symmetric."""
    opposing = own ^ mask
    return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)


@inlined
def _subtlety(own: int, mask: int, move: int, shape: Shape) -> int:  # noqa: ARG001
    return PLAIN


search = alphabeta_kernel(
    "pop_out",
    rules_of=shape_of,
    moves=_moves,
    after=_after,
    ending=_ending,
    estimate=_estimate,
    subtlety=_subtlety,
)
"""See `alphabeta.alphabeta_kernel`; the rules are the shape."""


@inlined
def _sensible(own: int, mask: int, shape: Shape) -> int:
    """The moves worth trying: one that wins, else none that hands the game over at once.

    Decisive and anti-decisive moves (Teytaud and Teytaud, 2010), in the tree as in the playouts. A threat of
    the other side's is stopped by a drop into it or by a pop.
    """
    opposing = own ^ mask
    free = drops(mask, shape)
    now = free & winning_squares(own, mask, shape)
    if now:
        return now & -now
    harmless = 0
    left = _pops(own, shape)
    while left:
        pop = left & -left
        left ^= pop
        theirs, remaining = _after(own, mask, pop, shape)
        if has_line(theirs ^ remaining, shape):
            return pop
        # Neither one that makes a four for the other side, nor one after which it drops into a four.
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
    return harmless if harmless else free | _pops(own, shape)


@inlined
def _status_after(own: int, mask: int, move: int, shape: Shape) -> int:
    theirs, left = _after(own, mask, move, shape)
    if has_line(theirs ^ left, shape):
        return MOVER_WON
    if has_line(theirs, shape):
        return MOVER_LOST
    return OPEN


@inlined
def _play_out(own: int, mask: int, random: int, shape: Shape) -> tuple[int, int]:
    """A random game from here: (1 when the side to move wins, -1 when it loses, 0), random state."""
    sign = 1
    for _ in range(_LONGEST_PLAYOUT):
        free = _sensible(own, mask, shape)
        random = next_random(random)
        own, mask = _after(own, mask, random_bit(free, random), shape)
        if has_line(own ^ mask, shape):
            return sign, random
        if has_line(own, shape):
            return -sign, random
        sign = -sign
    return 0, random


@inlined
def _after_square(own: int, mask: int, square: int, shape: Shape) -> tuple[int, int]:
    return _after(own, mask, 1 << square, shape)


simulate = uct_kernel(
    "pop_out",
    64,
    rules_of=shape_of,
    moves=_sensible,
    status_after=_status_after,
    after=_after_square,
    play_out=_play_out,
)
"""See `uct.uct_kernel`; a state is own and mask, the rules are the shape."""
