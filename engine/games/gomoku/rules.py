"""Gomoku: at least five in a row on 9 × 9, 13 × 13 or 15 × 15; freestyle, or with the opening rule swap2.

Five or more win (freestyle: an overline counts), for either side. A move is the number of a square, row-major
from the top; people name it by column and row, `h8`. Bits of a position use the same numbers.

Under swap2, the opening of the world championships since 2009 (Renju International Federation, "Swap2"), the
first player places a black, a white and a black disc. Colours alternate: after three discs and after five
white is next, and the choices only decide who that is. The second player continues as white, takes black
(`swap`), or places a white and a black disc (`two`) and leaves the choice to the first player, who then
continues as white or takes black (Gomocup, "Experimental Tournament 2020", command SWAP2BOARD).

Taking a colour exchanges the owners of all discs; the board stays the same. Whoever has to choose owns white,
so that a disc continues as white, and `swap` passes the turn to the other side. Therefore `two` exchanges
the owners as well. The phases::

    three     FIRST places three: own, other, own
    choose    SECOND, with one disc to two, places a disc, or plays swap or two
    two       SECOND, now with two discs to one, places two: the other's, own
    answer    FIRST, with two discs to three, places a disc, or plays swap
    play      each places a disc in turn

Matches from before this rule was mended are read on OLD_BOARDS: there `two` exchanges no owners, so that
FIRST answers with three discs to two.
"""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from string import ascii_lowercase
from typing import Self

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.drawing import drawn

K = 5
SIZES = (15, 13, 9)
OLD_BOARDS = tuple(f"{size}x{size}-swap2-old" for size in SIZES)
_BOARD = re.compile(r"(\d{1,2})x(\d{1,2})(-swap2(-old)?)?", re.ASCII)
_SQUARE = re.compile(r"([a-o])([1-9][0-9]?)", re.ASCII)


class Phase(enum.IntEnum):
    """The phase of an opening, which determines the legal moves; see above."""

    THREE, CHOOSE, TWO, ANSWER, PLAY = range(5)


@cache
def _inner(size: int) -> tuple[int, ...]:
    """By step (right, down-left, down, down-right): the squares from which a full five starts."""
    last, places = size - K, range(size)
    found = [0, 0, 0, 0]
    for row, column in product(places, places):
        bit = 1 << size * row + column
        is_high, is_left, is_right = row <= last, column <= last, column >= K - 1
        fits = (is_left, is_high and is_right, is_high, is_high and is_left)
        for step, does_fit in enumerate(fits):
            found[step] |= bit * does_fit
    return tuple(found)


def _five(discs: int, size: int) -> int:
    """Return all discs of every five in a row."""
    found = 0
    for step, begins in zip((1, size - 1, size, size + 1), _inner(size), strict=True):
        starts = discs & discs >> step
        starts = starts & starts >> 2 * step & discs >> 4 * step & begins
        if starts:
            found |= starts | starts << step | starts << 2 * step | starts << 3 * step | starts << 4 * step
    return found


@dataclass(frozen=True, slots=True)
class GomokuState:
    """A position. discs: of FIRST and of SECOND, one bit per square; to_move, phase: see above.

    placed: the discs placed in this phase of an opening. last: the square of the last disc, None before the
    first; only it can have completed a five. line: the squares of such a five, as bits. two_keeps: whether
    `two` leaves the discs with their owners, on an old board; False after that part of an opening.
    """

    size: int = 15
    discs: tuple[int, int] = (0, 0)
    to_move: Player = Player.FIRST
    ply: int = 0
    phase: Phase = Phase.PLAY
    placed: int = 0
    last: Move | None = None
    two_keeps: bool = False
    line: int = field(default=0, compare=False, repr=False)

    @property
    def rows(self) -> int:
        return self.size

    @property
    def columns(self) -> int:
        return self.size

    @property
    def swap(self) -> Move:
        """The move that takes the other colour."""
        return self.size * self.size

    @property
    def two(self) -> Move:
        """The move that places two more discs and leaves the choice to the other side."""
        return self.size * self.size + 1

    @property
    def free(self) -> int:
        """The empty squares."""
        return (1 << self.size * self.size) - 1 & ~(self.discs[0] | self.discs[1])

    @property
    def given(self) -> Player | None:
        """The owner of the opening's next disc; None outside the phases with discs of both colours."""
        return self._owner if self.phase in (Phase.THREE, Phase.TWO) else None

    def legal_moves(self) -> tuple[Move, ...]:
        if self.line:
            return ()
        # The lowest bit first; faster than testing each of 225 squares.
        squares = [square for square, bit in enumerate(f"{self.free:b}"[::-1]) if bit == "1"]
        said = {Phase.CHOOSE: (self.swap, self.two), Phase.ANSWER: (self.swap,)}.get(self.phase, ())
        return (*squares, *said)

    def play(self, move: Move) -> Self:
        # Taking a colour exchanges the owners of the discs, so the other side is next: see the phases above.
        if move == self.swap and self.phase in (Phase.CHOOSE, Phase.ANSWER):
            return self._next(self.discs[::-1], self.to_move.other, Phase.PLAY, 0, self.last)
        if move == self.two and self.phase is Phase.CHOOSE:
            after = self.discs if self.two_keeps else self.discs[::-1]
            return self._next(after, self.to_move, Phase.TWO, 0, self.last)
        if not (0 <= move < self.swap and self.free >> move & 1) or self.line:
            raise self._refusal(move)
        owner = self._owner
        discs = list(self.discs)
        discs[owner] |= 1 << move
        after = (discs[0], discs[1])
        # The same side places three discs, or two.
        if (self.phase is Phase.THREE and self.placed < 2) or (self.phase is Phase.TWO and self.placed < 1):
            return self._next(after, self.to_move, self.phase, self.placed + 1, move)
        following = {Phase.THREE: Phase.CHOOSE, Phase.TWO: Phase.ANSWER}.get(self.phase, Phase.PLAY)
        return self._next(after, self.to_move.other, following, 0, move)

    def outcome(self) -> Outcome | None:
        if self.line:
            cells = tuple(cell for cell in range(self.swap) if self.line >> cell & 1)
            winner = Player.FIRST if self.line & self.discs[0] else Player.SECOND
            return Outcome(winner, EndReason.LINE, cells)
        return None if self.free else Outcome(None, EndReason.BOARD_FULL)

    def cells(self) -> tuple[Player | None, ...]:
        found: list[Player | None] = [None] * self.swap
        for owner, discs in zip(Player, self.discs, strict=True):
            # Disc by disc, since most squares are empty; quicker than testing each of 225.
            left = discs
            while left:
                found[(left & -left).bit_length() - 1] = owner
                left &= left - 1
        return tuple(found)

    @property
    def _owner(self) -> Player:
        """The owner of the next disc; in an opening it may be the other side."""
        is_others = self.placed == 1 if self.phase is Phase.THREE else self.placed == 0
        is_given = self.phase in (Phase.THREE, Phase.TWO)
        return self.to_move.other if is_given and is_others else self.to_move

    def _next(
        self, discs: tuple[int, int], to_move: Player, phase: Phase, placed: int, last: Move | None
    ) -> Self:
        line = 0
        if last is not None:
            line = _five(discs[0] if discs[0] >> last & 1 else discs[1], self.size)
        two_keeps = self.two_keeps and phase in (Phase.THREE, Phase.CHOOSE, Phase.TWO)
        return type(self)(self.size, discs, to_move, self.ply + 1, phase, placed, last, two_keeps, line)

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if self.line or not self.free:
            return IllegalMove(move, "over", "The game is over.")
        name, last = _name(self, move), _name(self, self.swap - 1)
        if move in (self.swap, self.two):
            return IllegalMove(move, "not_now", f"{name} is no move now: the squares are a1 to {last}.")
        if not 0 <= move < self.swap:
            return IllegalMove(move, "no_such_square", f"There is no such square: they are a1 to {last}.")
        return IllegalMove(move, "occupied", f"{name} is taken: choose a free square.")

    def __str__(self) -> str:
        return drawn(self)


def _name(state: GomokuState, move: Move) -> str:
    if move >= state.swap:
        return "swap" if move == state.swap else "two"
    row, column = divmod(move, state.size)
    return f"{ascii_lowercase[column]}{row + 1}"


def as_gomoku(state: State) -> GomokuState:
    """Return the state as one of this game; raises BoardError."""
    if not isinstance(state, GomokuState):
        raise BoardError(f"this is Gomoku, not {type(state).__name__}")
    return state


class Gomoku:
    """The rules on three board sizes."""

    key = "gomoku"
    title = "Gomoku"
    boards = ("15x15", "15x15-swap2", "13x13", "13x13-swap2", "9x9", "9x9-swap2")

    def start(self, board: str | None = None) -> GomokuState:
        """Return the empty board, also of OLD_BOARDS; raises BoardError."""
        match = _BOARD.fullmatch((board or self.boards[0]).strip().lower())
        if match is None or match[1] != match[2] or int(match[1]) not in SIZES:
            raise BoardError(f"{board!r} is no Gomoku board: there are {', '.join(self.boards)}.")
        phase = Phase.THREE if match[3] else Phase.PLAY
        return GomokuState(int(match[1]), phase=phase, two_keeps=match[4] is not None)

    def move_name(self, state: State, move: Move) -> str:
        """Return `a1` to `o15`, `swap` or `two`."""
        return _name(as_gomoku(state), move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the move with that name; raises NotationError, or IllegalMove if it is not legal."""
        position = as_gomoku(state)
        said = {"swap": position.swap, "two": position.two}.get(text)
        if said is None:
            match = _SQUARE.fullmatch(text)
            column, row = (ascii_lowercase.index(match[1]), int(match[2])) if match else (99, 99)
            if column >= position.size or row > position.size:
                last = _name(position, position.swap - 1)
                raise NotationError(f"{text!r} is no square: write a1 to {last}.")
            said = (row - 1) * position.size + column
        position.play(said)
        return said

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the square; None for `swap` and `two`."""
        return move if 0 <= move < as_gomoku(state).swap else None
