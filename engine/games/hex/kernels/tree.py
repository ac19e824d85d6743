"""Hex's Monte Carlo tree search: RAVE in the tree, and bridges kept in the playouts.

Cells have a border around them: cell (row, column) of n × n is `(row + 1) * (n + 2) + column + 1`. The border
above and below belongs to the first side, the border to the left and right to the second, its corners to
neither. `ring` holds the distances to a cell's six neighbours in their order around it, the first two twice.

A bridge joins two stones through two empty neighbours of both: if the other side takes one of these, the
owner takes the other one. In a playout the owner always does (Arneson, Hayward and Henderson, Monte Carlo
Tree Search in Hex, 2010). A playout fills the board, since a full board has exactly one winner; so the tree
need not know where a game was already over.

`tree` has a row of two words for each node: above two counts of 20 bits, the first has the row of its first
child, the second its cell. The counts are the simulations and the wins of the cell's side, and the same by
RAVE: a child that was hardly visited is valued by the playouts in which its cell went to the same side at any
time (Gelly and Silver 2007).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernels.control import must_stop
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel
from engine.kernels.uct import below, first_random, next_random

EMPTY, FIRST, SECOND, CORNER = range(4)
OWN, RAVE, WORDS = range(3)
COUNT_BITS = 20
MOST_SIMULATIONS = (1 << COUNT_BITS) - 1
NAME = 2 * COUNT_BITS
"""The place of the first child and of the cell in their words."""
EXPAND_AFTER = 3
RAVE_VISITS = 200.0
"""After so many visits a node's own results count as much as RAVE's."""

Tree = npt.NDArray[np.int64]


@inlined
def times_of(word: int) -> int:
    """Return the first count of a word, of simulations."""
    return word >> COUNT_BITS & MOST_SIMULATIONS


@inlined
def wins_of(word: int) -> int:
    return word & MOST_SIMULATIONS


@inlined
def _to_save(board: Bytes, ring: Words, cell: int, owner: int, turn: int) -> int:
    """Return the cell that keeps a bridge of the owner after the stone on `cell`; 0 if it attacks none."""
    # Without branches, which a processor would mostly guess wrong here, the search takes half the time.
    own = 0
    empty = 0
    for i in range(6):
        near = board[cell + ring[i]]
        own |= (near == owner) << i
        empty |= (near == EMPTY) << i
    own |= own << 6
    empty |= empty << 6
    saving = own & (empty >> 1) & (own >> 2) & 63
    if saving == 0:
        return 0
    saving |= saving << 6
    return int(cell + ring[(turn + lowest_index(saving >> turn)) % 6 + 1])


@inlined
def _has_first_won(board: Bytes, ring: Words, stack: Ints, size: int) -> bool:
    """Whether the first side joins the top and bottom edges; its stones on the way become CORNER."""
    stride = size + 2
    used = 0
    for cell in range(stride + 1, 2 * stride - 1):
        if board[cell] == FIRST:
            board[cell] = CORNER
            stack[used] = cell
            used += 1
    while used:
        used -= 1
        cell = stack[used]
        if cell >= size * stride:
            return True
        for i in range(6):
            near = cell + ring[i]
            if board[near] == FIRST and near > stride:
                board[near] = CORNER
                stack[used] = near
                used += 1
    return False


@inlined
def _play_out(board: Bytes, ring: Words, cells: Ints, size: int, side: int, random: int) -> int:
    """Fill the board, the side first; return the next random state. cells: scratch space."""
    left = 0
    for cell in range(size + 3, (size + 1) * (size + 2)):
        if board[cell] == EMPTY:
            random = next_random(random)
            other = below(random, left + 1)
            cells[left] = cells[other]
            cells[other] = cell
            left += 1
    answer = 0
    index = 0
    while index < left or answer:
        cell = answer
        if cell == 0:
            cell = cells[index]
            index += 1
        if board[cell] == EMPTY:
            board[cell] = side
            side = 3 - side
            random = next_random(random)
            answer = _to_save(board, ring, cell, side, below(random, 6))
    return random


@inlined
def _best_child(tree: Tree, base: int, count: int, turn: int) -> int:
    """Return the child to visit next, of `count` from row `base` on."""
    best = base
    best_value = -1.0
    for i in range(count):
        child = base + (i + turn) % count
        own = tree[child, OWN]
        by_rave = tree[child, RAVE]
        visits = times_of(own)
        seen = times_of(by_rave)
        value = 0.5 if seen == 0 else wins_of(by_rave) / seen
        if visits:
            share = RAVE_VISITS / (RAVE_VISITS + visits)
            value = share * value + (1.0 - share) * wins_of(own) / visits
        if value > best_value:
            best_value = value
            best = child
    return int(best)


@kernel("void(int64[:, ::1], int8[::1], int64[::1], int64, int64, int64, int64)")
def simulate(tree: Tree, start: Bytes, ring: Words, size: int, mover: int, seed: int, context: int) -> None:
    """Run simulations until the node limit, which counts simulations here, or until stopped.

    tree: zeros; its rows are the room. start: the board, with an empty cell. mover: FIRST or SECOND. The
    result is the root's children, one for each empty cell.
    """
    random = first_random(seed)
    board = start.copy()
    flooded = start.copy()
    scratch = np.empty(len(start), np.int32)
    path = np.empty(len(start), np.int64)
    path[0] = 0
    used = 1
    empty = 0
    for cell in range(size + 3, (size + 1) * (size + 2)):
        empty += start[cell] == EMPTY
    for _ in range(MOST_SIMULATIONS):
        if must_stop(context):
            break
        board[:] = start
        node = 0
        plies = 0
        side = mover
        while plies < empty:
            if tree[node, OWN] >> NAME == 0:  # not expanded: row 0 is the root, which is no node's child
                # The root's children are the result, so it is expanded at once.
                visits = times_of(tree[node, OWN])
                if (visits < EXPAND_AFTER and node) or used + size * size > len(tree):
                    break
                tree[node, OWN] += used << NAME
                for cell in range(size + 3, (size + 1) * (size + 2)):
                    if board[cell] == EMPTY:
                        tree[used, RAVE] = cell << NAME
                        used += 1
            random = next_random(random)
            left = empty - plies
            node = _best_child(tree, tree[node, OWN] >> NAME, left, below(random, left))
            board[tree[node, RAVE] >> NAME] = side
            side = 3 - side
            plies += 1
            path[plies] = node
        random = _play_out(board, ring, scratch, size, side, random)
        flooded[:] = board
        winner = FIRST if _has_first_won(flooded, ring, scratch, size) else SECOND
        side = mover
        for ply in range(plies + 1):
            node = path[ply]
            # The node's cell is of the side that is not to move.
            tree[node, OWN] += (1 << COUNT_BITS) + (winner != side)
            base = tree[node, OWN] >> NAME
            # RAVE: the playout counts for each child whose cell this side took, now or later.
            gain = (1 << COUNT_BITS) + (winner == side)
            for child in range(base, base + empty - ply if base else base):
                tree[child, RAVE] += gain * (board[tree[child, RAVE] >> NAME] == side)
            side = 3 - side
