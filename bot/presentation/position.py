"""What is marked on a drawn position, whichever way it is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.core import Game, Move, State, replay
from engine.games.reasons import Threat


@dataclass(frozen=True, slots=True)
class Marks:
    """Cells to point out, as indices into `State.cells()`.

    last: where the last move went; None before the first move and after a pass.
    line: the cells that won.
    hints: where the side to move may play.
    turned: the cells that the last move has given to the other side.
    best: the cell where a move of the side to move is proposed.
    threats: cells that would win; only pictures show them.
    """

    last: int | None = None
    line: tuple[int, ...] = ()
    hints: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    best: int | None = None
    threats: tuple[Threat, ...] = ()


def marks_of(game: Game, start: State, moves: Sequence[Move], *, hints: bool = False) -> Marks:
    """The marks of the position after `moves`; raises IllegalMove like `replay`.

    hints: mark the legal moves too, while the game is not over.
    """
    shown, state = Marks(), start
    if moves:
        before = replay(start, moves[:-1])
        state = before.play(moves[-1])
        shown = marks_after(game, before, moves[-1], state)
    return with_hints(shown, game, state) if hints else shown


def with_hints(marks: Marks, game: Game, state: State) -> Marks:
    """The marks, and where the side to move may play while the game is not over."""
    if state.outcome() is not None:
        return marks
    cells = (game.cell_of(state, move) for move in state.legal_moves())
    return replace(marks, hints=tuple(cell for cell in cells if cell is not None))


def marks_after(game: Game, before: State, move: Move, after: State) -> Marks:
    """The marks of the position that the move leads to."""
    outcome = after.outcome()
    line = () if outcome is None else outcome.line
    return Marks(game.cell_of(before, move), line, turned=_turned(before, after))


def _turned(before: State, after: State) -> tuple[int, ...]:
    pairs = zip(before.cells(), after.cells(), strict=True)
    return tuple(index for index, (old, new) in enumerate(pairs) if None not in (old, new) and old is not new)
