"""The search of one position of Pop Out for its strongest players."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Move, State
from engine.games.deepening import PERFECT, Depth, Habits, MoveSearch
from engine.games.pop_out.kernels import deepening as kernel
from engine.games.pop_out.rules import COLUMNS, PopOutState, as_pop_out
from engine.games.pop_out.search_board import SHAPE, PopOutBoard
from engine.kernels.jit import Words
from engine.kernels.running import Run


class PopOutSearch(MoveSearch[PopOutState]):
    """Values moves by open lines; a position of the match that comes again counts as a draw."""

    kernel = staticmethod(kernel.search)

    def __init__(self, state: State, run: Run, memory: Words, habits: Habits = PERFECT) -> None:
        position = as_pop_out(state)
        path = [*position.seen, (position.own, position.mask)]
        super().__init__(position, run, memory, habits, SHAPE, path)

    @property
    def order(self) -> Sequence[Move]:
        """The middle first, drops before pops."""
        return sorted(self._after, key=lambda move: (move >= COLUMNS, abs(move % COLUMNS - COLUMNS // 2)))

    def words(self, state: PopOutState) -> tuple[int, int]:
        return state.own, state.mask

    def move_of(self, state: PopOutState, code: int) -> Move | None:
        move = PopOutBoard(state.own, state.mask).move_of(code)
        return move if move in state.legal_moves() else None

    def is_sure(self, found: Depth) -> bool:
        """A forced win never repeats a position, so it holds unless the next repetition is a draw."""
        return found.is_decided and (found.is_whole or found.score > 0) and not self.state.has_repeated

    def is_final(self, found: Depth) -> bool:
        return found.is_decided
