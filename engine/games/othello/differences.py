"""Advantages of one Othello move over another, counted on the two boards they lead to.

On 8 × 8 the trained patterns must agree: they see the move at least some discs ahead in total, and around the
corner if the reason is about one. docs/othello.md has how often the solver agrees.
"""

from __future__ import annotations

from dataclasses import replace

from engine.core import Move
from engine.games.othello.rules import OthelloState
from engine.games.othello.sight import SIZE, Numbers, around_corner, seen
from engine.games.reasons import Reason, Why

_FEWER_REPLIES, _MORE_SAFE, _MORE_IN_HAND, _LAST_EMPTIES = 3, 2, 3, 16
"""The differences in replies, safe discs and exclusive squares that count; regions count up to this number of
empty squares."""

_SEEN, _SEEN_AROUND = 2.0, 4.0
"""The lead in discs that the patterns must see: in total; both in total and around the corner."""

_AXES = ((0, 1), (1, 0), (1, 1), (1, -1))


def differences(state: OthelloState, move: Move, other: Move) -> list[Reason]:
    """Return the advantages of the move over the other; each is a count and does not predict the winner."""
    if state.pass_move in (move, other) or move == other:
        return []
    after, instead = state.play(move), state.play(other)
    if after.outcome() is not None or instead.outcome() is not None:
        return []
    found: list[Reason] = []
    if state.size == SIZE:
        gained = seen(instead) - seen(after)  # both from the other side's view
        if gained.sum() < _SEEN:
            return []
        found += _beside_corner(state, move, other, gained)
        in_hand = squares_in_hand(after)
        if in_hand >= squares_in_hand(instead) + _MORE_IN_HAND:
            found.append(Reason(Why.TEMPO, in_hand))
    opened = [cell for cell in corners(state) if cell in instead.legal_moves()]
    closed = [cell for cell in opened if cell not in after.legal_moves() and after.cells()[cell] is None]
    if closed:
        found.append(Reason(Why.KEEPS_CORNER, cell=closed[0]))
    safe = len(safe_discs(after))
    if safe >= len(safe_discs(instead)) + _MORE_SAFE:
        found.append(Reason(Why.SAFE_DISCS, safe))
    fewer = replies(instead) - replies(after)
    if fewer >= _FEWER_REPLIES:
        found.append(Reason(Why.FEWER_REPLIES, fewer))
    empty = after.cells().count(None)
    if 0 < empty <= _LAST_EMPTIES and has_even_regions(after) and not has_even_regions(instead):
        found.append(Reason(Why.EVEN_REGIONS))
    return found


def _beside_corner(state: OthelloState, move: Move, other: Move, gained: Numbers) -> list[Reason]:
    """Return the reason that the other move takes an X-square of an empty corner, if that costs discs."""
    for corner in corners_beside(state, other):
        is_open = state.cells()[corner] is None and move != corner
        if is_open and min(gained.sum(), gained @ around_corner(corner)) >= _SEEN_AROUND:
            return [Reason(Why.X_SQUARE, cell=other)]
    return []


def corners_beside(state: OthelloState, square: Move) -> list[int]:
    """Return the corner diagonally next to the square, if any; the square is an X-square then."""
    steps = [(sign, axis) for sign in (1, -1) for axis in ((1, 1), (1, -1))]
    return [
        corner for sign, axis in steps if (corner := beside(square, axis, sign, state.size)) in corners(state)
    ]


def squares_in_hand(state: OthelloState) -> int:
    """Return how many squares the side that has just moved could take and the other side cannot."""
    turned = replace(state, own=state.opponent, opponent=state.own, to_move=state.to_move.other)
    return len(set(turned.legal_moves()) - set(state.legal_moves()) - {state.pass_move})


def safe_discs(state: OthelloState) -> frozenset[int]:
    """Return discs of the side that has just moved that can never be turned over; possibly not all.

    On each of the four lines through such a disc either all squares are taken, or it has the edge or another
    safe disc of the same colour on one side.
    """
    cells, size, mover = state.cells(), state.size, state.to_move.other
    own = {cell for cell, player in enumerate(cells) if player is mover}
    full = {
        (cell, axis)
        for cell in own
        for axis in _AXES
        if all(cells[c] is not None for c in _line(cell, axis, size))
    }
    safe: set[int] = set()
    while True:
        more = {
            cell
            for cell in own - safe
            if all(
                (cell, axis) in full
                or any(beside(cell, axis, sign, size) in {None} | safe for sign in (1, -1))
                for axis in _AXES
            )
        }
        if not more:
            return frozenset(safe)
        safe |= more


def has_even_regions(state: OthelloState) -> bool:
    """Whether every region of empty squares has an even number of them."""
    return all(len(region) % 2 == 0 for region in empty_regions(state))


def empty_regions(state: OthelloState) -> list[frozenset[int]]:
    """Return the connected regions of empty squares; diagonal neighbours are connected."""
    cells, size = state.cells(), state.size
    left = {cell for cell, player in enumerate(cells) if player is None}
    found = []
    while left:
        reached = [left.pop()]
        region = set(reached)
        while reached:
            cell = reached.pop()
            near = {beside(cell, axis, sign, size) for axis in _AXES for sign in (1, -1)}
            around = [cell for cell in left if cell in near]
            left.difference_update(around)
            region.update(around)
            reached += around
        found.append(frozenset(region))
    return found


def corners(state: OthelloState) -> tuple[int, ...]:
    size = state.size
    return (0, size - 1, size * (size - 1), size * size - 1)


def replies(state: OthelloState) -> int:
    return sum(move != state.pass_move for move in state.legal_moves())


def _line(cell: int, axis: tuple[int, int], size: int) -> list[int]:
    found = [cell]
    for sign in (1, -1):
        here = beside(cell, axis, sign, size)
        while here is not None:
            found.append(here)
            here = beside(here, axis, sign, size)
    return found


def beside(cell: int, axis: tuple[int, int], sign: int, size: int) -> int | None:
    """Return the neighbouring square; None beyond the edge."""
    row, column = cell // size + sign * axis[0], cell % size + sign * axis[1]
    return row * size + column if 0 <= row < size and 0 <= column < size else None
