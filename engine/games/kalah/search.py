"""The search of one position of Kalah."""

from __future__ import annotations

from typing import Any, cast

from engine.core import Move, State
from engine.games.kalah.kernels import search as kernel
from engine.games.kalah.rules import as_kalah
from engine.kernels.jit import Words
from engine.kernels.running import Run


class KalahSearch:
    """Values moves by the lead in seeds at the end of the game; see `PointsSearch`."""

    def __init__(self, state: State, run: Run, memory: Words) -> None:
        self._state = as_kalah(state)
        self._memory = memory
        self._place = run.describe(memory, ())
        self.order = self._state.legal_moves()[::-1]

    def value(self, move: Move, depth: int, low: int, high: int) -> int:
        after, mover = self._state.play(move), self._state.to_move
        lead = after.stores[mover] - after.stores[mover.other]
        if after.outcome() is not None:
            return lead
        own, theirs = (_packed(after.side(player)) for player in (after.to_move, after.to_move.other))
        sign = 1 if after.to_move is mover else -1
        floor, ceiling = sorted((sign * (low - lead), sign * (high - lead)))
        found = cast(Any, kernel.search)(own, theirs, after.size, depth - 1, floor, ceiling, self._place)
        return lead + sign * int(found)


def _packed(side: tuple[int, ...]) -> int:
    """Return the pits of a side as the kernel has them."""
    return sum(seeds << kernel.PIT_BITS * pit for pit, seeds in enumerate(side))
