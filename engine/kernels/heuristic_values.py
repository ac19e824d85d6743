"""What states are worth, for kernels and for agents in plain Python; kept apart from numba.

A won game counts WIN, less one `ply` for every ply until then, so that quicker wins and later losses are
preferred. Every heuristic value stays far below DECIDED, every won game above it.
"""

from __future__ import annotations

WIN = 1_000_000
DECIDED = 900_000


def plies_to_end(value: float, ply: int = 1) -> int | None:
    """After how many plies the game is over that a search's value promises; None for a heuristic's value.

    ply: what the game takes off for each.
    """
    return None if abs(value) <= DECIDED else -(-(WIN - abs(int(value))) // ply)


# Games of k in a row, over all windows of k squares: k - 1 of mine and one empty; k - 2 of mine and two
# empty; k - 1 of theirs and one empty; and every disc of mine in the centre.
ONE_SHORT, TWO_SHORT, OPPOSING_ONE_SHORT, CENTRE_DISC = 5, 2, -4, 3
