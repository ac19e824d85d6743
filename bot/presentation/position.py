"""The marks of a drawn position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.core import Game, Move, State, replay
from engine.games import spec_of
from engine.games.reasons import Threat
from engine.games.spec import GameSpec


@dataclass(frozen=True, slots=True)
class Marks:
    """Marked cells, as indices into `State.cells()`.

    last: the last move; None before the first move and after a pass.
    line: the winning line.
    hints: the legal moves.
    turned: cells that changed sides with the last move.
    best: a suggested move of the side to move.
    threats: cells that would win; displayed in pictures only.
    left: cells that the last move's piece has left or passed; displayed in pictures only.
    """

    last: int | None = None
    line: tuple[int, ...] = ()
    hints: tuple[int, ...] = ()
    turned: tuple[int, ...] = ()
    best: int | None = None
    threats: tuple[Threat, ...] = ()
    left: tuple[int, ...] = ()


def marks_of(game: Game, start: State, moves: Sequence[Move], *, hints: bool = False) -> Marks:
    """Return the marks of the position after `moves`; raises IllegalMove like `replay`.

    hints: also mark the legal moves.
    """
    shown, state = Marks(), start
    if moves:
        before = replay(start, moves[:-1])
        state = before.play(moves[-1])
        shown = marks_after(game, before, moves[-1], state)
    return with_hints(shown, game, state) if hints else shown


def with_hints(marks: Marks, game: Game, state: State) -> Marks:
    """Return the marks with the legal moves; unchanged if the game is over."""
    if state.outcome() is not None:
        return marks
    cells = (game.cell_of(state, move) for move in state.legal_moves())
    return replace(marks, hints=tuple(cell for cell in cells if cell is not None))


def marks_after(game: Game, before: State, move: Move, after: State) -> Marks:
    """Return the marks of the position after the move."""
    outcome = after.outcome()
    line = () if outcome is None else outcome.line
    press, cells = spec_of(game.key).press_of(before, move), after.cells()
    left = tuple(at for at in press if isinstance(at, int) and at < len(cells) and cells[at] is None)
    last = game.cell_of(before, move)
    turned = tuple(cell for cell in _turned(before, after) if cell != last)
    return Marks(last, line, turned=turned, left=left)


def cell_of_move(spec: GameSpec, state: State, move: Move) -> int | None:
    """Return the cell to mark for a proposed move: the one that it occupies, else the first to touch."""
    cell = spec.rules.cell_of(state, move)
    if cell is not None:
        return cell
    return next((part for part in spec.press_of(state, move) if isinstance(part, int)), None)


def _turned(before: State, after: State) -> Iterator[int]:
    pairs = zip(before.cells(), after.cells(), strict=True)
    return (index for index, (old, new) in enumerate(pairs) if None not in (old, new) and old is not new)
