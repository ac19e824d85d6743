"""Minimax and alpha-beta of Pop Out.

A state is (own, mask), the discs of the side to move and all discs, laid out as in `engine.kernels.lines`.
The square of a drop is the cell that it fills; that of a pop is the sentinel above its column, which no
disc ever fills, so that the two are never taken for each other. How often a position has stood is not
looked at.
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
    """The sentinels of the columns whose bottom disc is one's own."""
    return (own & shape[BOTTOM]) << (shape[STRIDE] - 1)


@inlined
def _moves(own: int, mask: int, shape: Shape) -> int:
    return drops(mask, shape) | pops(own, shape)


@inlined
def _fallen(discs: int, pop: int, shape: Shape) -> int:
    """The discs after the lowest of the column under that sentinel is out."""
    low = shift_right(pop, shape[STRIDE] - 1)
    within = discs & (pop - low)
    return discs ^ within | shift_right(within & ~low, 1)


@inlined
def after(own: int, mask: int, move: int, shape: Shape) -> tuple[int, int]:
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
