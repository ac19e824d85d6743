"""Tables of squares and lines of the Othello board, built into the code of kernels."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from engine.games.othello.kernels.vectors import RAYS_DOWN, RAYS_UP, signed
from engine.kernels.intrinsics import built_in


def _quadrant(square: int) -> int:
    """Return the bit of the quadrant that contains the square."""
    return 1 << (square % 8 >= 4) + 2 * (square // 8 >= 4)


def _squares_of_quadrants(quadrants: int) -> int:
    return sum(1 << square for square in range(64) if _quadrant(square) & quadrants)


# The typical value of squares, one eighth of the board; only the order matters. A corner is permanent, the X
# square next to it gives it away, C squares nearly so; the middle is taken at the start of the game.
#       a/h  b/g  c/f  d/e
_EIGHTH = (
    (40, 6, 28, 22),
    (6, 0, 10, 14),
    (28, 10, 24, 18),
    (22, 14, 18, 16),
)


# The same for the small board in the middle of the grid, with its edges on rows and columns 1 and 6.
_SMALL_EIGHTH = (
    (0, 0, 0, 0),
    (0, 40, 10, 24),
    (0, 10, 0, 16),
    (0, 24, 16, 18),
)


def _square_value(square: int, eighth: tuple[tuple[int, ...], ...]) -> int:
    x, y = square % 8, square // 8
    return eighth[min(y, 7 - y)][min(x, 7 - x)]


@cache
def stable_on_edge(own: int, opposing: int) -> int:
    """Return the discs, of both sides, that no sequence of moves on this edge of eight squares can turn.

    Both sides may move anywhere, even without turning a disc: moves elsewhere can make any square of the
    edge playable.
    """
    taken = own | opposing
    stable = taken
    for square in range(8):
        if taken >> square & 1:
            continue
        for mover, other in ((own, opposing), (opposing, own)):
            turned = turned_on_line(square, mover, other)
            after = stable_on_edge(*_in_order(mover == own, mover | 1 << square | turned, other & ~turned))
            stable &= after & ~turned
    return stable


def _in_order(is_own: bool, mover: int, other: int) -> tuple[int, int]:
    return (mover, other) if is_own else (other, mover)


def turned_on_line(square: int, mover: int, other: int) -> int:
    """Return the discs of `other` that the mover turns by playing on that square of a line of eight."""
    turned = 0
    for step in (-1, 1):
        run, here = 0, square + step
        while 0 <= here < 8 and other >> here & 1:
            run |= 1 << here
            here += step
        if 0 <= here < 8 and mover >> here & 1:
            turned |= run
    return turned


def _edges() -> npt.NDArray[np.uint8]:
    """own discs << 8 | opposing discs -> own discs that are stable."""
    table = np.zeros(1 << 16, np.uint8)
    for own in range(256):
        for opposing in range(256):
            if not own & opposing:
                table[own << 8 | opposing] = stable_on_edge(own, opposing) & own
    return table


def _last_turns() -> npt.NDArray[np.uint8]:
    """square << 8 | own discs -> twice the discs turned there if the rest of the line is opposing."""
    table = np.zeros(1 << 11, np.uint8)
    for square in range(8):
        for own in range(256):
            turned = turned_on_line(square, own, 255 & ~own & ~(1 << square))
            table[square << 8 | own] = 2 * turned.bit_count()
    return table


def _diagonals(lane: int) -> npt.NDArray[np.int64]:
    return np.array(
        [signed(RAYS_UP[square][lane] | RAYS_DOWN[square][lane] | 1 << square) for square in range(64)],
        np.int64,
    )


SQUARES = range(64)
QUADRANTS = np.array([_quadrant(square) for square in SQUARES], np.int8)
SQUARE_VALUES = np.array(
    [_square_value(square, each) for each in (_EIGHTH, _SMALL_EIGHTH) for square in SQUARES], np.int8
)
SMALL_BOARD = 64
"""Added to the index of a square, it gives the index of its value on the small board."""

quadrant_of = built_in("othello_quadrant", QUADRANTS)
"""The bit of the square's quadrant."""
squares_of = built_in(
    "othello_squares_of", np.array([signed(_squares_of_quadrants(q)) for q in range(16)], np.int64)
)
"""The squares of all quadrants in a set of quadrant bits."""
square_value = built_in("othello_square_value", SQUARE_VALUES)
"""0 to 40, the typical value of a square; those of the small board follow those of the large."""
stable_edge = built_in("othello_stable_edge", _edges())
"""own << 8 | opposing, two edges of eight bits: the own discs that are stable."""
last_turns = built_in("othello_last_turns", _last_turns())
"""square << 8 | own: twice the number of discs turned on the last empty square of a line."""
diagonal_of = built_in("othello_diagonal", _diagonals(3))
"""The squares of the diagonal from top left to bottom right through a square."""
antidiagonal_of = built_in("othello_antidiagonal", _diagonals(1))
"""The squares of the diagonal from top right to bottom left through a square."""
