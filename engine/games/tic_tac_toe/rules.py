"""Tic-tac-toe: three in a row on 3 × 3.

Bits and moves, named a1 to c3::

       a b c
    1  0 1 2
    2  3 4 5
    3  6 7 8
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.drawing import drawn

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
"""The eight lines; one octal digit is one row of the drawing above."""

_FULL = 0o777
_SQUARE = re.compile(r"([abc])([123])", re.ASCII)


@dataclass(frozen=True, slots=True)
class TicTacToeState:
    """A position. own: marks of the side to move; mask: all marks."""

    own: int = 0
    mask: int = 0
    ply: int = 0

    @property
    def rows(self) -> int:
        return 3

    @property
    def columns(self) -> int:
        return 3

    @property
    def to_move(self) -> Player:
        return Player.SECOND if self.ply & 1 else Player.FIRST

    @property
    def opponent(self) -> int:
        """Marks of the side that has just moved."""
        return self.own ^ self.mask

    def legal_moves(self) -> tuple[Move, ...]:
        return () if self._line() else tuple(move for move in range(9) if not self.mask >> move & 1)

    def play(self, move: Move) -> Self:
        if not 0 <= move < 9 or self.mask >> move & 1 or self._line():
            raise self._refusal(move)
        return type(self)(self.opponent, self.mask | 1 << move, self.ply + 1)

    def outcome(self) -> Outcome | None:
        line = self._line()
        if line:
            cells = tuple(cell for cell in range(9) if line >> cell & 1)
            return Outcome(self.to_move.other, EndReason.LINE, cells)
        return Outcome(None, EndReason.BOARD_FULL) if self.mask == _FULL else None

    def cells(self) -> tuple[Player | None, ...]:
        mine, other = self.to_move, self.to_move.other
        return tuple(
            None if not self.mask >> cell & 1 else mine if self.own >> cell & 1 else other
            for cell in range(9)
        )

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if not 0 <= move < 9:
            return IllegalMove(move, "no_such_square", f"There is no square {move}: the last is 8, c3.")
        allowed = ", ".join(map(_name, self.legal_moves()))
        if not allowed:
            why = "three in a row were made" if self._line() else "the board is full"
            return IllegalMove(move, "over", f"The game is over: {why}.")
        return IllegalMove(move, "occupied", f"{_name(move)} is taken: choose {allowed}.")

    def _line(self) -> int:
        """Return all marks of every line of the side that has just moved."""
        found = 0
        for line in LINES:
            if self.opponent & line == line:
                found |= line
        return found

    def __str__(self) -> str:
        return drawn(self)


def _name(move: Move) -> str:
    return f"{'abc'[move % 3]}{move // 3 + 1}"


class TicTacToe:
    """The rules on the only board."""

    key = "tic-tac-toe"
    title = "Tic-tac-toe"
    boards = ("3x3",)

    def start(self, board: str | None = None) -> TicTacToeState:
        """Return the empty board; raises BoardError."""
        if board is not None and board.strip().lower() != "3x3":
            raise BoardError(f"{board!r} is no Tic-tac-toe board: there is 3x3 alone.")
        return TicTacToeState()

    def move_name(self, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        """Return `a1` to `c3`."""
        return _name(move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the square with that name; raises NotationError, or IllegalMove if it is taken."""
        match = _SQUARE.fullmatch(text)
        if match is None:
            raise NotationError(f"{text!r} is no square: write a1 to c3.")
        move = 3 * (int(match[2]) - 1) + "abc".index(match[1])
        state.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:  # noqa: ARG002 - the same in every state
        """Return the square itself."""
        return move
