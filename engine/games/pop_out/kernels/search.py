"""Minimax and alpha-beta of Pop Out.

A state is (own, mask), the discs of the side to move and all discs, laid out as in `engine.kernels.lines`.
The square of a drop is the cell that it fills; that of a pop is the sentinel above its column, which is never
filled, so the two cannot be confused. Repetition is ignored.
"""

from __future__ import annotations

from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.blundering import PLAIN
from engine.kernels.control import rules_of
from engine.kernels.heuristic_values import WIN
from engine.kernels.intrinsics import shift_right
from engine.kernels.jit import inlined
from engine.kernels.line_search import estimate
from engine.kernels.lines import BOARD, BOTTOM, STRIDE, Shape, has_line
from engine.kernels.lines import moves as drops


@inlined
def pops(own: int, shape: Shape) -> int:
    """Return the sentinels of the columns whose bottom disc is the mover's own."""
    return (own & shape[BOTTOM]) << (shape[STRIDE] - 1)


@inlined
def _moves(own: int, mask: int, shape: Shape) -> int:
    return drops(mask, shape) | pops(own, shape)


@inlined
def _fallen(discs: int, pop: int, shape: Shape) -> int:
    """Return the discs after the lowest one of the column under that sentinel has been taken out."""
    low = shift_right(pop, shape[STRIDE] - 1)
    within = discs & (pop - low)
    return discs ^ within | shift_right(within & ~low, 1)


@inlined
def after(own: int, mask: int, move: int, shape: Shape) -> tuple[int, int]:
    """Return the next state from the other side's view."""
    if move & shape[BOARD]:
        return own ^ mask, mask | move
    mine = _fallen(own, move, shape)
    left = _fallen(mask, move, shape)
    return mine ^ left, left


@inlined
def _ending(own: int, mask: int, free: int, distance: int, shape: Shape) -> tuple[bool, int]:  # noqa: ARG001
    if has_line(own ^ mask, shape):  # the mover wins, even if both sides have a line
        return True, distance - WIN
    if has_line(own, shape):
        return True, WIN - distance
    return False, 0


@inlined
def _subtlety(own: int, mask: int, move: int, shape: Shape) -> int:  # noqa: ARG001
    return PLAIN


search = alphabeta_kernel(
    "pop_out",
    rules_of=rules_of,
    moves=_moves,
    after=after,
    ending=_ending,
    estimate=estimate,
    subtlety=_subtlety,
)
"""See `alphabeta.alphabeta_kernel`; the rules are the shape."""
