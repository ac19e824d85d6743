"""Othello on 8 × 8 and 6 × 6, by the official rules (World Othello Federation, "Official rules").

Bits use the 8 × 8 grid, a1 at the top left is bit 0::

       a  b  c  d  e  f  g  h
    1  0  1  2  3  4  5  6  7
    2  8  9 10 11 12 13 14 15
    …
    8 56 57 58 59 60 61 62 63

The 6 × 6 board consists of rows and columns 1 to 6 of that grid; squares outside are never occupied, so both
sizes share all shifts. A move is row × size + column in the game's own size; a pass is size × size, an
ordinary move that is legal only if no other is. Black begins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Self

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.drawing import drawn

_GRID = (1 << 64) - 1
_NOT_FIRST_FILE = 0xFEFE_FEFE_FEFE_FEFE
_NOT_LAST_FILE = 0x7F7F_7F7F_7F7F_7F7F

_DIRECTIONS = (
    (1, _NOT_FIRST_FILE),
    (9, _NOT_FIRST_FILE),
    (-7, _NOT_FIRST_FILE),
    (-1, _NOT_LAST_FILE),
    (-9, _NOT_LAST_FILE),
    (7, _NOT_LAST_FILE),
    (8, _GRID),
    (-8, _GRID),
)
"""(step in bits, squares that such a step can reach without wrapping around an edge)."""

_SQUARE = re.compile(r"([a-h])([1-8])", re.ASCII)


@cache
def frame(size: int) -> int:
    """Return the squares of the board of that size, as bits of the grid."""
    return sum(1 << bit for bit in _bits(size))


@cache
def _bits(size: int) -> tuple[int, ...]:
    """Return the grid's bit of each square, in the order of moves and cells."""
    margin = (8 - size) // 2
    return tuple(8 * (row + margin) + column + margin for row in range(size) for column in range(size))


@cache
def _move_of_bit(size: int) -> dict[int, Move]:
    return {1 << bit: move for move, bit in enumerate(_bits(size))}


def _shift(squares: int, step: int) -> int:
    return squares << step if step > 0 else squares >> -step


def placements(own: int, opponent: int, size: int) -> int:
    """Return the squares where `own` may place a disc, as bits of the grid."""
    empty = frame(size) & ~(own | opponent)
    found = 0
    for step, arrival in _DIRECTIONS:
        line = _shift(own, step) & arrival & opponent
        reached = line
        for _ in range(size - 3):
            line = _shift(line, step) & arrival & opponent
            if not line:
                break
            reached |= line
        found |= _shift(reached, step) & arrival & empty
    return found


def flips(own: int, opponent: int, square: int) -> int:
    """Return the opponent's discs that a disc of `own` on `square` (one bit) turns over."""
    turned = 0
    for step, arrival in _DIRECTIONS:
        line = 0
        here = _shift(square, step) & arrival
        while here & opponent:
            line |= here
            here = _shift(here, step) & arrival
        if here & own:
            turned |= line
    return turned


@dataclass(frozen=True, slots=True)
class OthelloState:
    """A position. own: discs of the side to move; opponent: the other's; bits of the grid above."""

    size: int
    own: int
    opponent: int
    to_move: Player = Player.FIRST
    ply: int = 0

    @property
    def rows(self) -> int:
        return self.size

    @property
    def columns(self) -> int:
        return self.size

    @property
    def pass_move(self) -> Move:
        return self.size * self.size

    @property
    def score(self) -> tuple[int, int]:
        """(black's discs, white's discs)."""
        mine, theirs = self.own.bit_count(), self.opponent.bit_count()
        return (mine, theirs) if self.to_move is Player.FIRST else (theirs, mine)

    def legal_moves(self) -> tuple[Move, ...]:
        squares = placements(self.own, self.opponent, self.size)
        if not squares:
            return () if self._is_over() else (self.pass_move,)
        moves = _move_of_bit(self.size)
        found = []
        while squares:
            square = squares & -squares
            found.append(moves[square])
            squares ^= square
        return tuple(found)

    def play(self, move: Move) -> Self:
        if move == self.pass_move:
            return self._passed(move)
        square = 1 << _bits(self.size)[move] if 0 <= move < self.pass_move else 0
        is_free = square and not (self.own | self.opponent) & square
        turned = flips(self.own, self.opponent, square) if is_free else 0
        if not turned:
            raise self._refusal(move)
        return type(self)(
            self.size, self.opponent ^ turned, self.own | turned | square, self.to_move.other, self.ply + 1
        )

    def outcome(self) -> Outcome | None:
        if not self._is_over():
            return None
        black, white = self.score
        winner = None if black == white else Player.FIRST if black > white else Player.SECOND
        return Outcome(winner, EndReason.DISC_COUNT)

    def cells(self) -> tuple[Player | None, ...]:
        mine, other = self.to_move, self.to_move.other
        return tuple(
            mine if self.own >> bit & 1 else other if self.opponent >> bit & 1 else None
            for bit in _bits(self.size)
        )

    def _passed(self, move: Move) -> Self:
        if self.legal_moves() != (self.pass_move,):
            raise self._refusal(move)
        return type(self)(self.size, self.opponent, self.own, self.to_move.other, self.ply + 1)

    def _is_over(self) -> bool:
        return not placements(self.own, self.opponent, self.size) and not placements(
            self.opponent, self.own, self.size
        )

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if not 0 <= move <= self.pass_move:
            message = f"There is no square {move}: the last is {self.pass_move - 1}, {_name(self.size, -1)}."
            return IllegalMove(move, "no_such_square", message)
        legal = self.legal_moves()
        if not legal:
            return IllegalMove(move, "over", "The game is over: neither side can move.")
        if legal == (self.pass_move,):
            return IllegalMove(move, "must_pass", "No square turns a disc over this time: pass.")
        name = _name(self.size, move)
        allowed = ", ".join(_name(self.size, other) for other in legal)
        if move == self.pass_move:
            return IllegalMove(move, "no_pass", f"You can move, so you cannot pass: choose {allowed}.")
        if self.cells()[move] is not None:
            return IllegalMove(move, "occupied", f"{name} is taken: choose {allowed}.")
        return IllegalMove(move, "no_flip", f"{name} turns no disc over: choose {allowed}.")

    def __str__(self) -> str:
        return drawn(self)


def _name(size: int, move: Move) -> str:
    if move == size * size:
        return "pass"
    row, column = divmod(move % (size * size), size)
    return f"{'abcdefgh'[column]}{row + 1}"


class Othello:
    """The rules; two discs each in the centre, black's on the diagonal from bottom left to top right."""

    key = "othello"
    title = "Othello"
    boards = ("8x8", "6x6")

    def start(self, board: str | None = None) -> OthelloState:
        """Return the four discs in the centre of that board; raises BoardError."""
        text = self.boards[0] if board is None else board.strip().lower()
        if text not in self.boards:
            raise BoardError(f"{board!r} is no Othello board: there are {' and '.join(self.boards)}.")
        black = 1 << 28 | 1 << 35  # e4, d5 (d3, c4 on the small board)
        white = 1 << 27 | 1 << 36
        return OthelloState(int(text[0]), black, white)

    def move_name(self, state: State, move: Move) -> str:
        """Return `a1` to the last square, or `pass`."""
        return _name(state.rows, move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the square with that name, or the pass; raises NotationError or IllegalMove."""
        size = state.rows
        match = _SQUARE.fullmatch(text)
        if text == "pass":
            move = size * size
        elif match and int(match[2]) <= size and "abcdefgh".index(match[1]) < size:
            move = (int(match[2]) - 1) * size + "abcdefgh".index(match[1])
        else:
            raise NotationError(f"{text!r} is no square: write a1 to {_name(size, -1)}, or pass.")
        state.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the square itself; None for a pass."""
        return None if move == state.rows * state.columns else move
