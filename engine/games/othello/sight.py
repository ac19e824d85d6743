"""What the trained patterns see in an Othello position, in discs: in all, and around each corner."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.othello.rules import OthelloState

SIZE = 8
"""Of the boards that are looked at; the 6 × 6 board has none of their edges."""

Numbers = npt.NDArray[Any]


def seen(state: OthelloState) -> Numbers:
    """What each instance of `kernels.shapes` is worth to the side to move, in discs; of 8 × 8 boards."""
    from engine.games.othello.kernels.patterns import UNIT  # load compiled code, as does the next
    from engine.games.othello.searcher import weights_for

    shapes = _shapes()
    own, opposing = _squares(state.own), _squares(state.opponent)
    contents = own @ shapes.increments + 2 * (opposing @ shapes.increments)
    phase = shapes.phase_of(SIZE * SIZE - int(own.sum() + opposing.sum()))
    return np.asarray(weights_for(SIZE).for_black(phase)[contents + shapes.offsets] / UNIT)


def around_corner(corner: int) -> Numbers:
    """Which instances have both that corner and the square diagonally beside it, 0 or 1 each."""
    return _shapes().around[corner]


def _squares(board: int) -> Numbers:
    return np.array([board >> square & 1 for square in range(SIZE * SIZE)], np.int64)


class _Shapes:
    """The tables of `kernels.shapes`, as arrays of whole numbers."""

    def __init__(self) -> None:
        from engine.games.othello.kernels import shapes

        self.increments = shapes.INCREMENTS[:, : shapes.FEATURES].astype(np.uint16).astype(np.int64)
        self.offsets, self.phase_of = shapes.FEATURE_OFFSETS, shapes.phase_of
        self.around = {
            corner: np.array([{corner, beside} <= set(squares) for _, squares in shapes.INSTANCES], np.int64)
            for corner, beside in ((0, 9), (7, 14), (56, 49), (63, 54))
        }


@cache
def _shapes() -> _Shapes:
    return _Shapes()
