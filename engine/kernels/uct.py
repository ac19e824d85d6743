"""Monte Carlo tree search by upper confidence bounds (UCT): one search, compiled for each game.

The tree is a set of arrays with one element per node, the root first and siblings side by side:

    first     index of the first child; 0 if the node has none yet
    children  number of children
    square    the move that leads here, as the kernel's square
    status    OPEN, or how the game ended here: MOVER_WON (the player of `square`), MOVER_LOST, DRAWN
    visits    number of simulations through the node
    gain      sum of their results for the player of `square`: 1 a win, -1 a loss

A seventh array of one element, `size`, holds the number of nodes: 0 for an empty tree. A tree that is not
empty starts with the simulations of an earlier search.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from engine.kernels.control import COUNTERS, NODE_LIMIT, PASS, must_stop
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel

OPEN, MOVER_WON, MOVER_LOST, DRAWN = range(4)

FORCED_SIMULATIONS = 1000
"""If one move alone is worth trying, more simulations than this would only cost time."""


@inlined
def next_random(state: int) -> int:
    """Return the next state of a xorshift generator, never 0 (Marsaglia, Xorshift RNGs, 2003: 13, 7, 17)."""
    state ^= state << 13
    state ^= shift_right(state, 7)
    return state ^ (state << 17)


@inlined
def first_random(seed: int) -> int:
    """Return an initial random state, spread over all bits even for small seeds."""
    state = seed | 1
    for _ in range(16):
        state = next_random(state)
    return state


@inlined
def below(state: int, count: int) -> int:
    """Return a number from 0 to count - 1, derived from a random state."""
    return shift_right(shift_right(state, 33) * count, 31)


@inlined
def random_bit(bits: int, state: int) -> int:
    """Return one of the set bits."""
    for _ in range(below(state, popcount(bits))):
        bits &= bits - 1
    return bits & -bits


@inlined
def select_child(
    node: int, exploration: float, random: int, first: Ints, children: Bytes, visits: Ints, gain: Ints
) -> int:
    """Return the child to visit next: an unvisited one, else the one with the highest upper confidence bound.

    UCB1 (Kocsis and Szepesvari, Bandit based Monte-Carlo Planning, 2006): mean + c sqrt(ln N / n). The scan
    starts at a random child, which breaks ties.
    """
    count = int(children[node])
    base = int(first[node])
    scale = exploration * exploration * math.log(visits[node])
    child = base + below(random, count)
    best = child
    best_bound = -math.inf
    for _ in range(count):
        seen = visits[child]
        if seen == 0:
            return child
        share = 1.0 / seen  # one division for both parts
        bound = gain[child] * share + math.sqrt(scale * share)
        if bound > best_bound:
            best_bound = bound
            best = child
        child += 1
        if child == base + count:
            child = base
    return best


@inlined
def result_of(status: Bytes) -> int:
    """Return the result of a finished game for the player who made its last move."""
    if status == MOVER_WON:
        return 1
    return -1 if status == MOVER_LOST else 0


@inlined
def back_up(path: Words, depth: int, result: int, visits: Ints, gain: Ints) -> None:
    """Add the result, from the view of the last node's mover, to every node of the path."""
    while depth >= 0:
        node = path[depth]
        visits[node] += 1
        gain[node] += result
        result = -result
        depth -= 1


@inlined
def add_node(
    index: int,
    move_square: int,
    node_status: int,
    first: Ints,
    children: Bytes,
    square: Bytes,
    status: Bytes,
    visits: Ints,
    gain: Ints,
) -> None:
    """Initialise a node without children."""
    first[index] = 0
    children[index] = 0
    square[index] = move_square
    status[index] = node_status
    visits[index] = 0
    gain[index] = 0


_TREE = "int32[::1], int8[::1], int8[::1], int8[::1], int32[::1], int32[::1]"


def uct_kernel(
    game: str,
    longest_game: int,
    *,
    rules_of: Callable[[int], Any],
    moves: Callable[[int, int, Any], int],
    status_after: Callable[[int, int, int, Any], int],
    after: Callable[[int, int, int, Any], tuple[int, int]],
    play_out: Callable[[int, int, int, Any], tuple[int, int]],
) -> Callable[..., None]:
    """Compile the search for one game.

    game: its name, for the cache of compiled code; longest_game: the maximum of plies, and of moves in a
    state. All parts are `inlined`, and a state is two int64, as in `alphabeta`:

    - rules_of(context): the constants of the game that the other parts need
    - moves(one, other, rules): the moves worth trying; none if only a pass is legal
    - status_after(one, other, move, rules): the status of the node that a move leads to
    - after(one, other, square, rules): the next state, from the other side's view; square: may be PASS
    - play_out(one, other, random, rules): a random game from a state that is not over: (1 if the side to
      move wins, -1 if it loses, 0; the next random state)
    """

    @inlined
    def expand(
        node: int,
        used: int,
        one: int,
        other: int,
        rules: Any,
        first: Ints,
        children: Bytes,
        square: Bytes,
        status: Bytes,
        visits: Ints,
        gain: Ints,
    ) -> int:
        """Add the children of a node from index `used` on; return the first index after them."""
        left = moves(one, other, rules)
        first[node] = used
        if left == 0:
            add_node(used, PASS, OPEN, first, children, square, status, visits, gain)
            used += 1
        while left:
            move = left & -left
            left ^= move
            ended = status_after(one, other, move, rules)
            add_node(used, lowest_index(move), ended, first, children, square, status, visits, gain)
            used += 1
        children[node] = used - first[node]
        return used

    def search(
        one: int,
        other: int,
        exploration: float,
        depth: int,
        seed: int,
        context: int,
        size: Words,
        first: Ints,
        children: Bytes,
        square: Bytes,
        status: Bytes,
        visits: Ints,
        gain: Ints,
    ) -> None:
        """Run simulations until the node limit, which counts simulations here, or until stopped.

        The game must not be over. The tree grows to at most `depth` plies, as far as the arrays reach. The
        result is the root's children; the module describes the arrays, `control` the context.
        """
        rules = rules_of(context)
        random = first_random(seed)
        path = np.empty(longest_game + 1, np.int64)
        path[0] = 0
        used = size[0]
        if used == 0:
            add_node(0, 0, OPEN, first, children, square, status, visits, gain)
            used = 1
        if first[0] == 0:
            used = expand(0, used, one, other, rules, first, children, square, status, visits, gain)
        if children[0] == 1:
            counters = load(context, COUNTERS)
            store(counters, NODE_LIMIT, min(load(counters, NODE_LIMIT), FORCED_SIMULATIONS))
        visits[0] = max(visits[0], 1)  # so that the logarithm in select_child is defined from the start
        capacity = len(first) - longest_game
        while not must_stop(context):
            node = 0
            plies = 0
            here = one
            there = other
            while status[node] == OPEN and plies < depth:
                if first[node] == 0:
                    if visits[node] == 0 or used >= capacity:
                        break
                    used = expand(
                        node, used, here, there, rules, first, children, square, status, visits, gain
                    )
                random = next_random(random)
                node = select_child(node, exploration, random, first, children, visits, gain)
                plies += 1
                path[plies] = node
                here, there = after(here, there, square[node], rules)
            if status[node] == OPEN:
                outcome, random = play_out(here, there, random, rules)
                result = -outcome
            else:
                result = result_of(status[node])
            back_up(path, plies, result, visits, gain)
        size[0] = used

    return kernel(f"void(int64, int64, float64, int64, int64, int64, int64[::1], {_TREE})", game)(search)


@kernel(f"int64(int64, int64, {_TREE}, {_TREE}, int32[::1])")
def copy_below(
    node: int,
    room: int,
    first: Ints,
    children: Bytes,
    square: Bytes,
    status: Bytes,
    visits: Ints,
    gain: Ints,
    new_first: Ints,
    new_children: Bytes,
    new_square: Bytes,
    new_status: Bytes,
    new_visits: Ints,
    new_gain: Ints,
    origin: Ints,
) -> int:
    """Copy the subtree below `node`, which becomes the root of the new tree; return its size.

    It copies level by level up to `room` nodes and drops deeper ones. origin: scratch space of `room`
    elements for the old index of each node.
    """
    origin[0] = node
    used = 1
    index = 0
    while index < used:
        old = origin[index]
        count = children[old]
        if first[old] and used + count <= room:
            new_first[index] = used
            new_children[index] = count
            for i in range(count):
                origin[used + i] = first[old] + i
            used += count
        else:
            new_first[index] = 0
            new_children[index] = 0
        new_square[index] = square[old]
        new_status[index] = status[old]
        new_visits[index] = visits[old]
        new_gain[index] = gain[old]
        index += 1
    return used
