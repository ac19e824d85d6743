"""The random agent: any legal move, the weakest level and every other agent's first opponent."""

from __future__ import annotations

import random
import time

from engine.core import Choice, Limit, SearchInfo, State, moves_of


class RandomAgent:
    """Every legal move is equally likely; plays every game."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (an instant needs no limit)
        """A legal move; raises EngineError when the game is over."""
        started = time.perf_counter()
        move = self._rng.choice(moves_of(state))
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,)))
