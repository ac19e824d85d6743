"""Hex on 11 × 11 or 7 × 7 hexagons, with the swap rule.

FIRST joins the top and bottom edges, SECOND the left and right ones. A stone never moves. A full board always
joins exactly one pair of edges (Gale, The Game of Hex and the Brouwer Fixed-Point Theorem, 1979), so there
are no draws. A move is the number of a cell, row-major from the top; people name it by column and row, `f6`.
Cell (row, column) touches (row, column ± 1), (row ± 1, column), (row - 1, column + 1), (row + 1, column - 1):
each row lies half a cell further to the right.

The first move is so strong that the other side may take it over: `swap` moves the stone to its mirror image,
where it belongs to SECOND. Bits of a position use the numbers of cells.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from string import ascii_lowercase
from typing import Self

from engine.core import BoardError, EndReason, IllegalMove, Move, NotationError, Outcome, Player, State
from engine.games.drawing import drawn

SIZES = (11, 7)
_BOARD = re.compile(r"(\d{1,2})x(\d{1,2})", re.ASCII)
_CELL = re.compile(r"([a-k])([1-9][0-9]?)", re.ASCII)


@cache
def edges(size: int, player: Player) -> tuple[int, int]:
    """Return the cells at the two edges that the player joins, as bits."""
    first_row = (1 << size) - 1
    first_column = sum(1 << size * row for row in range(size))
    if player is Player.FIRST:
        return first_row, first_row << size * (size - 1)
    return first_column, first_column << size - 1


def around(cells: int, size: int) -> int:
    """Return the cells and their neighbours, all as bits; some may lie beyond the last row."""
    left, right = edges(size, Player.SECOND)
    further, nearer = (cells & ~right) << 1, (cells & ~left) >> 1
    return cells | further | nearer | cells << size | cells >> size | further >> size | nearer << size


def group(stones: int, start: int, size: int) -> int:
    """Return those of the stones that hang together with the ones in `start`."""
    found, grown = 0, start & stones
    while grown != found:
        found, grown = grown, around(grown, size) & stones
    return found


def stones_needed(state: HexState) -> int:
    """Return how many stones the shortest chain of the side to move lacks; the game must go on."""
    mine, (start, goal) = state.stones[state.to_move], edges(state.size, state.to_move)
    needed, reached = 0, group(mine, start, state.size)
    while not reached & goal:
        laid = (start | around(reached, state.size)) & state.free
        needed, reached = needed + 1, reached | group(mine | laid, laid, state.size)
    return needed


@dataclass(frozen=True, slots=True)
class HexState:
    """A position. stones: of FIRST and of SECOND, one bit per cell. won: the group that joins both edges."""

    size: int = 11
    stones: tuple[int, int] = (0, 0)
    ply: int = 0
    won: int = field(default=0, compare=False, repr=False)

    @property
    def rows(self) -> int:
        return self.size

    @property
    def columns(self) -> int:
        return self.size

    @property
    def to_move(self) -> Player:
        return Player(self.ply & 1)

    @property
    def swap(self) -> Move:
        """The move that takes the first stone over."""
        return self.size * self.size

    @property
    def free(self) -> int:
        """The empty cells."""
        return (1 << self.size * self.size) - 1 & ~(self.stones[0] | self.stones[1])

    def legal_moves(self) -> tuple[Move, ...]:
        if self.won:
            return ()
        cells = tuple(cell for cell, bit in enumerate(f"{self.free:b}"[::-1]) if bit == "1")
        return (*cells, self.swap) if self.ply == 1 else cells

    def play(self, move: Move) -> Self:
        if self.ply == 1 and move == self.swap:
            row, column = divmod(self.stones[0].bit_length() - 1, self.size)
            return type(self)(self.size, (0, 1 << self.size * column + row), 2)
        if self.won or not (0 <= move < self.swap and self.free >> move & 1):
            raise self._refusal(move)
        mine, other = self.stones[self.to_move] | 1 << move, self.stones[self.to_move.other]
        joined = group(mine, 1 << move, self.size)
        one_edge, other_edge = edges(self.size, self.to_move)
        won = joined if joined & one_edge and joined & other_edge else 0
        stones = (mine, other) if self.to_move is Player.FIRST else (other, mine)
        return type(self)(self.size, stones, self.ply + 1, won)

    def outcome(self) -> Outcome | None:
        """Return the winner with a shortest chain of theirs from edge to edge."""
        if not self.won:
            return None
        winner = Player.FIRST if self.won & self.stones[0] else Player.SECOND
        return Outcome(winner, EndReason.LINE, self._chain(winner))

    def cells(self) -> tuple[Player | None, ...]:
        first, second = self.stones
        return tuple(
            Player.FIRST if first >> cell & 1 else Player.SECOND if second >> cell & 1 else None
            for cell in range(self.swap)
        )

    def _chain(self, winner: Player) -> tuple[int, ...]:
        start, goal = edges(self.size, winner)
        reached = [start & self.won]
        while not reached[-1] & goal:
            reached.append(around(reached[-1], self.size) & self.won)
        chain = last = _lowest(reached.pop() & goal)
        while reached:
            last = _lowest(around(last, self.size) & reached.pop())
            chain |= last
        return tuple(cell for cell in range(self.swap) if chain >> cell & 1)

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if self.won:
            return IllegalMove(move, "over", "The game is over.")
        last = cell_name(self.size, self.swap - 1)
        if move == self.swap:
            return IllegalMove(
                move, "not_now", f"Only the second move may be a swap: choose from a1 to {last}."
            )
        if not 0 <= move < self.swap:
            return IllegalMove(move, "no_such_square", f"There is no such cell: they are a1 to {last}.")
        return IllegalMove(move, "occupied", f"{cell_name(self.size, move)} is taken: choose a free cell.")

    def __str__(self) -> str:
        return drawn(self)


def _lowest(bits: int) -> int:
    return bits & -bits


def cell_name(size: int, move: Move) -> str:
    """Return `a1` to `k11`, or `swap`."""
    row, column = divmod(move, size)
    return "swap" if row == size else f"{ascii_lowercase[column]}{row + 1}"


def as_hex(state: State) -> HexState:
    """Return the state as one of this game; raises BoardError."""
    if not isinstance(state, HexState):
        raise BoardError(f"this is Hex, not {type(state).__name__}")
    return state


class Hex:
    """The rules on two board sizes."""

    key = "hex"
    title = "Hex"
    boards = ("11x11", "7x7")

    def start(self, board: str | None = None) -> HexState:
        """Return the empty board; raises BoardError."""
        match = _BOARD.fullmatch((board or self.boards[0]).strip().lower())
        if match is None or match[1] != match[2] or int(match[1]) not in SIZES:
            raise BoardError(f"{board!r} is no Hex board: there are {' and '.join(self.boards)}.")
        return HexState(int(match[1]))

    def move_name(self, state: State, move: Move) -> str:
        """Return `a1` to `k11`, or `swap`."""
        return cell_name(as_hex(state).size, move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the move with that name; raises NotationError, or IllegalMove if it is not legal."""
        position = as_hex(state)
        move = position.swap
        if text != "swap":
            match = _CELL.fullmatch(text)
            column, row = (ascii_lowercase.index(match[1]), int(match[2])) if match else (99, 99)
            if column >= position.size or row > position.size:
                last = cell_name(position.size, position.swap - 1)
                raise NotationError(f"{text!r} is no cell: write a1 to {last}.")
            move = (row - 1) * position.size + column
        position.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the cell; None for `swap`."""
        return move if 0 <= move < as_hex(state).swap else None
