"""The sight of a weak Gomoku player: single squares by the lines it notices, near the discs on the board.

People overlook lines, not squares: an own line less often than the other side's, a row or column less often
than a diagonal, discs side by side less often than discs with a gap, and four in a row least of all. A line
that is overlooked counts for nothing, on all its squares, until the next move.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from engine.core import Move
from engine.games.gomoku.kernels.board import FIVE, FOUR, NOTHING, OPEN_FOUR, OPEN_THREE, OPEN_TWO, THREE
from engine.games.gomoku.rules import GomokuState
from engine.games.gomoku.searcher import VALUES, shape

_NEAR = 2
"""The distance from the nearest disc within which a move is considered."""
_BESIDE = 6
"""The value of a square next to a disc."""
_OF_TASTE = 12
"""The largest value that a square has for no reason."""
_DIAGONAL, _BROKEN, _OTHERS, _FIVE = 1.6, 1.4, 1.25, 0.6
"""How many times as often a line is overlooked: a diagonal, one with a gap, the other side's, or a four."""
_NEEDED = {OPEN_TWO: 1, THREE: 2, OPEN_THREE: 2, FOUR: 3, OPEN_FOUR: 3, FIVE: 4}
"""The number of discs that a shape has before the move."""
_STEPS = ((0, 1), (1, -1), (1, 0), (1, 1))


def noticed(state: GomokuState, overlooks: float, rng: random.Random) -> dict[Move, int]:
    """Return the value of each square that a player considers, who overlooks this share of plain lines."""
    cells = ["." if owner is None else "xo"[owner is state.to_move] for owner in state.cells()]
    lines: dict[tuple[int, int, bool], float] = {}
    values = {}
    for move, is_beside in _considered(state, cells):
        value = _BESIDE * is_beside + rng.randrange(_OF_TASTE)
        for direction, window in enumerate(_windows(state.size, cells, move)):
            for is_own, around in ((True, window), (False, window.translate(_SWAPPED))):
                seen = f"{around[:4]}o{around[5:]}"
                if (made := shape(seen)) == NOTHING:
                    continue
                line = (direction, _line(state.size, move, direction), is_own)
                luck = lines.setdefault(line, rng.random())
                if luck >= overlooks * _difficulty(seen, made, direction, is_own=is_own):
                    value += VALUES[made] * (1 + is_own)
        values[move] = value
    return values


_SWAPPED = str.maketrans("xo", "ox")


def _considered(state: GomokuState, cells: list[str]) -> Iterator[tuple[Move, bool]]:
    """Yield the empty squares near a disc, and whether they are next to one; all if none is near."""
    size, found = state.size, False
    discs = [divmod(square, size) for square, mark in enumerate(cells) if mark != "."]
    for move, mark in enumerate(cells):
        if mark != ".":
            continue
        row, column = divmod(move, size)
        distance = min((max(abs(row - r), abs(column - c)) for r, c in discs), default=_NEAR)
        if distance <= _NEAR:
            found = True
            yield move, distance == 1
    if not found:
        yield from ((move, False) for move, mark in enumerate(cells) if mark == ".")


def _windows(size: int, cells: list[str], move: Move) -> Iterator[str]:
    """Yield the nine cells of each line around the move; # is beyond the edge."""
    row, column = divmod(move, size)
    for down, right in _STEPS:
        marks = []
        for step in range(-4, 5):
            r, c = row + step * down, column + step * right
            marks.append(cells[r * size + c] if 0 <= r < size and 0 <= c < size else "#")
        yield "".join(marks)


def _line(size: int, move: Move, direction: int) -> int:
    row, column = divmod(move, size)
    return (row, row + column, column, row - column)[direction]


@cache
def _difficulty(window: str, made: int, direction: int, *, is_own: bool) -> float:
    """Return how many times as often as a plain line this one is overlooked."""
    before, behind = window[:4][::-1], window[5:]
    together = max(len(side) - len(side.lstrip("o")) for side in (before, behind))
    found = 1.0
    for holds, times in (
        (direction in (1, 3), _DIAGONAL),
        (together < _NEEDED[made], _BROKEN),
        (not is_own, _OTHERS),
        (made == FIVE, _FIVE),
    ):
        found *= times if holds else 1
    return found
