"""The Othello board with a border that agents written for a university championship expect.

That championship (its published base code is "TabuleiroOthello") expects a class with `__init__(self, color)`
and `play(self, board)`. Rows and columns go from 1 to 8, row 1 at the top, inside a border::

      0 1 2 3 4 5 6 7 8 9        .  empty
    0 ? ? ? ? ? ? ? ? ? ?        ○  black, who begins
    1 ? . . . . . . . . ?        ●  white
    …                            ?  border
    4 ? . . . ● ○ . . . ?
    5 ? . . . ○ ● . . . ?
    …
    9 ? ? ? ? ? ? ? ? ? ?

Used only inside a plug-in's worker process, on copies, so an agent cannot change a match through its board.
"""

from __future__ import annotations

import ast
import math
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeGuard

import numpy as np

from engine.core import Move as EngineMove
from engine.core import Player, State
from engine.plugins.modules import install_module

GAME, BOARD, SIZE = "othello", "8x8", 8
SUFFIX = "_player"
"""The end of a player's file name, without `.py`."""

SIGNS = ("○", "●")
"""Black's and white's, in the edition on the championship's page."""


class Move:
    """A square: x is the row and y the column, both 1 to 8; unpacks as (x, y) and compares by both."""

    def __init__(self, x: int, y: int) -> None:
        self.x = x
        self.y = y

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Move) and self.x == other.x and self.y == other.y

    def __hash__(self) -> int:
        return hash((self.x, self.y))

    def __lt__(self, other: Move) -> bool:
        """By row, then column: the order of `Board.valid_moves`, which breaks ties between equal scores."""
        return (self.x, self.y) < (other.x, other.y)

    def __iter__(self) -> Iterator[int]:
        yield self.x
        yield self.y

    def __str__(self) -> str:
        return f"{self.x} {self.y}"

    def __repr__(self) -> str:
        return f"Move({self.x}, {self.y})"


Grid = list[list[str]]


class Board:
    """A position for agents; `Board(None)` is the start, `Board(grid)` copies a 10 x 10 grid.

    The names with a leading underscore are part of the interface: the championship's agents call them.
    """

    EMPTY, OUTER = ".", "?"
    BLACK, WHITE = SIGNS

    UP, DOWN, LEFT, RIGHT = [-1, 0], [1, 0], [0, -1], [0, 1]
    UP_RIGHT, DOWN_RIGHT, DOWN_LEFT, UP_LEFT = [-1, 1], [1, 1], [1, -1], [-1, -1]
    DIRECTIONS = (UP, UP_RIGHT, RIGHT, DOWN_RIGHT, DOWN, DOWN_LEFT, LEFT, UP_LEFT)

    def __init__(self, board: Sequence[Sequence[str]] | None = None) -> None:
        self.board: Grid = _start() if board is None else [list(row) for row in board]

    def get_clone(self) -> Board:
        return Board(self.board)

    def get_square_color(self, row: int, column: int) -> str:
        """Return `.`, `○` or `●`; `?` for rows and columns 0 and 9."""
        return self.board[row][column]

    def valid_moves(self, color: str) -> list[Move]:
        """Return every square where that colour may place a disc, row by row, without duplicates."""
        board, opponent = self.board, self._opponent(color)
        return [
            Move(x, y)
            for x in range(1, SIZE + 1)
            for y in range(1, SIZE + 1)
            if board[x][y] == self.EMPTY and self._turns(x, y, color, opponent)
        ]

    def play(self, move: Move, color: str) -> Board:
        """Place a disc, turn over the enclosed ones and return this same board; checks no rule."""
        if color in (self.BLACK, self.WHITE):
            self.board[move.x][move.y] = color
            self._reverse(move, color)
        return self

    def score(self) -> list[int]:
        """Return [white discs, black discs], in this order."""
        squares = [square for row in self.board for square in row]
        return [squares.count(self.WHITE), squares.count(self.BLACK)]

    def __str__(self) -> str:
        numbers = range(1, SIZE + 1)
        lines = [f"{x} {' '.join(self.board[x][1 : SIZE + 1])}" for x in numbers]
        return "\n".join([f"  {' '.join(map(str, numbers))}", *lines])

    def __getitem__(self, row: int) -> list[str]:
        return self.board[row]

    def _opponent(self, color: str) -> str:
        return self.BLACK if color == self.WHITE else self.WHITE

    opponent = _opponent

    def _squares(self) -> list[int]:
        """Return the squares as two digits, the row and the column: 11 to 88."""
        return [10 * x + y for x in range(1, SIZE + 1) for y in range(1, SIZE + 1)]

    def _find_bracket(self, move: Move, color: str, direction: Sequence[int]) -> list[int] | None:
        """Return [row, column] of the disc that encloses others with a disc of `color` there; else None."""
        down, right = direction
        x, y = move.x + down, move.y + right
        if self.board[x][y] == color:
            return None
        opponent = self._opponent(color)
        while self.board[x][y] == opponent:
            x, y = x + down, y + right
        return [x, y] if self.board[x][y] == color else None

    def _reverse(self, move: Move, color: str) -> None:
        for direction in self.DIRECTIONS:
            self._make_flips(move, color, direction)

    def _make_flips(self, move: Move, color: str, direction: Sequence[int]) -> None:
        bracket = self._find_bracket(move, color, direction)
        if bracket is None:
            return
        down, right = direction
        x, y = move.x + down, move.y + right
        while [x, y] != bracket:
            self.board[x][y] = color
            x, y = x + down, y + right

    def _turns(self, x: int, y: int, color: str, opponent: str) -> bool:
        """Whether a disc there turns any over; equivalent to `_find_bracket`, but fast."""
        board = self.board
        for down, right in self.DIRECTIONS:
            row, column = x + down, y + right
            if board[row][column] != opponent:
                continue
            while board[row][column] == opponent:
                row += down
                column += right
            if board[row][column] == color:
                return True
        return False


def _start() -> Grid:
    grid = [[Board.OUTER] * (SIZE + 2)]
    grid += [[Board.OUTER, *[Board.EMPTY] * SIZE, Board.OUTER] for _ in range(SIZE)]
    grid.append([Board.OUTER] * (SIZE + 2))
    grid[4][4] = grid[5][5] = Board.WHITE
    grid[4][5] = grid[5][4] = Board.BLACK
    return grid


def color_of(player: Player) -> str:
    return Board.BLACK if player is Player.FIRST else Board.WHITE


def board_of(state: State) -> Board:
    """Return a new board for an Othello state of 8 x 8; raises ValueError for other sizes."""
    if (state.rows, state.columns) != (SIZE, SIZE):
        raise ValueError(f"plays 8 x 8 only, not {state.rows} x {state.columns}")
    board = Board()
    for index, cell in enumerate(state.cells()):
        row, column = divmod(index, SIZE)
        board.board[row + 1][column + 1] = Board.EMPTY if cell is None else color_of(cell)
    return board


def engine_move(answer: object) -> EngineMove | None:
    """Return the engine's number of an agent's answer, legal or not; None if it names no square.

    Accepts objects with x and y or row and column, and pairs (row, column); rows and columns 1 to 8.
    """
    for first, second in (("x", "y"), ("row", "column")):
        if hasattr(answer, first) and hasattr(answer, second):
            pair: object = (getattr(answer, first), getattr(answer, second))
            break
    else:
        pair = answer
    match pair:
        case (row, column) if _is_line(row) and _is_line(column):
            return (int(row) - 1) * SIZE + int(column) - 1
    return None


def _is_line(value: object) -> TypeGuard[int]:
    """Whether it is the number of a row or column; True is not, although it equals 1."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(1 <= value <= SIZE)


def install(file: Path | None) -> None:
    """Make the championship's own imports work in this process, the worker of that player.

    `models.move.Move` and `models.board.Board`; the folder's other files as `models.players.*` and as
    `models.*`, with those of the parent folder if that is a `models` folder as in the base code. The base
    code's own random and corner players are available even if the folder lacks them. Discs have the signs
    that the player's file uses.
    """
    if file is not None:
        Board.BLACK, Board.WHITE = discs_in(file.read_text("utf-8", errors="replace"))
    folders = [] if file is None else [file.parent]
    models = [*folders, *(folder.parent for folder in folders if folder.name == "players")]
    install_module("models", {}, [str(folder) for folder in models])
    install_module("models.move", {"Move": Move})
    install_module("models.board", {"Board": Board, "Move": Move})
    install_module("models.players", {}, [str(folder) for folder in folders])
    for name, player in (("RandomPlayer", RandomPlayer), ("CornerPlayer", CornerPlayer)):
        stem = f"{name.removesuffix('Player').lower()}_player"
        if not any((folder / f"{stem}.py").exists() for folder in folders):
            install_module(f"models.players.{stem}", {name: player})


def discs_in(code: str) -> tuple[str, str]:
    """Return the signs of (black, white) in a player's code: editions of the base code differ in them.

    Players should compare with `Board.BLACK`, but many contain the sign itself.
    """
    try:
        constants = {node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)}
    except (SyntaxError, ValueError, RecursionError):
        return SIGNS  # importing it will report the error
    if constants & set(SIGNS) or not constants & {"@", "o"}:
        return SIGNS
    return ("@", "X") if "X" in constants and "o" not in constants else ("@", "o")


class RandomPlayer:
    """Chooses any legal move, like the base code's player of that name."""

    def __init__(self, color: str) -> None:
        self.color = color

    def play(self, board: Board) -> Move:
        return random.choice(board.valid_moves(self.color))


class CornerPlayer:
    """Chooses the legal move nearest to a corner, like the base code's player of that name."""

    def __init__(self, color: str) -> None:
        self.color = color

    def play(self, board: Board) -> Move:
        return min(board.valid_moves(self.color), key=_from_corner)


def _from_corner(move: Move) -> float:
    return math.hypot(min(move.x - 1, SIZE - move.x), min(move.y - 1, SIZE - move.y))
