"""The tree and the random numbers of Monte Carlo tree search, for the kernels of every game to inline.

The tree is a set of arrays, one element a node, the root first and siblings side by side:

    first     index of the first child; 0 while the node has none
    children  how many children stand there
    square    the move that leads here, as the kernel's square
    status    OPEN, or how the game has ended here: MOVER_WON (whoever played `square`), MOVER_LOST, DRAWN
    visits    simulations that came through
    gain      their results for the player who played `square`: 1 a win, -1 a loss, added up

A seventh array of one element, `size`, holds how many nodes there are: 0 where the tree has yet to begin, and
its first simulations are those of an earlier search where it has not.
"""

from __future__ import annotations

import math

from engine.kernels.intrinsics import popcount, shift_right
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel

OPEN, MOVER_WON, MOVER_LOST, DRAWN = range(4)

FORCED_SIMULATIONS = 1000
"""Where one move alone is worth trying, more simulations than this would only cost time."""


@inlined
def next_random(state: int) -> int:
    """The next state of a xorshift generator, never 0 (Marsaglia, Xorshift RNGs, 2003: 13, 7, 17)."""
    state ^= state << 13
    state ^= shift_right(state, 7)
    return state ^ (state << 17)


@inlined
def first_random(seed: int) -> int:
    """A state to begin with, spread over all bits even for small seeds."""
    state = seed | 1
    for _ in range(16):
        state = next_random(state)
    return state


@inlined
def below(state: int, count: int) -> int:
    """A number from 0 to count - 1 out of a random state."""
    return shift_right(shift_right(state, 33) * count, 31)


@inlined
def random_bit(bits: int, state: int) -> int:
    """One of the set bits, alone."""
    for _ in range(below(state, popcount(bits))):
        bits &= bits - 1
    return bits & -bits


@inlined
def select_child(
    node: int, exploration: float, random: int, first: Ints, children: Bytes, visits: Ints, gain: Ints
) -> int:
    """The child to look at next: one not visited yet, else that of the highest upper confidence bound.

    UCB1 (Kocsis and Szepesvari, Bandit based Monte-Carlo Planning, 2006): mean + c sqrt(ln N / n). The
    scan begins at a random child, which settles ties.
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
    """What an ended game gave the player who ended it."""
    if status == MOVER_WON:
        return 1
    return -1 if status == MOVER_LOST else 0


@inlined
def back_up(path: Words, depth: int, result: int, visits: Ints, gain: Ints) -> None:
    """Enters the result, as the last node's mover sees it, into every node of the path."""
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
    """Starts a node without children."""
    first[index] = 0
    children[index] = 0
    square[index] = move_square
    status[index] = node_status
    visits[index] = 0
    gain[index] = 0


_TREE = "int32[::1], int8[::1], int8[::1], int8[::1], int32[::1], int32[::1]"


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
    """Copies the part of a tree below `node`, which becomes the root of the new one; returns its size.

    Level by level, as far as `room` nodes reach: what lies deeper is forgotten. origin: as many elements
    as there is room, to note where each node came from.
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
