"""Minimax without pruning: slow by design, the reference for alpha-beta."""

from __future__ import annotations

import random

from engine.agents.deepening import DEFAULT_DEPTH, Look, Searched, choose
from engine.core import Choice, Limit, State
from engine.kernels.running import Run


class MinimaxAgent:
    """Searches every line to `depth` plies. Scores: 1,000,000 less the plies to a win, else the heuristic."""

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH) -> None:
        self._rng = random.Random(seed)
        self._depth = depth

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError if the game is over."""
        return choose(state, limit, self._depth, self._rng, _look)


def _look(board: Searched, run: Run, depth: int) -> Look:  # noqa: ARG001 (it has no table)
    return Look(board.plain_search(run, prunes=False), prunes=False)
