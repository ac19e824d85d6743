"""What the rest of the code asks of Connect Four."""

from __future__ import annotations

import string

from engine.core import Game, Move, NotationError, State
from engine.games.connect_four.rules import ConnectFour
from engine.games.spec import GameSpec, Glyphs, Ink, Layout, Paint
from engine.games.written import Written

COLUMNS = string.digits[1:] + string.ascii_lowercase
"""The character of each column: 1 to 9 and then a, b, c … for the tenth and further ones."""


class _Columns(Written):
    """A column is one character."""

    def __init__(self) -> None:
        super().__init__(width=1)

    def write(self, rules: Game, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        return COLUMNS[move] if 0 <= move < len(COLUMNS) else "?"

    def read(self, rules: Game, state: State, word: str) -> Move:
        if word not in COLUMNS:
            raise NotationError(f"the columns are 1 to {self.write(rules, state, state.columns - 1)}.")
        return COLUMNS.index(word)


SPEC = GameSpec(
    ConnectFour(),
    about=(
        "Drop a disc into a column; it falls as far as it can. Whoever first has four of their discs in a"
        " row, across, down or diagonally, wins. A full board without such a row is a draw."
    ),
    sides=("red", "yellow"),
    can_pass=False,
    line_length=lambda board: int(board.rpartition("x")[2]),
    glyphs=Glyphs(),
    paint=Paint(),
    ink=Ink(("●", "●"), ("bright_red", "bright_yellow"), "on blue"),
    layout=Layout.COLUMNS,
    written=_Columns(),
    opening="4453",
    picture="6 7 3 4 5 2 5 5 5 4 3 2 5 7 4 3 3",
    puzzle_depths=(2, 4, 6, 9),
)
