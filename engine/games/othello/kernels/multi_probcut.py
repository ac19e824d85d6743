"""The margins of multi-ProbCut: how far a shallow search must be outside the window to replace a deep one.

The difference between two searches of a position is nearly normal; `tools/othello_margins.py` measured and
fitted its standard deviation, and prints the numbers below.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

from engine.games.othello.kernels.context import EXACT
from engine.games.othello.kernels.midgame import NO_MARGIN

DEVIATIONS = (1.0, 1.5, 2.0, 2.5, 3.0)
"""The margin of each confidence below EXACT, in standard deviations."""
CERTAINTY = (68, 87, 95, 99, 99.7, 100)
"""The probability, in percent, that a normal deviate is within that margin."""

_CONSTANT, _BY_GAP, _BY_SHALLOW, _BY_EMPTIES = 2.0615, 0.3116, 1.7430, -0.0244


def shallow_depth(depth: int) -> int:
    """As `midgame.shallow_depth`."""
    half = depth >> 1
    return half - ((depth ^ half) & 1)


def deviation(empties: int, depth: int) -> float:
    """Return the standard deviation in discs between searches of `depth` and of its shallow depth."""
    shallow = shallow_depth(depth)
    gap = min(depth - shallow, 9)
    return _CONSTANT + _BY_GAP * gap + _BY_SHALLOW / (shallow + 1) + _BY_EMPTIES * empties


@cache
def margins() -> npt.NDArray[np.int16]:
    """Return [confidence, empty squares, depth]: the margin in discs; NO_MARGIN if cuts are forbidden."""
    table = np.full((EXACT + 1, 64, 64), NO_MARGIN, np.int16)
    for confidence, deviations in enumerate(DEVIATIONS):
        for empties in range(61):
            for depth in range(3, 61):
                margin = round(deviations * deviation(empties, depth))
                table[confidence, empties, depth] = min(margin, NO_MARGIN)
    return table
