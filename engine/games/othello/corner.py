"""The corner agent of the Othello championship: a free corner if there is one, else any legal move."""

from __future__ import annotations

import random
import time

from engine.core import Choice, EngineError, Limit, SearchInfo, State, moves_of
from engine.games.othello.rules import OthelloState


class CornerAgent:
    """A random free corner, else a random legal move; Othello only."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (it needs no limit)
        """Return a legal move; raises EngineError for finished and other games."""
        started = time.perf_counter()
        if not isinstance(state, OthelloState):
            raise EngineError(f"the corner agent plays Othello only, not {type(state).__name__}")
        moves = moves_of(state)
        last = state.size * state.size - 1
        corners = {0, state.size - 1, last - state.size + 1, last}
        move = self._rng.choice([move for move in moves if move in corners] or moves)
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,)))
