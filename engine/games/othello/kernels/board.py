"""Othello on bitboards: moves, flips, end and heuristic, for kernels to inline.

Squares of the 8 x 8 grid from the top left, a1 = 0, h1 = 7, h8 = 63:

      a  b  c  d  e  f  g  h
   1  0  1  2  3  4  5  6  7
   2  8  9 10 11 12 13 14 15
   ...
   8 56 57 58 59 60 61 62 63

The 6 x 6 game uses the inner frame (b2 to g7 of this grid). h8 is the sign of an int64, hence `shift_right`.
A step east must not wrap to file a, nor one west to file h: rays in those directions cross only discs of the
six middle files, the only ones that a ray can cross.
"""

from __future__ import annotations

from engine.games.othello.kernels.heuristic_values import CORNER, DISC, MOBILITY, PLY
from engine.kernels.heuristic_values import WIN
from engine.kernels.intrinsics import popcount, shift_right
from engine.kernels.jit import inlined

MIDDLE_FILES = 0x7E7E7E7E7E7E7E7E
GRID_CORNERS = (1 << 0) | (1 << 7) | (1 << 56) | -(1 << 63)
INNER_FRAME = 0x007E7E7E7E7E7E00
INNER_CORNERS = (1 << 9) | (1 << 14) | (1 << 49) | (1 << 54)


@inlined
def _reach_up(own: int, passable: int, step: int) -> int:
    """Return the squares that rays of increasing index reach after crossing at least one disc."""
    run = passable & (own << step)
    run |= passable & (run << step)
    pairs = passable & (passable << step)
    run |= pairs & (run << 2 * step)
    run |= pairs & (run << 2 * step)
    return run << step


@inlined
def _reach_down(own: int, passable: int, step: int) -> int:
    run = passable & shift_right(own, step)
    run |= passable & shift_right(run, step)
    pairs = passable & shift_right(passable, step)
    run |= pairs & shift_right(run, 2 * step)
    run |= pairs & shift_right(run, 2 * step)
    return shift_right(run, step)


@inlined
def moves(own: int, opposing: int, frame: int) -> int:
    """Return the squares where the owner of `own` may play; 0 means a pass."""
    middle = opposing & MIDDLE_FILES
    reached = (
        _reach_up(own, middle, 1)
        | _reach_down(own, middle, 1)
        | _reach_up(own, middle, 7)
        | _reach_down(own, middle, 7)
        | _reach_up(own, opposing, 8)
        | _reach_down(own, opposing, 8)
        | _reach_up(own, middle, 9)
        | _reach_down(own, middle, 9)
    )
    return reached & frame & ~(own | opposing)


@inlined
def _flips_up(move: int, own: int, passable: int, step: int) -> int:
    """Return the discs between `move` and the first own disc beyond them; none if there is no such disc."""
    run = passable & (move << step)
    run |= passable & (run << step)
    pairs = passable & (passable << step)
    run |= pairs & (run << 2 * step)
    run |= pairs & (run << 2 * step)
    return run if own & (run << step) else 0


@inlined
def _flips_down(move: int, own: int, passable: int, step: int) -> int:
    run = passable & shift_right(move, step)
    run |= passable & shift_right(run, step)
    pairs = passable & shift_right(passable, step)
    run |= pairs & shift_right(run, 2 * step)
    run |= pairs & shift_right(run, 2 * step)
    return run if own & shift_right(run, step) else 0


@inlined
def flips(move: int, own: int, opposing: int) -> int:
    """Return the opposing discs that `move` (one bit) turns over."""
    middle = opposing & MIDDLE_FILES
    return (
        _flips_up(move, own, middle, 1)
        | _flips_down(move, own, middle, 1)
        | _flips_up(move, own, middle, 7)
        | _flips_down(move, own, middle, 7)
        | _flips_up(move, own, opposing, 8)
        | _flips_down(move, own, opposing, 8)
        | _flips_up(move, own, middle, 9)
        | _flips_down(move, own, middle, 9)
    )


@inlined
def final_value(own: int, opposing: int, distance: int) -> int:
    """Return the value of a finished game for the owner of `own`."""
    margin = popcount(own) - popcount(opposing)
    if margin > 0:
        return WIN - PLY * distance + margin
    if margin < 0:
        return PLY * distance - WIN + margin
    return 0


@inlined
def evaluate(own: int, opposing: int, own_moves: int, opposing_moves: int, frame: int) -> int:
    """The heuristic from the view of the owner of `own`; antisymmetric.

    Corners, legal moves and discs by `weights`; at most 4 x 30 + 33 x 5 + 64.
    """
    corners = INNER_CORNERS if frame == INNER_FRAME else GRID_CORNERS
    return (
        CORNER * (popcount(own & corners) - popcount(opposing & corners))
        + MOBILITY * (popcount(own_moves) - popcount(opposing_moves))
        + DISC * (popcount(own) - popcount(opposing))
    )
