"""Positions that are equal up to rotation and reflection, and moves that lead to such a pair."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from engine.core import EndReason, Move, Player, State
from engine.games import spec_of_state
from engine.games.spec import Layout

Cells = tuple[int, ...]
Key = tuple[str, tuple[object, ...]]


def are_equivalent(state: State, move: Move, other: Move) -> bool:
    """Whether both moves lead to the same position, or to images of one, so that neither is better.

    A move of a group, e.g. a swap, is never equivalent to another, nor is one that ends the game otherwise:
    by repetition, say.
    """
    if move == other:
        return True
    spec = spec_of_state(state)
    if any(spec.group_of(state, one) is not None for one in (move, other)):
        return False
    after, image = state.play(move), state.play(other)
    return _ending(after) == _ending(image) and canonical(after) == canonical(image)


def _ending(state: State) -> tuple[Player | None, EndReason] | None:
    outcome = state.outcome()
    return None if outcome is None else (outcome.winner, outcome.reason)


def canonical(state: State) -> Key:
    """Return a key that is equal for a position and all its images: the smallest of `images_of`."""
    return min(images_of(state))


def images_of(state: State) -> Iterator[Key]:
    """Yield keys of the position and of all its images, its own first: the game, and the cells.

    Cells are 1 for the side to move, 2 for the other, 0 for empty, whichever side began. A game with places,
    pieces or presses of its own has no images: men may move ahead alone, and pits hold numbers.
    """
    look = spec_of_state(state).look
    if (look.places, look.pieces, look.press) != (None, None, None):
        pieces = spec_of_state(state).pieces_of(state)
        yield type(state).__name__, (state.to_move, *sorted(pieces.items(), key=itemgetter(0)))
        return
    numbers = {None: 0, state.to_move: 1, state.to_move.other: 2}
    cells = tuple([numbers[player] for player in state.cells()])
    drops = look.layout is Layout.COLUMNS
    for image in _images(cells, state.rows, state.columns, drops=drops):
        yield type(state).__name__, image


def _images(cells: Cells, rows: int, columns: int, *, drops: bool) -> Iterator[Cells]:
    """Yield the two images of a board with dropping discs, or the eight of the square."""
    grid = [cells[start : start + columns] for start in range(0, rows * columns, columns)]
    for _ in range(1 if drops else 4):
        yield tuple(cell for row in grid for cell in row)
        yield tuple(cell for row in grid for cell in reversed(row))
        grid = [tuple(row) for row in zip(*reversed(grid), strict=True)]
