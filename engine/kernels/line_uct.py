"""Monte Carlo tree search for games of k in a row (boards as in `engine.kernels.lines`)."""

from __future__ import annotations

import numpy as np

from engine.kernels.control import NODE_LIMIT, must_stop
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel
from engine.kernels.lines import BOARD, DROPS, Shape, moves, winning_squares
from engine.kernels.uct import (
    DRAWN,
    FORCED_SIMULATIONS,
    MOVER_WON,
    OPEN,
    add_node,
    back_up,
    first_random,
    next_random,
    random_bit,
    result_of,
    select_child,
)

_LONGEST_GAME = 64


@inlined
def _sensible(free: int, wins: int, threats: int, shape: Shape) -> int:
    """The moves worth trying: a win, else an answer to a threat, else none that hands over a win.

    free: the legal moves; wins, threats: squares that complete a line for the side to move, for the other.
    Decisive and anti-decisive moves (Teytaud and Teytaud, 2010), in the tree as in the playouts.
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
    """A random game from here: (1 when the side to move wins, -1 when it loses, 0), random state."""
    sign = 1
    wins = winning_squares(own, mask, shape)
    threats = winning_squares(own ^ mask, mask, shape)
    while mask != shape[BOARD]:
        free = moves(mask, shape)
        if free & wins:
            return sign, random
        random = next_random(random)
        move = random_bit(_sensible(free, wins, threats, shape), random)
        # The other side's turn: only the mover's own threats have to be found again.
        own |= move
        mask |= move
        wins, threats = threats & ~move, winning_squares(own, mask, shape)
        own ^= mask
        sign = -sign
    return 0, random


@inlined
def _expand(
    node: int,
    used: int,
    own: int,
    mask: int,
    shape: Shape,
    first: Ints,
    children: Bytes,
    square: Bytes,
    status: Bytes,
    visits: Ints,
    gain: Ints,
) -> int:
    """Gives the node its children from index `used` on; returns the first index after them."""
    free = moves(mask, shape)
    wins = winning_squares(own, mask, shape)
    left = _sensible(free, wins, winning_squares(own ^ mask, mask, shape), shape)
    first[node] = used
    while left:
        move = left & -left
        left ^= move
        if move & wins:
            ended = MOVER_WON
        elif mask | move == shape[BOARD]:
            ended = DRAWN
        else:
            ended = OPEN
        add_node(used, lowest_index(move), ended, first, children, square, status, visits, gain)
        used += 1
    children[node] = used - first[node]
    return used


@kernel(
    "void(int64, int64, float64, int64, int64, UniTuple(int64, 6), int64[::1], int64[::1], int64[::1],"
    " int64[::1], int32[::1], int8[::1], int8[::1], int8[::1], int32[::1], int32[::1])"
)
def search(
    own: int,
    mask: int,
    exploration: float,
    depth: int,
    seed: int,
    shape: Shape,
    stop: Words,
    timer: Words,
    counters: Words,
    size: Words,
    first: Ints,
    children: Bytes,
    square: Bytes,
    status: Bytes,
    visits: Ints,
    gain: Ints,
) -> None:
    """Simulates until the node limit, counted in simulations, or until told to stop.

    own: stones of the side to move; mask: all stones; the game must not be over. The tree grows to at most
    `depth` plies and as far as the arrays reach. The root's children are the result; see `uct` for the
    arrays and `control` for the rest.
    """
    random = first_random(seed)
    path = np.empty(_LONGEST_GAME + 1, np.int64)
    path[0] = 0
    used = size[0]
    if used == 0:
        add_node(0, 0, OPEN, first, children, square, status, visits, gain)
        used = 1
    if first[0] == 0:
        used = _expand(0, used, own, mask, shape, first, children, square, status, visits, gain)
    if children[0] == 1:
        counters[NODE_LIMIT] = min(counters[NODE_LIMIT], FORCED_SIMULATIONS)
    visits[0] = max(visits[0], 1)  # the root's own visit: the logarithm exists from the start
    capacity = len(first) - _LONGEST_GAME
    while not must_stop(counters, stop, timer):
        node = 0
        plies = 0
        here = own
        all_here = mask
        while status[node] == OPEN and plies < depth:
            if first[node] == 0:
                if visits[node] == 0 or used >= capacity:
                    break
                used = _expand(
                    node, used, here, all_here, shape, first, children, square, status, visits, gain
                )
            random = next_random(random)
            node = select_child(node, exploration, random, first, children, visits, gain)
            plies += 1
            path[plies] = node
            here ^= all_here
            all_here |= 1 << square[node]
        if status[node] == OPEN:
            outcome, random = _play_out(here, all_here, random, shape)
            result = -outcome
        else:
            result = result_of(status[node])
        back_up(path, plies, result, visits, gain)
    size[0] = used
