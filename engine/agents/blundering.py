"""The blundering agent: searches like alpha-beta, but misses some moves on the way."""

from __future__ import annotations

import random
from collections.abc import Callable

from engine.agents.deepening import Look, Searched, Searching, choose, margin_of
from engine.core import Agent, Choice, Limit, Move, State
from engine.kernels.blundering import CERTAIN, PLAIN, blunder_rates
from engine.kernels.running import Run

DEFAULT_DEPTH = 2
DEFAULT_BLUNDER_RATE = 25


class BlunderingAgent:
    """Plays like a learner: sound ideas, and now and then a threat that was missed.

    depth: plies to search. blunder_rate: the probability, in percent, of missing one of its own moves; at
    every further ply, a move may be missed in addition, so a reply is missed about twice as often as a move,
    the answer to it three times. Some moves are noticed easily and others are missed far more often
    (`SearchBoard.subtlety`): diagonals, the far end of a line, and in Othello moves that turn few discs.
    varied: as AlphaBetaAgent's. Scores as AlphaBetaAgent's, never proven, because it may have missed
    something.
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
        """See `engine.agents.deepening.choose`; raises EngineError if the game is over."""
        margin = margin_of(state) if self._is_varied else None
        return choose(state, limit, self._depth, self._rng, self._look, margin)

    def _look(self, board: Searched, run: Run, depth: int) -> _Blundering:  # noqa: ARG002 (the same at any depth)
        search = board.plain_search(run, rates=self._rates, seed=self._rng.getrandbits(62))
        return _Blundering(search, board, int(self._rates[0]), self._rng)


MAX_REPLAYS = 60


class Reconstructing:
    """Reconstructs the search behind a played move: asks agents of new seeds until one chooses that move.

    Agents that miss moves miss others each time, and most of the time do not choose the move they played.
    make: creates an agent from a seed. After `MAX_REPLAYS` of them, the last one that saw the move is used.
    """

    def __init__(self, make: Callable[[int], Agent], played: Move) -> None:
        self._make = make
        self._played = played

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return a choice with the played move if possible; raises EngineError if the game is over."""
        found = self._make(0).choose(state, limit)
        for seed in range(1, MAX_REPLAYS):
            if found.move == self._played:
                break
            other = self._make(seed).choose(state, limit)
            if self._played in dict(other.info.move_scores):
                found = other
        return found


class _Blundering(Look):
    """The view of one choice: a missed move stays missed until the move is made."""

    def __init__(self, search: Searching, board: Searched, rate: int, rng: random.Random) -> None:
        super().__init__(search, is_honest=False)
        self._board = board
        self._rate = rate
        self._rng = rng

    def seen(self, squares: list[int]) -> list[int]:
        """Return its own moves that it sees; a random one if it sees none."""
        found = [
            square
            for square in squares
            if PLAIN * self._rng.randrange(CERTAIN) >= self._rate * self._board.subtlety(square)
        ]
        return found or [self._rng.choice(squares)]
