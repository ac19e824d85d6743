"""Monte Carlo tree search for games of k in a row (boards as in `engine.kernels.lines`)."""

from __future__ import annotations

from engine.kernels.control import rules_of
from engine.kernels.jit import inlined
from engine.kernels.lines import BOARD, DROPS, Shape, moves, winning_squares
from engine.kernels.uct import DRAWN, MOVER_WON, OPEN, next_random, random_bit, uct_kernel


@inlined
def _sensible(free: int, wins: int, threats: int, shape: Shape) -> int:
    """Return the moves worth trying: a win, else an answer to a threat, else moves that do not give a win.

    free: the legal moves; wins, threats: squares that complete a line for the side to move, for the other.
    Decisive and anti-decisive moves (Teytaud and Teytaud, 2010), in the tree and in the playouts.
    """
    now = free & wins
    if now:
        return now & -now
    now = free & threats
    if now:
        return now & -now
    if shape[DROPS]:
        safe = free & ~(threats >> 1)  # not right below a square where the other would win
        if safe:
            return safe
    return free


@inlined
def _play_out(own: int, mask: int, random: int, shape: Shape) -> tuple[int, int]:
    """Play a random game from here: (1 if the side to move wins, -1 if it loses, 0), random state."""
    sign = 1
    wins = winning_squares(own, mask, shape)
    threats = winning_squares(own ^ mask, mask, shape)
    while mask != shape[BOARD]:
        free = moves(mask, shape)
        if free & wins:
            return sign, random
        random = next_random(random)
        move = random_bit(_sensible(free, wins, threats, shape), random)
        # After the change of sides, only the mover's own threats have to be computed again.
        own |= move
        mask |= move
        wins, threats = threats & ~move, winning_squares(own, mask, shape)
        own ^= mask
        sign = -sign
    return 0, random


@inlined
def _moves(own: int, mask: int, shape: Shape) -> int:
    wins = winning_squares(own, mask, shape)
    return _sensible(moves(mask, shape), wins, winning_squares(own ^ mask, mask, shape), shape)


@inlined
def _status_after(own: int, mask: int, move: int, shape: Shape) -> int:
    if move & winning_squares(own, mask, shape):
        return MOVER_WON
    return DRAWN if mask | move == shape[BOARD] else OPEN


@inlined
def _after(own: int, mask: int, square: int, shape: Shape) -> tuple[int, int]:  # noqa: ARG001
    return own ^ mask, mask | 1 << square


search = uct_kernel(
    "lines",
    64,
    rules_of=rules_of,
    moves=_moves,
    status_after=_status_after,
    after=_after,
    play_out=_play_out,
)
"""See `uct.uct_kernel`; a state is the stones of the side to move and all stones, the rules are the shape."""
