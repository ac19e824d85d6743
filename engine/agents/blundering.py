"""The blundering agent: looks ahead as alpha-beta does, and fails to see some of the moves on the way."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from engine.agents.deepening import Look, Searched, Searching, choose, margin_of
from engine.core import Agent, Choice, Limit, Move, State
from engine.kernels.blundering import CERTAIN, PLAIN
from engine.kernels.running import Array, Run

DEFAULT_DEPTH = 2
DEFAULT_BLUNDER_RATE = 25


class BlunderingAgent:
    """Plays like people who are learning: sound ideas, and now and then a threat that was never seen.

    depth: plies it tries to look ahead. blunder_rate: the chance, in hundredths, of overlooking one of its
    own moves; every ply further on, what was seen so far may be overlooked as well, so that a reply is missed
    about twice as often as a move, the answer to it three times. Some moves catch the eye and others are
    missed far more often than that (`Board.subtlety`): diagonals, the far end of a line, and in Othello
    whatever turns few discs. varied: as AlphaBetaAgent's. Scores as AlphaBetaAgent's, never proven: it does
    not know what it has not seen.
    """

    def __init__(
        self,
        seed: int = 0,
        depth: int = DEFAULT_DEPTH,
        blunder_rate: int = DEFAULT_BLUNDER_RATE,
        varied: int = 0,
    ) -> None:
        self._rng = random.Random(seed)
        self._depth = depth
        self._rates = blunder_rates(depth, blunder_rate / 100)
        self._is_varied = bool(varied)

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError when the game is over."""
        margin = margin_of(state) if self._is_varied else None
        return choose(state, limit, self._depth, self._rng, self._look, margin)

    def _look(self, board: Searched, run: Run, depth: int) -> _Blundering:  # noqa: ARG002 (less far sees no more)
        search = board.plain_search(run, rates=self._rates, seed=self._rng.getrandbits(62))
        return _Blundering(search, board, int(self._rates[0]), self._rng)


ASKED_AGAIN = 60


class Remembering:
    """Thinks again what led to a move: asks one agent after another until one chooses it.

    Agents that overlook things see others each time, and most of the time not the move that they played.
    make: an agent for a seed. After `ASKED_AGAIN` of them it is the last one that at least saw the move.
    """

    def __init__(self, make: Callable[[int], Agent], played: Move) -> None:
        self._make = make
        self._played = played

    def choose(self, state: State, limit: Limit) -> Choice:
        """Raises EngineError when the game is over."""
        found = self._make(0).choose(state, limit)
        for seed in range(1, ASKED_AGAIN):
            if found.move == self._played:
                break
            other = self._make(seed).choose(state, limit)
            if self._played in dict(other.info.move_scores):
                found = other
        return found


class _Blundering(Look):
    """One choice's way of looking: what is overlooked stays overlooked until the move is made."""

    def __init__(self, search: Searching, board: Searched, rate: int, rng: random.Random) -> None:
        super().__init__(search, is_honest=False)
        self._board = board
        self._rate = rate
        self._rng = rng

    def seen(self, squares: list[int]) -> list[int]:
        """Its own moves that come to mind; when none does, the first that it happens to touch."""
        found = [
            square
            for square in squares
            if PLAIN * self._rng.randrange(CERTAIN) >= self._rate * self._board.subtlety(square)
        ]
        return found or [self._rng.choice(squares)]


def blunder_rates(depth: int, rate: float) -> Array:
    """In parts of CERTAIN, for the moves 0, 1, 2 ... plies after the first, up to `depth`."""
    return np.array([CERTAIN * (1 - (1 - rate) ** (ply + 1)) for ply in range(depth + 1)], np.int64)
