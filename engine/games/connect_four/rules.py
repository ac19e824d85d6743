"""Connect Four on 3 × 3 to 12 × 12, with any k from 3 to 8: discs drop into columns, k in a row wins.

Bits, for the 6 × 7 board (row 0 at the bottom; the sentinel row on top is never occupied, so lines cannot
wrap from one column into the next)::

      6 13 20 27 34 41 48    sentinels
      5 12 19 26 33 40 47
      4 11 18 25 32 39 46
      3 10 17 24 31 38 45
      2  9 16 23 30 37 44
      1  8 15 22 29 36 43
      0  7 14 21 28 35 42

A move is the 0-based column; people call the columns 1, 2, 3 …
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Self

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.drawing import drawn

WORD_BITS, WORD_K = 64, 6
"""Boards whose stones and sentinels fit one word have faster searches, for lines up to that length."""

SIZES, LENGTHS = range(3, 13), range(3, 9)
"""The allowed numbers of rows and columns, and of k."""

_SPEC = re.compile(r"(\d{1,3})x(\d{1,3})x(\d{1,3})", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Geometry:
    """Tables that depend only on rows and columns."""

    full: int
    directions: tuple[int, int, int, int]
    cells: tuple[int, ...]
    """The bit of each cell, row-major, top row first."""


@cache
def _geometry(rows: int, columns: int) -> _Geometry:
    height = rows + 1
    bottom = sum(1 << (column * height) for column in range(columns))
    cells = tuple(column * height + row for row in range(rows - 1, -1, -1) for column in range(columns))
    return _Geometry(bottom * ((1 << rows) - 1), (1, height, height - 1, height + 1), cells)


@dataclass(frozen=True, slots=True)
class ConnectFourState:
    """A position. own: stones of the side to move; mask: all stones; both as drawn above."""

    rows: int = 6
    columns: int = 7
    k: int = 4
    own: int = 0
    mask: int = 0
    ply: int = 0

    @property
    def is_usual_board(self) -> bool:
        """Whether it is 6 x 7 with four in a row, the board that is solved from its first move."""
        return (self.rows, self.columns, self.k) == (6, 7, 4)

    @property
    def fits_a_word(self) -> bool:
        """Whether the searches for one word support it."""
        return (self.rows + 1) * self.columns <= WORD_BITS and self.k <= WORD_K

    @property
    def to_move(self) -> Player:
        return Player.SECOND if self.ply & 1 else Player.FIRST

    @property
    def opponent(self) -> int:
        """Stones of the side that has just moved."""
        return self.own ^ self.mask

    def legal_moves(self) -> tuple[Move, ...]:
        if self._has_line():
            return ()
        height = self.rows + 1
        top = self.rows - 1
        return tuple(column for column in range(self.columns) if not self.mask >> (column * height + top) & 1)

    def play(self, move: Move) -> Self:
        height = self.rows + 1
        is_open = 0 <= move < self.columns and not self.mask >> (move * height + self.rows - 1) & 1
        if not is_open or self._has_line():
            raise self._refusal(move)
        mask = self.mask | (self.mask + (1 << (move * height)))
        return type(self)(self.rows, self.columns, self.k, self.opponent, mask, self.ply + 1)

    def outcome(self) -> Outcome | None:
        line = self._line()
        if line:
            cells = tuple(index for index, bit in enumerate(self._bits()) if line >> bit & 1)
            return Outcome(self.to_move.other, EndReason.LINE, cells)
        if self.mask == _geometry(self.rows, self.columns).full:
            return Outcome(None, EndReason.BOARD_FULL)
        return None

    def cells(self) -> tuple[Player | None, ...]:
        own, mask, mine, other = self.own, self.mask, self.to_move, self.to_move.other
        return tuple(
            [None if not mask >> bit & 1 else mine if own >> bit & 1 else other for bit in self._bits()]
        )

    def _bits(self) -> tuple[int, ...]:
        return _geometry(self.rows, self.columns).cells

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if not 0 <= move < self.columns:
            message = f"There is no column {move + 1}: the columns are 1 to {self.columns}."
            return IllegalMove(move, "no_such_column", message)
        allowed = ", ".join(str(column + 1) for column in self.legal_moves())
        if not allowed:
            why = f"{self.k} in a row were made" if self._has_line() else "the board is full"
            return IllegalMove(move, "over", f"The game is over: {why}.")
        return IllegalMove(move, "column_full", f"Column {move + 1} is full: choose one of {allowed}.")

    def _has_line(self) -> bool:
        own, k = self.opponent, self.k
        for step in _geometry(self.rows, self.columns).directions:
            # As `_starts`, without a call for each direction: every move calls this several times.
            run, length = own, 1
            while length < k and run:
                more = min(length, k - length)
                run &= run >> (more * step)
                length += more
            if run:
                return True
        return False

    def _starts(self, step: int) -> int:
        """Return the lowest bit of every k in a row of the side that has just moved, along `step`.

        Doubles the shift where possible, so it takes log k steps instead of k.
        """
        run, length = self.opponent, 1
        while length < self.k and run:
            more = min(length, self.k - length)
            run &= run >> (more * step)
            length += more
        return run

    def _line(self) -> int:
        """Return all stones of every line of the side that has just moved."""
        line = 0
        for step in _geometry(self.rows, self.columns).directions:
            starts = self._starts(step)
            for distance in range(self.k):
                line |= starts << (distance * step)
        return line

    def __str__(self) -> str:
        return drawn(self)


class ConnectFour:
    """The rules on every board of SIZES with k of LENGTHS."""

    key = "connect-four"
    title = "Connect Four"
    boards = (
        *("6x7x4", "5x6x4", "7x8x4", "7x7x5", "6x9x4", "6x9x5", "5x5x3"),
        *("8x8x4", "8x8x5", "9x9x4", "9x9x5", "10x10x4", "10x10x5"),
    )

    def start(self, board: str | None = None) -> ConnectFourState:
        """Return the empty board `ROWSxCOLUMNSxK`; raises BoardError, which names the violated limit."""
        text = self.boards[0] if board is None else board.strip().lower()
        match = _SPEC.fullmatch(text)
        if match is None:
            raise BoardError(f"{board!r} is no board: write rows x columns x k, such as {self.boards[0]}.")
        rows, columns, k = map(int, match.groups())
        if rows not in SIZES or columns not in SIZES:
            raise BoardError(
                f"{rows} x {columns} cannot be played: there are {SIZES[0]} to {SIZES[-1]} rows,"
                " and as many columns."
            )
        if k not in LENGTHS:
            raise BoardError(f"{k} in a row cannot be played: k is from {LENGTHS[0]} to {LENGTHS[-1]}.")
        if max(rows, columns) < k:
            raise BoardError(f"{k} in a row do not fit on {rows} x {columns}.")
        return ConnectFourState(rows, columns, k)

    def move_name(self, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        """Return the column's number, from 1."""
        return str(move + 1)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the column with that number; raises NotationError, or IllegalMove if full or absent."""
        if re.fullmatch(r"\d{1,2}", text, re.ASCII) is None:
            raise NotationError(f"{text!r} is no column: write a number from 1 to {state.columns}.")
        move = int(text) - 1
        state.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the lowest empty cell of the column; None if it is full."""
        cells = state.cells()
        for row in range(state.rows - 1, -1, -1):
            index = row * state.columns + move
            if cells[index] is None:
                return index
        return None
