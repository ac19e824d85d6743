"""Pop Out: four in a row on 6 × 7; a turn drops a disc or takes out one's own bottom disc of a column.

The rules are those of Hasbro's leaflet of 2008 (Connect 4, 01081b02, "PopOut"): drop a disc into a column, or
pop one of your own colour out of the bottom row, so that the column falls by one. Four in a row win,
whichever side made them: a pop that makes four only for the other side loses. The leaflet leaves three cases
open, decided here: a pop that makes four for both sides wins for its player; a position that occurs for the
third time with the same side to move is a draw; discs that were taken out can be dropped again, so they never
run out. There is always a move: a full board without an own disc at the bottom has seven of the other side's
in a row.

Bits are as in Connect Four, row 0 at the bottom, with an empty sentinel above each column::

      6 13 20 27 34 41 48    sentinels
      5 12 19 26 33 40 47
      4 11 18 25 32 39 46
      3 10 17 24 31 38 45
      2  9 16 23 30 37 44
      1  8 15 22 29 36 43
      0  7 14 21 28 35 42

Moves 0 to 6 drop into that column, moves 7 to 13 pop it; people call them `1` to `7` and `p1` to `p7`.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Self

from engine.core import (
    BoardError,
    EndReason,
    EngineError,
    IllegalMove,
    Move,
    NotationError,
    Outcome,
    Player,
    State,
)
from engine.games.drawing import drawn

ROWS, COLUMNS, K = 6, 7, 4
STRIDE = ROWS + 1
BOTTOM = sum(1 << STRIDE * column for column in range(COLUMNS))
BOARD = BOTTOM * ((1 << ROWS) - 1)
REPETITIONS_FOR_DRAW = 3
"""A position that occurs this many times is a draw."""

_COLUMN = (1 << STRIDE) - 1
_BITS = tuple(column * STRIDE + row for row in range(ROWS - 1, -1, -1) for column in range(COLUMNS))
"""The bit of each cell, row-major, top row first."""
_NAME = re.compile(r"(p|pop)?([0-9]{1,2})", re.ASCII)


@dataclass(frozen=True, slots=True)
class PopOutState:
    """A position. own: discs of the side to move; mask: all discs; seen: both, at every earlier turn."""

    own: int = 0
    mask: int = 0
    seen: tuple[tuple[int, int], ...] = ()

    @property
    def rows(self) -> int:
        return ROWS

    @property
    def columns(self) -> int:
        return COLUMNS

    @property
    def ply(self) -> int:
        return len(self.seen)

    @property
    def to_move(self) -> Player:
        return Player.SECOND if self.ply & 1 else Player.FIRST

    @property
    def times(self) -> int:
        """How often the position has occurred with the same side to move, including now."""
        return 1 + self.seen[self.ply & 1 :: 2].count((self.own, self.mask))

    @property
    def has_repeated(self) -> bool:
        """Whether any position so far has occurred twice: the next repetition is a draw."""
        stood = [*self.seen, (self.own, self.mask)]
        return any(len(set(turns)) < len(turns) for turns in (stood[::2], stood[1::2]))

    @property
    def drawn_by_repetition(self) -> frozenset[tuple[int, int]]:
        """The positions, as (own, mask), that end the game as a draw if a move leads to them."""
        times = Counter(self.seen[(self.ply + 1) & 1 :: 2])
        return frozenset(each for each, count in times.items() if count == REPETITIONS_FOR_DRAW - 1)

    def turned(self) -> Self:
        """Return the same board with the other side to move, and without history."""
        return type(self)(self.own ^ self.mask, self.mask, ((0, 0),) * (1 - (self.ply & 1)))

    def legal_moves(self) -> tuple[Move, ...]:
        return () if self._is_decided() else tuple(filter(self._is_open, range(2 * COLUMNS)))

    def play(self, move: Move) -> Self:
        if not 0 <= move < 2 * COLUMNS or not self._is_open(move) or self._is_decided():
            raise self._refusal(move)
        column = move % COLUMNS * STRIDE
        if move < COLUMNS:
            own, mask = self.own ^ self.mask, self.mask | (self.mask + (1 << column))
        else:
            mine, mask = _fallen(self.own, column), _fallen(self.mask, column)
            own = mine ^ mask
        return type(self)(own, mask, (*self.seen, (self.own, self.mask)))

    def outcome(self) -> Outcome | None:
        for player, discs in ((self.to_move.other, self.own ^ self.mask), (self.to_move, self.own)):
            line = _line(discs)  # the mover's first: a pop that makes four for both wins for the mover
            if line:
                cells = tuple(index for index, bit in enumerate(_BITS) if line >> bit & 1)
                return Outcome(player, EndReason.LINE, cells)
        return Outcome(None, EndReason.REPETITION) if self.times >= REPETITIONS_FOR_DRAW else None

    def cells(self) -> tuple[Player | None, ...]:
        mine, other = self.to_move, self.to_move.other
        return tuple(
            None if not self.mask >> bit & 1 else mine if self.own >> bit & 1 else other for bit in _BITS
        )

    def _is_open(self, move: Move) -> bool:
        """Whether the column has room for a drop, or a bottom disc of the side to move for a pop."""
        column = move % COLUMNS * STRIDE
        if move < COLUMNS:
            return not self.mask >> (column + ROWS - 1) & 1
        return bool(self.own >> column & 1)

    def _is_decided(self) -> bool:
        return bool(_line(self.own ^ self.mask) or _line(self.own)) or self.times >= REPETITIONS_FOR_DRAW

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if not 0 <= move < 2 * COLUMNS:
            return IllegalMove(move, "no_such_column", f"There is no column for {move}: they are 1 to 7.")
        names = ", ".join(map(_name, self.legal_moves()))
        if not names:
            return IllegalMove(move, "over", "The game is over.")
        number = move % COLUMNS + 1
        if move < COLUMNS:
            return IllegalMove(move, "column_full", f"Column {number} is full: choose one of {names}.")
        message = f"The disc at the bottom of column {number} is not yours: choose one of {names}."
        return IllegalMove(move, "not_yours", message)

    def __str__(self) -> str:
        return drawn(self)


def _fallen(discs: int, column: int) -> int:
    """Return the discs after the lowest one of the column that begins at that bit has been taken out."""
    within = discs & _COLUMN << column
    return discs ^ within | (within & ~(1 << column)) >> 1


def _line(discs: int) -> int:
    """Return all discs of every four in a row."""
    found = 0
    for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
        pairs = discs & discs >> step
        starts = pairs & pairs >> 2 * step
        found |= starts | starts << step | starts << 2 * step | starts << 3 * step
    return found


def _name(move: Move) -> str:
    return str(move + 1) if move < COLUMNS else f"p{move - COLUMNS + 1}"


def as_pop_out(state: State) -> PopOutState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, PopOutState):
        raise EngineError(f"this is Pop Out, not {type(state).__name__}")
    return state


class PopOut:
    """The rules on the only board."""

    key = "pop-out"
    title = "Pop Out"
    boards = ("6x7",)

    def start(self, board: str | None = None) -> PopOutState:
        """Return the empty board; raises BoardError."""
        if board is not None and board.strip().lower() not in self.boards:
            raise BoardError(f"{board!r} is no Pop Out board: there is 6x7 alone.")
        return PopOutState()

    def move_name(self, state: State, move: Move) -> str:  # noqa: ARG002 - the same in every state
        """Return `1` to `7` for a drop, `p1` to `p7` for a pop."""
        return _name(move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the move `4`, `p4` or `pop 4`; raises NotationError, or IllegalMove if it is not legal."""
        match = _NAME.fullmatch(text)
        if match is None:
            raise NotationError(f"{text!r} is no move: write 1 to 7 to drop a disc, p1 to p7 to pop one.")
        column = int(match[2]) - 1
        if not 0 <= column < COLUMNS:
            raise NotationError(f"there is no column {match[2]}: they are 1 to {COLUMNS}.")
        move = column + (COLUMNS if match[1] else 0)
        state.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the lowest empty cell of the column; None for a pop, and for a full column."""
        cells = state.cells()
        if not 0 <= move < COLUMNS:
            return None
        return next((cell for cell in range(move + 35, -1, -COLUMNS) if cells[cell] is None), None)
