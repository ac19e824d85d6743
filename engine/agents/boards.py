"""States as the kernels see them: integers on bitboards, and moves as squares of those boards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

import numpy as np
import numpy.typing as npt

from engine.agents.running import Run
from engine.agents.uct_tree import UctTree
from engine.core import EngineError, Move, State
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels import line_alphabeta, line_search, line_uct, othello_search, othello_uct, overlooking
from engine.kernels.control import INFINITY
from engine.kernels.line_alphabeta import BUCKET_WORDS, TABLE
from engine.kernels.othello import GRID_CORNERS, INNER_CORNERS, INNER_FRAME, PASS

# How large alpha-beta's table is for a depth, in buckets of 64 bytes: clearing one takes time as well.
_BUCKETS = ((3, 1 << 1), (6, 1 << 10), (9, 1 << 14))
_MOST_BUCKETS = 1 << 17

Array = npt.NDArray[np.int64]
Shape = tuple[int, int, int, int, int, int]


class Board(Protocol):
    """A state prepared for searching; every value from the viewpoint of its side to move."""

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """The squares of the legal moves, in groups from likely good to likely bad."""
        ...

    @property
    def widest(self) -> int:
        """The most moves that any state has."""
        ...

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        """The value of moving to `square`, looked at to `depth` plies with that move the first."""
        ...

    def memory(self, depth: int) -> Array:
        """What the searches of this state up to that depth may share, empty."""
        ...

    def alphabeta(self, square: int, depth: int, alpha: int, memory: Array, run: Run, pv: Array) -> int:
        """As `minimax`; where the value is at most alpha, an upper bound of it."""
        ...

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        """As `alphabeta`, on what an inattentive player sees; see `engine.kernels.overlooking`."""
        ...

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        """Grows a Monte Carlo tree in `tree`."""
        ...

    def move_of(self, square: int) -> Move: ...


def board_of(state: State) -> Board:
    """The state for the kernels; raises EngineError for a game that has none, or when it is over."""
    if not state.legal_moves():
        raise EngineError("the game is over: there is no move to choose")
    match state:
        case ConnectFourState():
            return ConnectFourBoard(state.own, state.mask, *_connect_four(state.rows, state.columns, state.k))
        case TicTacToeState():
            return TicTacToeBoard(_stand_up(state.own), _stand_up(state.mask), *_tic_tac_toe())
        case OthelloState():
            return OthelloBoard(_signed(state.own), _signed(state.opponent), state.size)
    raise EngineError(f"no search knows the game of {type(state).__name__}")


def _signed(bits: int) -> int:
    """The int64 with these 64 bits."""
    return bits - (1 << 64) if bits >> 63 else bits


def _bits_of(board: int) -> list[int]:
    return [square for square in range(64) if board >> square & 1]


@dataclass(frozen=True, slots=True)
class _LineBoard:
    """k in a row; see `engine.kernels.lines` for the layout and the shape."""

    own: int
    mask: int
    shape: Shape
    order: Array
    widest: int

    @property
    def groups(self) -> list[list[int]]:
        _, _, bottom, board, _, drops = self.shape
        free = (self.mask + bottom) & board if drops else board & ~self.mask
        groups = (_bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def memory(self, depth: int) -> Array:
        buckets = next((number for most, number in _BUCKETS if depth <= most), _MOST_BUCKETS)
        return np.zeros(TABLE + BUCKET_WORDS * buckets, np.int64)

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        value: int = line_search.minimax(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            1,
            -1,
            self.shape,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def alphabeta(self, square: int, depth: int, alpha: int, memory: Array, run: Run, pv: Array) -> int:
        value: int = line_alphabeta.alphabeta(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            -1,
            self.shape,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
            memory,
        )
        return -value

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        value: int = overlooking.glance_at_lines(
            self.own ^ self.mask,
            self.mask | 1 << square,
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            -1,
            self.shape,
            self.order,
            chances,
            seed,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        line_uct.search(
            self.own,
            self.mask,
            exploration,
            depth,
            seed,
            self.shape,
            run.stop,
            run.timer,
            run.counters,
            tree.size,
            tree.first,
            tree.children,
            tree.square,
            tree.status,
            tree.visits,
            tree.gain,
        )


class ConnectFourBoard(_LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        return square // self.shape[0]


class TicTacToeBoard(_LineBoard):
    __slots__ = ()

    def move_of(self, square: int) -> Move:
        column, row = divmod(square, 4)
        return 3 * row + column


@lru_cache(maxsize=64)
def _connect_four(rows: int, columns: int, k: int) -> tuple[Shape, Array, int]:
    stride = rows + 1
    bottom = sum(1 << stride * column for column in range(columns))
    column_squares = (1 << rows) - 1
    # Columns at the same distance from the middle form one group: (3), (2 4), (1 5), (0 6).
    groups = [
        sum(
            column_squares << stride * column
            for column in range(columns)
            if abs(2 * column - columns + 1) == distance
        )
        for distance in range(columns + 1)
    ]
    order = [group for group in groups if group]
    shape = (stride, k, bottom, bottom * column_squares, order[0], 1)
    return shape, np.array(order, np.int64), columns


@lru_cache(maxsize=1)
def _tic_tac_toe() -> tuple[Shape, Array, int]:
    bottom = 0b0001_0001_0001
    centre, corners = 1 << 5, 1 << 0 | 1 << 2 | 1 << 8 | 1 << 10
    board = bottom * 0b111
    shape = (4, 3, bottom, board, centre, 0)
    return shape, np.array([centre, corners, board ^ centre ^ corners], np.int64), 9


def _stand_up(bits: int) -> int:
    """Tic-tac-toe's bits, 3 * row + column, in the layout of `lines`, 4 * column + row."""
    return sum(1 << (4 * (i % 3) + i // 3) for i in range(9) if bits >> i & 1)


@dataclass(frozen=True, slots=True)
class OthelloBoard:
    """Othello, 8 x 8 or 6 x 6; see `engine.kernels.othello` for the layout."""

    own: int
    opposing: int
    size: int

    @property
    def frame(self) -> int:
        return -1 if self.size == 8 else INNER_FRAME

    @property
    def order(self) -> Array:
        return _othello_order(self.size)

    @property
    def widest(self) -> int:
        return 33  # reachable by play on 8 x 8

    @property
    def groups(self) -> list[list[int]]:
        free: int = othello_search.legal_squares(self.own, self.opposing, self.frame)
        if free == 0:
            return [[PASS]]
        groups = (_bits_of(free & int(group)) for group in self.order)
        return [group for group in groups if group]

    def _after(self, square: int) -> tuple[int, int]:
        """The discs of the side to move and of the other, after the move."""
        if square == PASS:
            return self.opposing, self.own
        move = _signed(1 << square)
        turned: int = othello_search.flipped_discs(move, self.own, self.opposing)
        return self.opposing ^ turned, self.own | move | turned

    def memory(self, depth: int) -> Array:  # noqa: ARG002 (it remembers nothing)
        return np.zeros(0, np.int64)

    def minimax(self, square: int, depth: int, run: Run, pv: Array) -> int:
        value: int = othello_search.minimax(
            *self._after(square),
            depth - 1,
            1,
            self.frame,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def alphabeta(
        self,
        square: int,
        depth: int,
        alpha: int,
        memory: Array,  # noqa: ARG002
        run: Run,
        pv: Array,
    ) -> int:
        value: int = othello_search.alphabeta(
            *self._after(square),
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            self.frame,
            self.order,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def glance(
        self, square: int, depth: int, alpha: int, chances: Array, seed: int, run: Run, pv: Array
    ) -> int:
        value: int = overlooking.glance_at_othello(
            *self._after(square),
            depth - 1,
            -INFINITY,
            -alpha,
            1,
            self.frame,
            self.order,
            chances,
            seed,
            run.stop,
            run.timer,
            run.counters,
            pv,
        )
        return -value

    def simulate(self, exploration: float, depth: int, seed: int, run: Run, tree: UctTree) -> None:
        othello_uct.search(
            self.own,
            self.opposing,
            exploration,
            depth,
            seed,
            self.frame,
            run.stop,
            run.timer,
            run.counters,
            tree.size,
            tree.first,
            tree.children,
            tree.square,
            tree.status,
            tree.visits,
            tree.gain,
        )

    def move_of(self, square: int) -> Move:
        if square == PASS:
            return self.size * self.size
        row, column = divmod(square, 8)
        margin = (8 - self.size) // 2
        return (row - margin) * self.size + column - margin


@lru_cache(maxsize=2)
def _othello_order(size: int) -> Array:
    """Corners first, the squares diagonal to them last: who takes one of these often gives a corner away."""
    corners = INNER_CORNERS if size == 6 else GRID_CORNERS
    first, last = (8 - size) // 2, 7 - (8 - size) // 2
    diagonal = sum(1 << 8 * row + column for row in (first + 1, last - 1) for column in (first + 1, last - 1))
    frame = -1 if size == 8 else INNER_FRAME
    return np.array([corners, frame & ~corners & ~diagonal, diagonal], np.int64)
