"""Hex's Monte Carlo tree search, and wins that bridges prove."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, reduce
from itertools import combinations
from operator import or_
from typing import Any, cast

import numpy as np

from engine.core import Move, Player
from engine.games.hex.kernels import tree as kernel
from engine.games.hex.rules import HexState
from engine.kernels.control import CONTEXT_WORDS
from engine.kernels.running import Run

_MOST_NODES = 2_800_000
"""Rows of a tree: 43 MiB, enough for 60,000 simulations, and none is touched before it is needed."""
_ROWS_A_SIMULATION = 45
_MOST_STEPS = 2_000
"""Of the search for bridges, some tens of milliseconds."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A move's simulations and the share of them that its side won; RAVE's share counts as one more."""

    visits: int
    share: float


def simulated(state: HexState, run: Run, seed: int) -> dict[Move, Tried]:
    """Return every legal cell with the results of simulations, until the run ends; the game must go on."""
    size, stride = state.size, state.size + 2
    board = np.zeros((stride, stride), np.int8)
    board[[0, -1]], board[:, [0, -1]] = kernel.FIRST, kernel.SECOND
    board[[0, 0, -1, -1], [0, -1, 0, -1]] = kernel.CORNER
    for cell, owner in enumerate(state.cells()):
        if owner is not None:
            board[cell // size + 1, cell % size + 1] = owner + 1
    offsets = (-stride, 1 - stride, 1, stride, stride - 1, -1)
    ring = np.array([*offsets, *offsets[:2]], np.int64)
    rows = min(_MOST_NODES, 2 * size**2 + _ROWS_A_SIMULATION * run.nodes_left)
    tree = np.zeros((rows, kernel.WORDS), np.int64)
    context = np.zeros(CONTEXT_WORDS, np.int64)
    place = run.describe(context, ())
    cast(Any, kernel.simulate)(tree, board.ravel(), ring, size, state.to_move + 1, seed, place)
    first = int(tree[0, kernel.OWN]) >> kernel.NAME
    found: dict[Move, Tried] = {}
    for own, by_rave in tree[first : first + state.free.bit_count()].tolist() if first else ():
        row, column = divmod(by_rave >> kernel.NAME, stride)
        found[(row - 1) * size + column - 1] = _tried(own, by_rave)
    return found


def _tried(own: int, by_rave: int) -> Tried:
    (visits, wins), (seen, seen_wins) = map(_counts, (own, by_rave))
    share = seen_wins / seen if seen else 0.5
    return Tried(visits, (wins + share) / (visits + 1))


def _counts(word: int) -> tuple[int, int]:
    """Return the simulations and the wins of a word of the tree."""
    return word >> kernel.COUNT_BITS & kernel.MOST_SIMULATIONS, word & kernel.MOST_SIMULATIONS


def bridges(state: HexState, player: Player) -> tuple[Move, ...] | None:
    """Return the cells of bridges that join the player's edges for sure; () if a chain does already.

    The bridges share no cell, so an attack on one is answered there, and nothing else can cut them. None: no
    such bridges were found, which proves nothing.
    """
    size, sides = state.size, state.cells()
    # The player's edges are rows of stones above and below; SECOND's board is turned over the diagonal.
    places = range(size * size)
    cells = places if player is Player.FIRST else [size * (at % size) + at // size for at in places]
    mine, free, near = 0, 0, _near(size)
    for at, cell in enumerate(cells, start=size):
        mine |= (sides[cell] is player) << at
        free |= (sides[cell] is None) << at
    top = (1 << size) - 1
    bottom = top << size * (size + 1)
    rest, groups = mine | top | bottom, list[int]()
    while rest:
        grown, joined = 0, 1 << rest.bit_length() - 1
        while grown != joined:
            grown, joined = joined, joined | _beside(joined & ~grown, near) & rest
        rest &= ~joined
        groups.append(joined)
    if groups[0] & top:
        return ()
    left = _MOST_STEPS
    liberties = [_beside(joined, near) & free for joined in groups]

    def reach(others: tuple[int, ...], around: int, used: int) -> int | None:
        """Return the used cells and those of the bridges to group 0, the bottom; None without any.

        others: the groups that are not joined yet. around: the empty cells beside the joined ones.
        """
        nonlocal left
        left -= 1
        for at in others:
            shared = [1 << cell for cell in bits_of(around & liberties[at] & ~used)]
            for one, other in combinations(shared, 2):
                if not at:
                    return used | one | other
                left_out = tuple(each for each in others if each != at)
                if left > 0 and (found := reach(left_out, around | liberties[at], used | one | other)):
                    return found
        return None

    (start,) = (at for at, joined in enumerate(groups) if joined & top)
    found = reach(tuple(at for at in range(len(groups)) if at != start), liberties[start], 0)
    return None if found is None else tuple(sorted(cells[at - size] for at in bits_of(found)))


@cache
def _near(size: int) -> tuple[int, ...]:
    """Return the neighbours of each cell, as bits, on a board with a row more above and below."""
    found = []
    for cell in range(size * (size + 2)):
        row, column = divmod(cell, size)
        ring = ((-1, 0), (-1, 1), (0, 1), (1, 0), (1, -1), (0, -1))
        places = [(row + down, column + right) for down, right in ring]
        fits = [(r, c) for r, c in places if 0 <= r < size + 2 and 0 <= c < size]
        found.append(sum(1 << size * r + c for r, c in fits))
    return tuple(found)


def bits_of(cells: int) -> Iterator[int]:
    while cells:
        yield (cells & -cells).bit_length() - 1
        cells &= cells - 1


def _beside(group: int, near: tuple[int, ...]) -> int:
    return reduce(or_, (near[cell] for cell in bits_of(group)), 0)
