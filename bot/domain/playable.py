"""Names of the legal moves in a position, for error messages."""

from __future__ import annotations

from itertools import islice

from engine.core import State
from engine.games import game as game_of

MAX_NAMED_MOVES = 10
"""Limit of the names in one message: a large board has hundreds of squares."""


def playable(game: str, state: State) -> str:
    """Return the first legal moves as people write them, such as `1, 2, 3, …`."""
    rules, moves = game_of(game), state.legal_moves()
    named = ", ".join(rules.move_name(state, move) for move in islice(moves, MAX_NAMED_MOVES))
    return f"{named}, …" if len(moves) > MAX_NAMED_MOVES else named
