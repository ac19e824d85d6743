"""What may be played in a position, by name, for refusals that say what is allowed."""

from __future__ import annotations

from itertools import islice

from engine.core import State
from engine.games import game as game_of

MOST_NAMED = 10
"""More would fill the answer: a large board has hundreds of squares."""


def playable(game: str, state: State) -> str:
    """`1, 2, 3`: the first of the legal moves as people write them, with an ellipsis where there are more."""
    rules, moves = game_of(game), state.legal_moves()
    named = ", ".join(rules.move_name(state, move) for move in islice(moves, MOST_NAMED))
    return f"{named}, …" if len(moves) > MOST_NAMED else named
