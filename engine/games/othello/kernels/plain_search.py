"""Minimax, alpha-beta and blundering for Othello (boards as in `engine.games.othello.kernels.board`).

A state is (own, opposing): the discs of the side to move and those of the other.
"""

from __future__ import annotations

from engine.games.othello.kernels.board import (
    GRID_CORNERS,
    INNER_CORNERS,
    INNER_FRAME,
    evaluate,
    final_value,
    flips,
    moves,
)
from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.blundering import PLAIN
from engine.kernels.control import RULES
from engine.kernels.intrinsics import load, popcount
from engine.kernels.jit import inlined, kernel


@kernel("int64(int64, int64, int64)")
def legal_squares(own: int, opposing: int, frame: int) -> int:
    """Return the squares where the owner of `own` may play."""
    return moves(own, opposing, frame)


@kernel("int64(int64, int64, int64)")
def flipped_discs(move: int, own: int, opposing: int) -> int:
    """Return the discs that `move` (one bit) turns over."""
    return flips(move, own, opposing)


@inlined
def frame_of(context: int) -> int:
    return load(context, RULES)


@inlined
def after(own: int, opposing: int, move: int, frame: int) -> tuple[int, int]:  # noqa: ARG001
    """Return the next state from the other side's view; `move` is one bit, or none for a pass."""
    turned = flips(move, own, opposing)
    return opposing ^ turned, own | move | turned


@inlined
def _ending(own: int, opposing: int, free: int, distance: int, frame: int) -> tuple[bool, int]:
    if free or moves(opposing, own, frame):
        return False, 0
    return True, final_value(own, opposing, distance)


@inlined
def _estimate(own: int, opposing: int, side: int, frame: int) -> int:  # noqa: ARG001
    return evaluate(own, opposing, moves(own, opposing, frame), moves(opposing, own, frame), frame)


LATE = 20
"""With this number of empty squares or fewer, every move is equally easy to see: discs are counted
carefully."""
QUIETEST = 8


@inlined
def _subtlety(own: int, opposing: int, move: int, frame: int) -> int:
    """Greed: many turned discs are noticed easily, and so is a corner; a quiet move is easily missed."""
    corners = INNER_CORNERS if frame == INNER_FRAME else GRID_CORNERS
    if move & corners:
        return 1
    if popcount(frame & ~(own | opposing)) <= LATE:
        return PLAIN
    return max(1, QUIETEST - popcount(flips(move, own, opposing)))


@kernel("int64(int64, int64, int64, int64)")
def subtlety(own: int, opposing: int, move: int, frame: int) -> int:
    """Return how easily the move (one bit) is missed; see `blundering`."""
    return _subtlety(own, opposing, move, frame)


search = alphabeta_kernel(
    "othello",
    rules_of=frame_of,
    moves=moves,
    after=after,
    ending=_ending,
    estimate=_estimate,
    subtlety=_subtlety,
)
"""See `alphabeta.alphabeta_kernel`; the rules are the frame."""
