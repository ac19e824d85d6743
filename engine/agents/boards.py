"""States as the kernels see them: integers on bitboards, and moves as squares of those boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.core import EngineError, Move, State
from engine.games.connect_four import ConnectFourState
from engine.games.line_boards import (
    ConnectFourBoard,
    TicTacToeBoard,
    connect_four_layout,
    stand_up,
    tic_tac_toe_layout,
)
from engine.games.othello import OthelloState
from engine.games.othello.search_board import OthelloBoard, signed
from engine.games.tic_tac_toe import TicTacToeState
from engine.kernels.running import Array, Run
from engine.kernels.uct_tree import UctTree


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
        """As `alphabeta`, on what an inattentive player sees; see `engine.kernels.blundering`."""
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
            return ConnectFourBoard(
                state.own, state.mask, *connect_four_layout(state.rows, state.columns, state.k)
            )
        case TicTacToeState():
            return TicTacToeBoard(stand_up(state.own), stand_up(state.mask), *tic_tac_toe_layout())
        case OthelloState():
            return OthelloBoard(signed(state.own), signed(state.opponent), state.size)
    raise EngineError(f"no search knows the game of {type(state).__name__}")
