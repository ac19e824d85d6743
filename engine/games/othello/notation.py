"""Othello positions as text: every square from a1 on, then the side to move."""

from __future__ import annotations

from engine.core import NotationError, Player, State
from engine.games.othello.rules import OthelloState

_MARKS = {"-": "-", ".": "-", "X": "X", "*": "X", "O": "O"}
_WRITTEN = {Player.FIRST: "*", Player.SECOND: "O", None: "-"}
_SIZES = {64: 8, 36: 6}
MARKS = "-.XxOo*"
"""The characters that a drawing of a board starts with, and no list of moves does."""

_HOW = "A board is 64 squares (or 36) of '-' or '.', 'X' and 'O' from a1 on, then 'X' or 'O' to move."


def read_board(text: str) -> OthelloState:
    """Read 64 or 36 squares from a1 on, then the side to move: `X` or `*` black, `O` white, `-` or `.` empty.

    White space is ignored. Raises NotationError with the column of the error.
    """
    marks = [(column, mark) for column, mark in enumerate(text.upper()) if not mark.isspace()]
    for column, mark in marks:
        if mark not in _MARKS:
            raise NotationError(f"{mark!r} is no square. {_HOW}", column)
    *squares, side = [_MARKS[mark] for _, mark in marks] or [""]
    end = marks[-1][0] if marks else 0
    if len(squares) not in _SIZES:
        raise NotationError(f"These are {len(squares)} squares and a side to move. {_HOW}", end)
    if side not in ("X", "O"):
        raise NotationError(f"Nobody is to move. {_HOW}", end)
    size = _SIZES[len(squares)]
    above = size * (size // 2 - 1) + size // 2
    if "-" in squares[above - 1 : above + 1] + squares[above + size - 1 : above + size + 1]:
        # No game leaves them empty, and the searches have weights for up to 60 empty squares.
        raise NotationError(f"The four squares in the middle are never empty. {_HOW}", marks[above - 1][0])
    margin = (8 - size) // 2  # a small board lies in the middle of the grid of 8 x 8: see the rules
    black, white = (
        sum(
            1 << 8 * (i // size + margin) + i % size + margin for i, mark in enumerate(squares) if mark == own
        )
        for own in "XO"
    )
    if side == "X":
        return OthelloState(size, black, white, Player.FIRST)
    return OthelloState(size, white, black, Player.SECOND)


def write_board(state: State) -> str:
    """Return the squares from a1 on, and the side to move, as `read_board` reads them."""
    squares = "".join(_WRITTEN[cell] for cell in state.cells())
    return f"{squares} {_WRITTEN[state.to_move]}"
