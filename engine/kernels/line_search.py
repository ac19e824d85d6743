"""Minimax, alpha-beta and blundering for games of k in a row (boards as in `engine.kernels.lines`).

A state is (own, mask): the stones of the side to move, and all stones. `line_alphabeta` computes the same
values as minimax faster; this search leaves nothing out and is the reference.
"""

from __future__ import annotations

from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.blundering import PLAIN
from engine.kernels.control import rules_of
from engine.kernels.heuristic_values import WIN
from engine.kernels.jit import inlined, kernel
from engine.kernels.lines import BOARD, DROPS, STRIDE, K, Shape, evaluate, has_line, line_along
from engine.kernels.lines import moves as squares_to_take


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
    """The window heuristic from the root player's view; it is not symmetric, so the side matters."""
    opposing = own ^ mask
    return evaluate(own, opposing, shape) if side > 0 else -evaluate(opposing, own, shape)


STACK, ROW_GAP, ROW_END, DIAGONAL_GAP, DIAGONAL_END = 1, 2, 3, 6, 8
"""Subtleties of a move that completes a line, or that prevents the other side's.

A stack of discs is noticed easily, a diagonal hardly ever; in each direction the far end of a line, with all
its stones on one side, is missed before the gap between them.
"""


@inlined
def _subtlety_along(stones: int, move: int, k: int, step: int, gap: int, end: int) -> int:
    """Return `gap` or `end` if the move gives these stones a line along the step, else PLAIN."""
    if line_along(stones | move, k, step) == 0:
        return PLAIN
    return gap if stones & (move << step) and stones & (move >> step) else end


@inlined
def _completing(stones: int, move: int, shape: Shape) -> tuple[int, int]:
    """Return the lowest subtlety among the lines in columns and rows, and that of the diagonals."""
    stride = shape[STRIDE]
    k = shape[K]
    end = STACK if shape[DROPS] else ROW_END
    upright = _subtlety_along(stones, move, k, 1, min(end, ROW_GAP), end)
    across = _subtlety_along(stones, move, k, stride, ROW_GAP, ROW_END)
    down = _subtlety_along(stones, move, k, stride - 1, DIAGONAL_GAP, DIAGONAL_END)
    up = _subtlety_along(stones, move, k, stride + 1, DIAGONAL_GAP, DIAGONAL_END)
    return min(upright, across), max(down, up)


@inlined
def _subtlety(own: int, mask: int, move: int, shape: Shape) -> int:
    mine, my_slanting = _completing(own, move, shape)
    theirs, their_slanting = _completing(own ^ mask, move, shape)
    straight = min(mine, theirs)
    return straight if straight < PLAIN else max(my_slanting, their_slanting)


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def subtlety(
    own: int, mask: int, move: int, stride: int, k: int, bottom: int, board: int, centre: int, drops: int
) -> int:
    """Return how easily the move (one bit) is missed on a board of that shape; see `blundering`."""
    return _subtlety(own, mask, move, (stride, k, bottom, board, centre, drops))


search = alphabeta_kernel(
    "lines",
    rules_of=rules_of,
    moves=_moves,
    after=_after,
    ending=_ending,
    estimate=estimate,
    subtlety=_subtlety,
)
"""See `alphabeta.alphabeta_kernel`; the rules are the shape."""
