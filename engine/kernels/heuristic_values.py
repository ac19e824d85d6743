"""The scale of values in searches, for kernels and for agents in plain Python; independent of numba.

A won game is worth WIN less one `ply` per ply until the win, so faster wins and slower losses are preferred.
Heuristic values stay far below DECIDED, values of won games lie above it.
"""

from __future__ import annotations

WIN = 1_000_000
DECIDED = 900_000


def plies_to_end(value: float, ply: int = 1) -> int | None:
    """Return the number of plies until the end of the game that a value promises; None for a heuristic value.

    ply: how much the game subtracts per ply.
    """
    return None if abs(value) <= DECIDED else -(-(WIN - abs(int(value))) // ply)


# Weights in games of k in a row, over all windows of k squares: k - 1 of mine and one empty; k - 2 of mine
# and two empty; k - 1 of theirs and one empty; and each disc of mine in the centre.
ONE_SHORT, TWO_SHORT, OPPOSING_ONE_SHORT, CENTRE_DISC = 5, 2, -4, 3
