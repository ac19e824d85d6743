"""Alpha-beta: minimax's value and move, without the lines that cannot change them."""

from __future__ import annotations

import random

from engine.agents.boards import Board
from engine.agents.deepening import DEFAULT_DEPTH, choose
from engine.core import Choice, Limit, State
from engine.kernels.running import Array, Run


class AlphaBetaAgent:
    """Chooses and scores as MinimaxAgent of the same seed and depth does, after far fewer states."""

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH) -> None:
        self._rng = random.Random(seed)
        self._depth = depth

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError when the game is over."""
        return choose(state, limit, self._depth, self._rng, _Pruned)


class _Pruned:
    """Looks only at what can matter; `memory` holds what one choice has found out so far."""

    prunes = True
    is_honest = True

    def __init__(self, board: Board, depth: int) -> None:
        self._board = board
        self._memory = board.memory(depth)

    def seen(self, squares: list[int]) -> list[int]:
        return squares

    def value(self, square: int, depth: int, best: int, run: Run, pv: Array) -> int:
        return self._board.alphabeta(square, depth, best, self._memory, run, pv)
