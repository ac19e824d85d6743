"""The inattentive agent: looks ahead as alpha-beta does, and fails to see some of the moves on the way."""

from __future__ import annotations

import random

import numpy as np

from engine.agents.boards import Board
from engine.agents.deepening import choose
from engine.core import Choice, Limit, State
from engine.kernels.blundering import CHANCES
from engine.kernels.running import Array, Run

DEFAULT_DEPTH = 2
DEFAULT_BLINDNESS = 25


class OverlookingAgent:
    """Plays like people who are learning: sound ideas, and now and then a threat that was never seen.

    depth: plies it tries to look ahead. blindness: the chance, in hundredths, of overlooking one of its own
    moves; every ply further on, what was seen so far may be overlooked as well, so that a reply is missed
    about twice as often as a move, the answer to it three times. Scores as AlphaBetaAgent's, never
    proven: it does not know what it has not seen.
    """

    def __init__(self, seed: int = 0, depth: int = DEFAULT_DEPTH, blindness: int = DEFAULT_BLINDNESS) -> None:
        self._rng = random.Random(seed)
        self._depth = depth
        self._chances = chances_of_overlooking(depth, blindness / 100)

    def choose(self, state: State, limit: Limit) -> Choice:
        """See `engine.agents.deepening.choose`; raises EngineError when the game is over."""
        return choose(state, limit, self._depth, self._rng, self._look)

    def _look(self, board: Board, run: Run, depth: int) -> _Inattentive:  # noqa: ARG002 (less far sees no more)
        return _Inattentive(board, run, self._chances, self._rng)


class _Inattentive:
    """One choice's way of looking: what is overlooked stays overlooked until the move is made."""

    prunes = True
    is_honest = False

    def __init__(self, board: Board, run: Run, chances: Array, rng: random.Random) -> None:
        self._search = board.plain_search(run, chances=chances, seed=rng.getrandbits(62))
        self._chances = chances
        self._rng = rng

    def seen(self, squares: list[int]) -> list[int]:
        """Its own moves that come to mind; when none does, the first that it happens to touch."""
        threshold = int(self._chances[0])
        found = [square for square in squares if self._rng.randrange(CHANCES) >= threshold]
        return found or [self._rng.choice(squares)]

    def value(self, square: int, depth: int, best: int) -> int:
        return self._search.value(square, depth, best)

    @property
    def line(self) -> tuple[int, ...]:
        return self._search.line


def chances_of_overlooking(depth: int, blindness: float) -> Array:
    """In parts of CHANCES, for the moves 0, 1, 2 ... plies after the first, up to `depth`."""
    return np.array([CHANCES * (1 - (1 - blindness) ** (ply + 1)) for ply in range(depth + 1)], np.int64)
