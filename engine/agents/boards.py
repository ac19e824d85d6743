"""Conversion of states for the compiled searches."""

from __future__ import annotations

from engine.core import EngineError, State
from engine.games import spec_of_state
from engine.games.search_board import SearchBoard


def board_of(state: State) -> SearchBoard:
    """Return the search board of a state; raises EngineError for a game without one, and if it is over.

    `plain_search` handles games without one.
    """
    if not state.legal_moves():
        raise EngineError("the game is over: there is no move to choose")
    make = spec_of_state(state).search.board
    if make is None:
        raise EngineError(f"no search knows the game of {type(state).__name__}")
    return make(state)
