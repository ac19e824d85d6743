"""Alpha-beta: the value and move of minimax, without the lines that cannot change them."""

from __future__ import annotations

import random

from engine.agents.deepening import DEFAULT_DEPTH, Look, Searched, choose, margin_of
from engine.core import Choice, Limit, State
from engine.kernels.running import Run


class AlphaBetaAgent:
    """Chooses and scores like a MinimaxAgent of the same seed and depth, visiting far fewer states.

    A varied one also plays moves that are nearly as good, so that games differ.
    """

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH, varied: int = 0) -> None:
        """varied: 1 for a player whose games differ, see `engine.agents.deepening.margin_of`."""
        self._rng = random.Random(seed)
        self._depth = depth
        self._is_varied = bool(varied)

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError if the game is over."""
        margin = margin_of(state) if self._is_varied else None
        return choose(state, limit, self._depth, self._rng, _look, margin)


def _look(board: Searched, run: Run, depth: int) -> Look:
    return Look(board.best_search(run, depth))
