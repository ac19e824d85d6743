"""Hex's Monte Carlo tree search: RAVE in the tree, and bridges kept in the playouts.

Cells have a border around them: cell (row, column) of n × n is `(row + 1) * (n + 2) + column + 1`. The border
above and below belongs to the first side, the border to the left and right to the second, its corners to
neither. `ring` holds the distances to a cell's six neighbours in their order around it, the first two twice.

A bridge joins two stones through two empty neighbours of both: if the other side takes one of these, the
owner takes the other one. In a playout the owner always does (Arneson, Hayward and Henderson, Monte Carlo
Tree Search in Hex, 2010). A playout fills the board, since a full board has exactly one winner; so the tree
need not know where a game was already over.

`tree` has a row for each node, with the columns below. A child that was hardly visited is valued by the
playouts in which its cell went to the same side at any time (RAVE, Gelly and Silver 2007).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernels.control import must_stop
from engine.kernels.jit import Bytes, Ints, Words, inlined, kernel
from engine.kernels.uct import below, first_random, next_random

EMPTY, FIRST, SECOND, CORNER = range(4)
CHILD, CHILDREN, CELL, VISITS, WINS, SEEN, SEEN_WINS, COLUMNS = range(8)
"""The first child, their number, the cell, simulations and wins of its side, and the same by RAVE."""
EXPAND_AFTER = 3
RAVE = 200.0
"""After so many visits a node's own results count as much as RAVE's."""

Tree = npt.NDArray[np.int32]


@inlined
def _to_save(board: Bytes, ring: Words, cell: int, owner: int, turn: int) -> int:
    """Return the cell that keeps a bridge of the owner after the stone on `cell`; 0 if it attacks none."""
    for i in range(6):
        at = (i + turn) % 6
        if (
            board[cell + ring[at]] == owner
            and board[cell + ring[at + 1]] == EMPTY
            and board[cell + ring[at + 2]] == owner
        ):
            return int(cell + ring[at + 1])
    return 0


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
def _best_child(tree: Tree, node: int, turn: int) -> int:
    """Return the child to visit next."""
    base = tree[node, CHILD]
    count = tree[node, CHILDREN]
    best = base
    best_value = -1.0
    for i in range(count):
        child = base + (i + turn) % count
        visits = tree[child, VISITS]
        seen = tree[child, SEEN]
        value = 0.5 if seen == 0 else tree[child, SEEN_WINS] / seen
        if visits:
            share = RAVE / (RAVE + visits)
            value = share * value + (1.0 - share) * tree[child, WINS] / visits
        if value > best_value:
            best_value = value
            best = child
    return int(best)


@kernel("void(int32[:, ::1], int8[::1], int64[::1], int64, int64, int64, int64)")
def simulate(tree: Tree, start: Bytes, ring: Words, size: int, mover: int, seed: int, context: int) -> None:
    """Run simulations until the node limit, which counts simulations here, or until stopped.

    tree: zeros; its rows are the room. start: the board, with an empty cell. mover: FIRST or SECOND. The
    result is the root's children.
    """
    random = first_random(seed)
    board = start.copy()
    flooded = start.copy()
    scratch = np.empty(len(start), np.int32)
    path = np.empty(len(start), np.int64)
    path[0] = 0
    used = 1
    while not must_stop(context):
        board[:] = start
        node = 0
        plies = 0
        side = mover
        while True:
            if tree[node, CHILD] == 0:  # not expanded: row 0 is the root, which is no node's child
                # The root's children are the result, so it is expanded at once. Any node's children fit into
                # size * size rows.
                if (tree[node, VISITS] < EXPAND_AFTER and node) or used + size * size > len(tree):
                    break
                tree[node, CHILD] = used
                for cell in range(size + 3, (size + 1) * (size + 2)):
                    if board[cell] == EMPTY:
                        tree[used, CELL] = cell
                        used += 1
                tree[node, CHILDREN] = used - tree[node, CHILD]
            if tree[node, CHILDREN] == 0:  # a full board
                break
            random = next_random(random)
            node = _best_child(tree, node, below(random, tree[node, CHILDREN]))
            board[tree[node, CELL]] = side
            side = 3 - side
            plies += 1
            path[plies] = node
        random = _play_out(board, ring, scratch, size, side, random)
        flooded[:] = board
        winner = FIRST if _has_first_won(flooded, ring, scratch, size) else SECOND
        side = mover
        for ply in range(plies + 1):
            node = path[ply]
            tree[node, VISITS] += 1
            tree[node, WINS] += winner != side  # its cell is of the side that is not to move
            # RAVE: the playout counts for each child whose cell this side took, now or later.
            for child in range(tree[node, CHILD], tree[node, CHILD] + tree[node, CHILDREN]):
                if board[tree[child, CELL]] == side:
                    tree[child, SEEN] += 1
                    tree[child, SEEN_WINS] += winner == side
            side = 3 - side
