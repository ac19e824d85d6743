"""The bordered Othello board that agents written for a university championship expect.

That championship (its published base code is "TabuleiroOthello") asks a class with `__init__(self, color)`
and `play(self, board)`. Rows and columns go from 1 to 8, row 1 at the top, inside a border::

      0 1 2 3 4 5 6 7 8 9        .  empty
    0 ? ? ? ? ? ? ? ? ? ?        ○  black, who begins
    1 ? . . . . . . . . ?        ●  white
    …                            ?  border
    4 ? . . . ● ○ . . . ?
    5 ? . . . ○ ● . . . ?
    …
    9 ? ? ? ? ? ? ? ? ? ?

Used only inside a plug-in's worker process, on copies: nothing an agent does to its board reaches a match.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from engine.core import Move as EngineMove
from engine.core import Player, State

SIZE = 8


@dataclass(frozen=True)
class Move:
    """A square: x is the row and y the column, both 1 to 8; unpacks as (x, y)."""

    x: int
    y: int

    def __iter__(self) -> Iterator[int]:
        yield self.x
        yield self.y

    def __str__(self) -> str:
        return f"{self.x} {self.y}"


Grid = list[list[str]]


class Board:
    """A position that agents may play on; `Board(None)` is the start, `Board(grid)` copies a 10 x 10 grid."""

    EMPTY, BLACK, WHITE, OUTER = ".", "○", "●", "?"

    UP, DOWN, LEFT, RIGHT = (-1, 0), (1, 0), (0, -1), (0, 1)
    UP_RIGHT, DOWN_RIGHT, DOWN_LEFT, UP_LEFT = (-1, 1), (1, 1), (1, -1), (-1, -1)
    DIRECTIONS = (UP, UP_RIGHT, RIGHT, DOWN_RIGHT, DOWN, DOWN_LEFT, LEFT, UP_LEFT)

    def __init__(self, board: Sequence[Sequence[str]] | None = None) -> None:
        self.board: Grid = _start() if board is None else [list(row) for row in board]

    def get_clone(self) -> Board:
        return Board(self.board)

    def get_square_color(self, row: int, column: int) -> str:
        """`.`, `○` or `●`; `?` for rows and columns 0 and 9."""
        return self.board[row][column]

    def valid_moves(self, color: str) -> list[Move]:
        """Every square where that colour may place a disc, row by row."""
        return [
            move
            for move in (Move(x, y) for x in range(1, SIZE + 1) for y in range(1, SIZE + 1))
            if self.board[move.x][move.y] == Board.EMPTY and any(self._turned(move, color))
        ]

    def play(self, move: Move, color: str) -> None:
        """Places a disc and turns over what it encloses; checks nothing, as in the championship."""
        turned = [square for line in self._turned(move, color) for square in line]
        for x, y in ((move.x, move.y), *turned):
            self.board[x][y] = color

    def score(self) -> list[int]:
        """[white discs, black discs], in this order."""
        squares = [square for row in self.board for square in row]
        return [squares.count(Board.WHITE), squares.count(Board.BLACK)]

    def __str__(self) -> str:
        numbers = range(1, SIZE + 1)
        lines = [f"{x} {' '.join(self.board[x][1 : SIZE + 1])}" for x in numbers]
        return "\n".join([f"  {' '.join(map(str, numbers))}", *lines])

    def _turned(self, move: Move, color: str) -> Iterator[list[tuple[int, int]]]:
        """The discs that a disc of `color` on that square turns over, one list a direction."""
        opponent = Board.WHITE if color == Board.BLACK else Board.BLACK
        for down, right in Board.DIRECTIONS:
            line = []
            x, y = move.x + down, move.y + right
            while self.board[x][y] == opponent:
                line.append((x, y))
                x, y = x + down, y + right
            yield line if self.board[x][y] == color else []


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
    """A board of its own for an Othello state of 8 x 8; raises ValueError for other sizes."""
    if (state.rows, state.columns) != (SIZE, SIZE):
        raise ValueError(f"plays 8 x 8 only, not {state.rows} x {state.columns}")
    board = Board()
    for index, cell in enumerate(state.cells()):
        row, column = divmod(index, SIZE)
        board.board[row + 1][column + 1] = Board.EMPTY if cell is None else color_of(cell)
    return board


def engine_move(answer: object) -> EngineMove | None:
    """The engine's number for an agent's answer, legal or not; None when it names no square.

    Accepts what has x and y or row and column, and pairs (row, column); rows and columns 1 to 8.
    """
    for first, second in (("x", "y"), ("row", "column")):
        if hasattr(answer, first) and hasattr(answer, second):
            pair: object = (getattr(answer, first), getattr(answer, second))
            break
    else:
        pair = answer
    match pair:
        case (int(row), int(column)) if 1 <= row <= SIZE and 1 <= column <= SIZE:
            return (row - 1) * SIZE + column - 1
    return None


def install_modules(folder: Path) -> None:
    """Makes the championship's own imports work in this process, which must be a worker.

    `models.move.Move`, `models.board.Board`, and as `models.players.*` the other files of the folder.
    """
    for name, path, content in (
        ("models", [], {}),
        ("models.move", None, {"Move": Move}),
        ("models.board", None, {"Board": Board, "Move": Move}),
        ("models.players", [str(folder)], {}),
    ):
        module = ModuleType(name)
        if path is not None:
            module.__path__ = path
        for key, value in content.items():
            setattr(module, key, value)
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
