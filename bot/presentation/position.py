"""What is marked on a drawn position, whichever way it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.core import Game, Move, State, replay


@dataclass(frozen=True, slots=True)
class Marks:
    """Cells to point out, as indices into `State.cells()`.

    last: where the last move went; None before the first move and after a pass.
    line: the cells that won.
    hints: where the side to move may play.
    """

    last: int | None = None
    line: tuple[int, ...] = ()
    hints: tuple[int, ...] = ()


def marks_of(game: Game, start: State, moves: Sequence[Move], *, hints: bool = False) -> Marks:
    """The marks of the position after `moves`; raises IllegalMove like `replay`.

    hints: mark the legal moves too, while the game is not over.
    """
    last = None
    state = start
    if moves:
        before = replay(start, moves[:-1])
        last = game.cell_of(before, moves[-1])
        state = before.play(moves[-1])
    outcome = state.outcome()
    if outcome is not None:
        return Marks(last, outcome.line)
    if not hints:
        return Marks(last)
    cells = (game.cell_of(state, move) for move in state.legal_moves())
    return Marks(last, hints=tuple(cell for cell in cells if cell is not None))
