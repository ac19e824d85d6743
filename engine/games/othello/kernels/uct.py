"""Monte Carlo tree search for Othello (boards as in `engine.games.othello.kernels.board`)."""

from __future__ import annotations

from engine.games.othello.kernels.board import GRID_CORNERS, INNER_CORNERS, INNER_FRAME, moves
from engine.games.othello.kernels.plain_search import after, frame_of
from engine.kernels.control import PASS
from engine.kernels.intrinsics import popcount
from engine.kernels.jit import inlined
from engine.kernels.uct import DRAWN, MOVER_LOST, MOVER_WON, OPEN, next_random, random_bit, uct_kernel


@inlined
def _winner_sign(own: int, opposing: int) -> int:
    margin = popcount(own) - popcount(opposing)
    return 1 if margin > 0 else (-1 if margin < 0 else 0)


@inlined
def _play_out(own: int, opposing: int, random: int, frame: int) -> tuple[int, int]:
    """Play a random game from here, corners first: (1 if the side to move wins, -1, 0), random state."""
    corners = INNER_CORNERS if frame == INNER_FRAME else GRID_CORNERS
    sign = 1
    while True:
        free = moves(own, opposing, frame)
        if free == 0:
            own, opposing = opposing, own
            sign = -sign
            free = moves(own, opposing, frame)
            if free == 0:
                return sign * _winner_sign(own, opposing), random
        if free & corners:
            free &= corners
        random = next_random(random)
        own, opposing = after(own, opposing, random_bit(free, random), frame)
        sign = -sign


@inlined
def _status_after(own: int, opposing: int, move: int, frame: int) -> int:
    opposing, own = after(own, opposing, move, frame)
    if moves(opposing, own, frame) or moves(own, opposing, frame):
        return OPEN
    sign = _winner_sign(own, opposing)
    return MOVER_WON if sign > 0 else (MOVER_LOST if sign < 0 else DRAWN)


@inlined
def _after(own: int, opposing: int, square: int, frame: int) -> tuple[int, int]:
    return after(own, opposing, 0 if square == PASS else 1 << square, frame)


search = uct_kernel(
    "othello",
    128,
    rules_of=frame_of,
    moves=moves,
    status_after=_status_after,
    after=_after,
    play_out=_play_out,
)
"""See `uct.uct_kernel`; a state is (discs of the side to move, discs of the other), the rules are the
frame."""
