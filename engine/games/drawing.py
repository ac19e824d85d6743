"""Plain text drawings of states, for tests and logs: X moves first."""

from __future__ import annotations

from engine.core import Player, State

_MARKS = {None: ".", Player.FIRST: "X", Player.SECOND: "O"}


def drawn(state: State) -> str:
    """Return one line of text per row, top row first."""
    cells = state.cells()
    return "\n".join(
        " ".join(_MARKS[cell] for cell in cells[start : start + state.columns])
        for start in range(0, len(cells), state.columns)
    )
