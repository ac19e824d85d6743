"""The view of the trained patterns on an Othello position, in discs: in total, and around each corner."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from engine.games.othello.rules import OthelloState

SIZE = 8
"""The only board size supported; the 6 × 6 board lacks these edges."""

Numbers = npt.NDArray[Any]


def seen(state: OthelloState) -> Numbers:
    """Return the value of each instance of `kernels.shapes` for the side to move, in discs; 8 × 8 only."""
    from engine.games.othello.kernels.patterns import UNIT  # both imports load compiled code
    from engine.games.othello.searcher import weights_for

    shapes = _shapes()
    own, opposing = _squares(state.own), _squares(state.opponent)
    contents = own @ shapes.increments + 2 * (opposing @ shapes.increments)
    phase = shapes.phase_of(SIZE * SIZE - int(own.sum() + opposing.sum()))
    return np.asarray(weights_for(SIZE).for_black(phase)[contents + shapes.offsets] / UNIT)


def around_corner(corner: int) -> Numbers:
    """Return 1 for each instance with both that corner and the square diagonally next to it, else 0."""
    return _shapes().around[corner]


def _squares(board: int) -> Numbers:
    return np.array([board >> square & 1 for square in range(SIZE * SIZE)], np.int64)


class _Shapes:
    """The tables of `kernels.shapes` as integer arrays."""

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
