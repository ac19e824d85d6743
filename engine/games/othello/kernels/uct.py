"""Monte Carlo tree search for Othello (boards as in `engine.games.othello.kernels.board`)."""

from __future__ import annotations

import numpy as np

from engine.games.othello.kernels.board import GRID_CORNERS, INNER_CORNERS, INNER_FRAME, PASS, flips, moves
from engine.kernels.control import NODE_LIMIT, must_stop
from engine.kernels.intrinsics import lowest_index, popcount
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel
from engine.kernels.uct import (
    DRAWN,
    FORCED_SIMULATIONS,
    MOVER_LOST,
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

_LONGEST_GAME = 128


@inlined
def _winner_sign(own: int, opposing: int) -> int:
    margin = popcount(own) - popcount(opposing)
    return 1 if margin > 0 else (-1 if margin < 0 else 0)


@inlined
def _play_out(own: int, opposing: int, random: int, frame: int) -> tuple[int, int]:
    """A random game from here, corners first: (1 when the side to move wins, -1, 0), random state."""
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
        move = random_bit(free, random)
        turned = flips(move, own, opposing)
        own, opposing = opposing ^ turned, own | move | turned
        sign = -sign


@inlined
def _status_after(own: int, opposing: int, frame: int) -> int:
    """The status of a node whose mover owns `own`, the other side being to move."""
    if moves(opposing, own, frame) or moves(own, opposing, frame):
        return OPEN
    sign = _winner_sign(own, opposing)
    return MOVER_WON if sign > 0 else (MOVER_LOST if sign < 0 else DRAWN)


@inlined
def _expand(
    node: int,
    used: int,
    own: int,
    opposing: int,
    frame: int,
    first: Ints,
    children: Bytes,
    square: Bytes,
    status: Bytes,
    visits: Ints,
    gain: Ints,
) -> int:
    """Gives the node its children from index `used` on; returns the first index after them."""
    left = moves(own, opposing, frame)
    first[node] = used
    if left == 0:
        add_node(used, PASS, OPEN, first, children, square, status, visits, gain)
        used += 1
    while left:
        move = left & -left
        left ^= move
        turned = flips(move, own, opposing)
        ended = _status_after(own | move | turned, opposing ^ turned, frame)
        add_node(used, lowest_index(move), ended, first, children, square, status, visits, gain)
        used += 1
    children[node] = used - first[node]
    return used


@kernel(
    "void(int64, int64, float64, int64, int64, int64, int64[::1], int64[::1], int64[::1],"
    " int64[::1], int32[::1], int8[::1], int8[::1], int8[::1], int32[::1], int32[::1])"
)
def search(
    own: int,
    opposing: int,
    exploration: float,
    depth: int,
    seed: int,
    frame: int,
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

    own: discs of the side to move; the game must not be over. The tree grows to at most `depth` plies and
    as far as the arrays reach. The root's children are the result; see `uct` for the arrays and `control`
    for the rest.
    """
    random = first_random(seed)
    path = np.empty(_LONGEST_GAME + 1, np.int64)
    path[0] = 0
    used = size[0]
    if used == 0:
        add_node(0, 0, OPEN, first, children, square, status, visits, gain)
        used = 1
    if first[0] == 0:
        used = _expand(0, used, own, opposing, frame, first, children, square, status, visits, gain)
    if children[0] == 1:
        counters[NODE_LIMIT] = min(counters[NODE_LIMIT], FORCED_SIMULATIONS)
    visits[0] = max(visits[0], 1)  # the root's own visit: the logarithm exists from the start
    capacity = len(first) - _LONGEST_GAME
    while not must_stop(counters, stop, timer):
        node = 0
        plies = 0
        here = own
        there = opposing
        while status[node] == OPEN and plies < depth:
            if first[node] == 0:
                if visits[node] == 0 or used >= capacity:
                    break
                used = _expand(node, used, here, there, frame, first, children, square, status, visits, gain)
            random = next_random(random)
            node = select_child(node, exploration, random, first, children, visits, gain)
            plies += 1
            path[plies] = node
            if square[node] == PASS:
                here, there = there, here
            else:
                move = 1 << square[node]
                turned = flips(move, here, there)
                here, there = there ^ turned, here | move | turned
        if status[node] == OPEN:
            outcome, random = _play_out(here, there, random, frame)
            result = -outcome
        else:
            result = result_of(status[node])
        back_up(path, plies, result, visits, gain)
    size[0] = used
