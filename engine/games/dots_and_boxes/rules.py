"""Dots and Boxes: a move draws a line between two dots; a side that closes a box owns it and moves again.

The grid has a dot at even rows and columns, a box at odd ones, and a line between two dots elsewhere. Moves
are the lines, row by row from the top; a line's name is its column as a letter and its row from 1. On 1 x 2
boxes, with the first moves 0 to 6::

    . 0 . 1 .      row 1: b1, d1
    2   3   4      row 2: a2, c2, e2
    . 5 . 6 .      row 3: b3, d3
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from string import ascii_lowercase
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

_LINE = re.compile(r"([a-k])([1-9]|1[01])", re.ASCII)

Owner = Player | None


@dataclass(frozen=True, slots=True)
class Grid:
    """The geometry of a board. lines: row and column of each. around: the four lines of each box.

    beside: the boxes on both sides of each line, one or two.
    """

    down: int
    across: int
    lines: tuple[tuple[int, int], ...]
    around: tuple[tuple[int, ...], ...]
    beside: tuple[tuple[int, ...], ...]


@cache
def grid_of(down: int, across: int) -> Grid:
    """Return the grid of `down` rows of `across` boxes."""
    lines = [(row, c) for row in range(2 * down + 1) for c in range(2 * across + 1) if (row + c) % 2]
    boxes = [(row, c) for row in range(1, 2 * down, 2) for c in range(1, 2 * across, 2)]
    around = tuple(
        tuple(lines.index(line) for line in ((row - 1, c), (row, c - 1), (row, c + 1), (row + 1, c)))
        for row, c in boxes
    )
    beside = tuple(tuple(box for box, own in enumerate(around) if line in own) for line in range(len(lines)))
    return Grid(down, across, tuple(lines), around, beside)


@dataclass(frozen=True, slots=True)
class DotsState:
    """A position. lines: who drew each line; boxes: who owns each box, row by row."""

    grid: Grid
    lines: tuple[Owner, ...]
    boxes: tuple[Owner, ...]
    to_move: Player = Player.FIRST

    @classmethod
    def of(cls, down: int, across: int) -> Self:
        """Return the empty grid of `down` rows of `across` boxes."""
        grid = grid_of(down, across)
        return cls(grid, (None,) * len(grid.lines), (None,) * len(grid.around))

    @property
    def rows(self) -> int:
        return 2 * self.grid.down + 1

    @property
    def columns(self) -> int:
        return 2 * self.grid.across + 1

    @property
    def ply(self) -> int:
        return len(self.lines) - self.lines.count(None)

    @property
    def points(self) -> tuple[int, int]:
        """The boxes of both sides."""
        return self.boxes.count(Player.FIRST), self.boxes.count(Player.SECOND)

    def legal_moves(self) -> tuple[Move, ...]:
        return tuple(line for line, owner in enumerate(self.lines) if owner is None)

    def closed(self, move: Move) -> list[int]:
        """Return the boxes that the move closes."""
        return [box for box in self.grid.beside[move] if self.missing(box) == [move]]

    def missing(self, box: int) -> list[int]:
        """Return the lines around the box that are not drawn."""
        return [line for line in self.grid.around[box] if self.lines[line] is None]

    def play(self, move: Move) -> Self:
        if not 0 <= move < len(self.lines) or self.lines[move] is not None:
            raise self._refusal(move)
        closed, mover = self.closed(move), self.to_move
        lines = (*self.lines[:move], mover, *self.lines[move + 1 :])
        boxes = tuple(mover if box in closed else owner for box, owner in enumerate(self.boxes))
        return type(self)(self.grid, lines, boxes, mover if closed else mover.other)

    def outcome(self) -> Outcome | None:
        if None in self.lines:
            return None
        first, second = self.points
        winner = None if first == second else Player.FIRST if first > second else Player.SECOND
        return Outcome(winner, EndReason.POINTS, points=self.points)

    def cells(self) -> tuple[Owner, ...]:
        """Return who drew each line, then who owns each box."""
        return (*self.lines, *self.boxes)

    def _refusal(self, move: Move) -> IllegalMove:
        """Return the reason why `move` is illegal."""
        if None not in self.lines:
            return IllegalMove(move, "over", "The game is over.")
        if not 0 <= move < len(self.lines):
            return IllegalMove(move, "no_such_square", f"There is no line {move}.")
        return IllegalMove(move, "drawn", f"The line {line_name(self.grid, move)} is drawn already.")

    def __str__(self) -> str:
        """Return a drawing: `+` for dots, `-` and `|` for lines, X and O for the owners of boxes."""
        rows = [[" "] * self.columns for _ in range(self.rows)]
        for line, (row, column) in enumerate(self.grid.lines):
            if self.lines[line] is not None:
                rows[row][column] = "|" if row % 2 else "-"
        for row in range(0, self.rows, 2):
            rows[row][::2] = "+" * (self.grid.across + 1)
        for box, owner in enumerate(self.boxes):
            down, across = divmod(box, self.grid.across)
            rows[2 * down + 1][2 * across + 1] = " " if owner is None else "XO"[owner]
        return "\n".join(map("".join, rows))


def line_name(grid: Grid, line: int) -> str:
    """Return the name of a line: `b1` is the first one of the top row."""
    row, column = grid.lines[line]
    return f"{ascii_lowercase[column]}{row + 1}"


def as_dots(state: State) -> DotsState:
    """Return the state as one of this game; raises EngineError."""
    if not isinstance(state, DotsState):
        raise EngineError(f"this is Dots and Boxes, not {type(state).__name__}")
    return state


class DotsAndBoxes:
    """The rules. A board is named by its boxes, from top to bottom and from left to right: `5x5`."""

    key = "dots-and-boxes"
    title = "Dots and Boxes"
    boards = ("5x5", "3x3")

    def start(self, board: str | None = None) -> DotsState:
        """Return the empty board; raises BoardError. Only square boards of 3 x 3 and 5 x 5 have a name."""
        name = (board or self.boards[0]).strip().lower()
        if name not in self.boards:
            raise BoardError(f"{board!r} is no board of Dots and Boxes: there are 5x5 and 3x3.")
        return DotsState.of(int(name[0]), int(name[2]))

    def move_name(self, state: State, move: Move) -> str:
        """Return the line's name: `b1`."""
        return line_name(as_dots(state).grid, move)

    def parse_move(self, state: State, text: str) -> Move:
        """Return the line of that name; raises NotationError, or IllegalMove if it is drawn."""
        position, match = as_dots(state), _LINE.fullmatch(text)
        place = (int(match[2]) - 1, ascii_lowercase.index(match[1])) if match else None
        if place not in position.grid.lines:
            raise NotationError(f"{text!r} is no line: write a letter and a number, such as b1.")
        move = position.grid.lines.index(place)
        position.play(move)
        return move

    def cell_of(self, state: State, move: Move) -> int | None:  # noqa: ARG002 - the same in every state
        """Return the line's own cell."""
        return move
