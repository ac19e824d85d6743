"""Alpha-beta: minimax's value and move, without the lines that cannot change them."""

from __future__ import annotations

import random

from engine.agents.deepening import DEFAULT_DEPTH, Searched, choose
from engine.core import Choice, Limit, State
from engine.kernels.running import Run


class AlphaBetaAgent:
    """Chooses and scores as MinimaxAgent of the same seed and depth does, after far fewer states."""

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH) -> None:
        self._rng = random.Random(seed)
        self._depth = depth

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError when the game is over."""
        return choose(state, limit, self._depth, self._rng, _Pruned)


class _Pruned:
    """Looks only at what can matter."""

    prunes = True
    is_honest = True

    def __init__(self, board: Searched, run: Run, depth: int) -> None:
        self._search = board.best_search(run, depth)

    def seen(self, squares: list[int]) -> list[int]:
        return squares

    def value(self, square: int, depth: int, best: int) -> int:
        return self._search.value(square, depth, best)

    @property
    def line(self) -> tuple[int, ...]:
        return self._search.line
