"""The random agent: any legal move; the weakest level."""

from __future__ import annotations

import random
import time

from engine.core import Choice, Limit, SearchInfo, State, moves_of


class RandomAgent:
    """Chooses every legal move with equal probability; plays every game."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (it needs no limit)
        """Return a legal move; raises EngineError if the game is over."""
        started = time.perf_counter()
        move = self._rng.choice(moves_of(state))
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,)))
