"""Minimax, alpha-beta and blundering for games of k in a row (boards as in `engine.kernels.lines`).

A state is (own, mask): the stones of the side to move, and all stones. `line_alphabeta` finds minimax's
values sooner; this is the yardstick, with nothing left out.
"""

from __future__ import annotations

from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.jit import inlined
from engine.kernels.lines import BOARD, Shape, evaluate, has_line, shape_of
from engine.kernels.lines import moves as squares_to_take
from engine.kernels.weights import WIN


@inlined
def _moves(own: int, mask: int, shape: Shape) -> int:  # noqa: ARG001
    return squares_to_take(mask, shape)


@inlined
def _after(own: int, mask: int, move: int, shape: Shape) -> tuple[int, int]:  # noqa: ARG001
    return own ^ mask, mask | move


@inlined
def _ending(own: int, mask: int, free: int, distance: int, shape: Shape) -> tuple[bool, int]:  # noqa: ARG001
    if has_line(own ^ mask, shape):
        return True, distance - WIN
    return mask == shape[BOARD], 0


@inlined
def estimate(own: int, mask: int, side: int, shape: Shape) -> int:
    """The window heuristic as the root's player sees it, since it is not symmetric."""
    opposing = own ^ mask
    return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)


search = alphabeta_kernel(
    "lines", rules_of=shape_of, moves=_moves, after=_after, ending=_ending, estimate=estimate
)
"""See `alphabeta.alphabeta_kernel`; the rules are the shape."""
