"""The search of one position of Kalah."""

from __future__ import annotations

from engine.core import Move, Player, State
from engine.games.deepening import PERFECT, Habits, MoveSearch
from engine.games.kalah.kernels import search as kernel
from engine.games.kalah.rules import KalahState, as_kalah
from engine.kernels.jit import Words
from engine.kernels.running import Run


class KalahSearch(MoveSearch[KalahState]):
    """Values moves by the lead in seeds at the end of the game."""

    kernel = staticmethod(kernel.search)

    def __init__(self, state: State, run: Run, memory: Words, habits: Habits = PERFECT) -> None:
        super().__init__(as_kalah(state), run, memory, habits)

    @property
    def order(self) -> tuple[Move, ...]:
        return tuple(self._after)[::-1]

    def words(self, state: KalahState) -> tuple[int, int]:
        own, theirs = (_packed(state.side(player)) for player in (state.to_move, state.to_move.other))
        return own, theirs

    def move_of(self, state: KalahState, code: int) -> Move:
        return state.to_move * state.size + code

    def lead(self, after: KalahState, mover: Player) -> int:
        return after.stores[mover] - after.stores[mover.other]


def _packed(side: tuple[int, ...]) -> int:
    """Return the pits of a side as the kernel has them."""
    size = len(side) << kernel.SIDE_BITS
    return size | sum(seeds << kernel.PIT_BITS * pit for pit, seeds in enumerate(side))
