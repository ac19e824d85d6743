"""Alpha-beta: minimax's value and move, without the lines that cannot change them."""

from __future__ import annotations

import random

from engine.agents.deepening import DEFAULT_DEPTH, Look, Searched, choose, margin_of
from engine.core import Choice, Limit, State
from engine.kernels.running import Run


class AlphaBetaAgent:
    """Chooses and scores as MinimaxAgent of the same seed and depth does, after far fewer states.

    A varied one plays moves that are nearly as good as well, so that no two games are alike.
    """

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH, varied: int = 0) -> None:
        """varied: 1 for a player whose games are not all alike, see `engine.agents.deepening.margin_of`."""
        self._rng = random.Random(seed)
        self._depth = depth
        self._is_varied = bool(varied)

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError when the game is over."""
        margin = margin_of(state) if self._is_varied else None
        return choose(state, limit, self._depth, self._rng, _look, margin)


def _look(board: Searched, run: Run, depth: int) -> Look:
    return Look(board.best_search(run, depth))
