"""The random agent: any legal move, the weakest level and every other agent's first opponent."""

from __future__ import annotations

import random
import time

from engine.core import Choice, EngineError, Limit, Move, SearchInfo, State


class RandomAgent:
    """Every legal move is equally likely; plays every game."""

    def __init__(self, seed: int = 0) -> None:
        self._rng = random.Random(seed)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (an instant needs no limit)
        """A legal move; raises EngineError when the game is over."""
        started = time.perf_counter()
        move = self._rng.choice(moves_of(state))
        return Choice(move, SearchInfo(seconds=time.perf_counter() - started, pv=(move,)))


def moves_of(state: State) -> tuple[Move, ...]:
    """The legal moves, at least one; raises EngineError when the game is over."""
    moves = state.legal_moves()
    if not moves:
        raise EngineError("the game is over: there is no move to choose")
    return moves
