"""Solver for Connect Four on any board of 64 bits: proved bounds by iterative deepening."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

import numpy as np

from engine.core import EngineError, Limit, Move, State
from engine.games.connect_four.kernels import any_board_search as kernel
from engine.games.connect_four.kernels.context import STOPPED
from engine.games.connect_four.rules import ConnectFourState
from engine.games.connect_four.search_board import connect_four_layout
from engine.games.connect_four.solver_run import SolverRun
from engine.kernels.control import RULES
from engine.score import Score

TABLE_BITS = 18
"""2**18 entries, 4 MB: a table in the CPU's cache is faster than a larger one."""


@dataclass(slots=True)
class RootBounds:
    """Proved bounds of a state's score: at least `low` and at most `high`.

    A score of k means that the side to move wins with its k-th stone from the end, -k that it loses to the
    other side's k-th stone from the end, 0 a draw.
    """

    low: int
    high: int

    @property
    def is_exact(self) -> bool:
        return self.low == self.high

    def narrow(self, alpha: int, value: int) -> None:
        """Include a null-window result: `value` is an upper bound if it is at most alpha, else a lower."""
        if value <= alpha:
            self.high = min(self.high, value)
        else:
            self.low = max(self.low, value)

    def score(self, empty: int) -> Score:
        """Return the bounds as a general Score; empty: the number of empty cells."""
        return Score.between(Score.of_stones(self.low, empty), Score.of_stones(self.high, empty))


@dataclass(slots=True)
class _Asked:
    """A state's bounds and the remaining questions. sign: -1 if the bounds are from the other side's view."""

    state: ConnectFourState
    bounds: RootBounds
    sign: int = 1
    questions: Iterator[int] = field(init=False)

    def __post_init__(self) -> None:
        self.questions = _questions(self.state, self.bounds)

    @property
    def seen(self) -> RootBounds:
        """The bounds from the view of the side that asks."""
        if self.sign > 0:
            return RootBounds(self.bounds.low, self.bounds.high)
        return RootBounds(-self.bounds.high, -self.bounds.low)


def squares_of(state: ConnectFourState) -> int:
    return state.rows * state.columns


def empty_cells(state: ConnectFourState) -> int:
    return squares_of(state) - state.ply


def connect_four_state(state: State) -> ConnectFourState:
    """Return the state as Connect Four's; raises EngineError for other games and finished ones."""
    if not isinstance(state, ConnectFourState):
        raise EngineError(f"this solver plays Connect Four only, not {type(state).__name__}")
    if not state.legal_moves():
        raise EngineError("the game is over: there is no move to choose")
    return state


def _of_a_word(state: State) -> ConnectFourState:
    position = connect_four_state(state)
    if not position.fits_a_word:
        raise EngineError("this solver knows boards whose cells and sentinels fit 64 bits, up to 6 in a row")
    return position


class LineSolver:
    """Computes bounds of scores, one search at a time; its table serves the next search on the same board.

    Every method raises EngineError for other games, for boards larger than 64 bits and for finished games.
    If the limit (seconds, nodes, stop; a depth is ignored) ends the search early, the bounds are those
    proved so far.
    """

    def __init__(self, table_bits: int = TABLE_BITS) -> None:
        self._table = np.zeros(kernel.ENTRY_WORDS << table_bits, np.int64)
        self._table_bits = table_bits
        self._run = SolverRun(kernel.CONTEXT_WORDS, self._table.ctypes.data)
        self._board = (0, 0, 0)

    @property
    def nodes(self) -> int:
        """The states searched by the last call; those decided without search are not counted."""
        return self._run.nodes

    def solve(self, state: State, limit: Limit | None = None) -> RootBounds:
        """Return the proved bounds of the state's score for the side to move."""
        position = _of_a_word(state)
        asked = _Asked(position, _first_bounds(position))
        with self._searching(position, limit):
            while self._ask(asked):
                pass
        return asked.seen

    def analyze(self, state: State, limit: Limit | None = None) -> dict[Move, RootBounds]:
        """Return the proved bounds of every legal move for the side to move, all searched equally deep."""
        return self._children(_of_a_word(state), limit, until_one_is_best=False)

    def choose(self, state: State, limit: Limit | None = None) -> dict[Move, RootBounds]:
        """As analyze, but stop as soon as the state's score and a move that keeps it are proved."""
        return self._children(_of_a_word(state), limit, until_one_is_best=True)

    def _children(
        self, state: ConnectFourState, limit: Limit | None, *, until_one_is_best: bool
    ) -> dict[Move, RootBounds]:
        asked = {}
        for move in state.legal_moves():
            after = state.play(move)
            asked[move] = _Asked(after, _first_bounds(after), -1)
        with self._searching(state, limit):
            waiting = list(asked.values())
            while waiting and not (until_one_is_best and of_best(_seen(asked)).is_exact):
                waiting = [one for one in waiting if self._ask(one)]
        return _seen(asked)

    def _ask(self, asked: _Asked) -> bool:
        """Answer the next question about a state; return whether more may follow."""
        alpha = next(asked.questions, None)
        if alpha is None:
            return False
        value: int = kernel.null_window(asked.state.own, asked.state.mask, alpha, self._run.place)
        if value == STOPPED:
            return False
        asked.bounds.narrow(alpha, value)
        return True

    def _searching(self, state: ConnectFourState, limit: Limit | None) -> AbstractContextManager[None]:
        """Context manager for one search on the state's board."""
        board = (state.rows, state.columns, state.k)
        if board != self._board:
            self._board = board
            self._table.fill(0)
            context = self._run.words
            context[kernel.SQUARES] = squares_of(state)
            context[kernel.COLUMNS] = state.columns
            shape, _, _ = connect_four_layout(*board)
            context[RULES : RULES + len(shape)] = shape
        return self._run.searching(limit, self._table_bits)


def _seen(asked: Mapping[Move, _Asked]) -> dict[Move, RootBounds]:
    return {move: one.seen for move, one in asked.items()}


def best_moves(bounds: Mapping[Move, RootBounds]) -> tuple[Move, ...]:
    """Return the moves that are proved to be best; () if none is yet."""
    return tuple(
        move
        for move, own in bounds.items()
        if all(own.low >= other.high for place, other in bounds.items() if place != move)
    )


def open_moves(bounds: Mapping[Move, RootBounds]) -> tuple[Move, ...]:
    """Return the moves that are not proved to be worse than another; at least one."""
    least = max(own.low for own in bounds.values())
    return tuple(move for move, own in bounds.items() if own.high >= least)


def most_central(state: State, moves: Sequence[Move]) -> Move:
    return min(moves, key=lambda move: (abs(2 * move - state.columns + 1), move))


def of_best(bounds: Mapping[Move, RootBounds]) -> RootBounds:
    """Return the bounds of the state with these moves."""
    return RootBounds(max(own.low for own in bounds.values()), max(own.high for own in bounds.values()))


def _first_bounds(state: ConnectFourState) -> RootBounds:
    """Return the bounds known without search, from one move ahead at most."""
    squares, outcome = squares_of(state), state.outcome()
    if outcome is not None:
        score = 0 if outcome.winner is None else -((squares + 2 - state.ply) >> 1)
    elif any(_wins(state, move) for move in state.legal_moves()):
        score = (squares + 1 - state.ply) >> 1
    elif state.ply == squares - 1:
        score = 0
    else:
        return RootBounds(-((squares - state.ply) >> 1), (squares - 1 - state.ply) >> 1)
    return RootBounds(score, score)


def _wins(state: ConnectFourState, move: Move) -> bool:
    outcome = state.play(move).outcome()
    return outcome is not None and outcome.winner is not None


def _questions(state: ConnectFourState, bounds: RootBounds) -> Iterator[int]:
    """Yield the scores to compare the state's score with, until its bounds meet.

    A decision within two moves is searched first, then within four, seven, eleven ...: iterative deepening,
    in which the last step costs so much that the earlier ones hardly count.
    """
    squares = squares_of(state)
    soonest_win, soonest_loss = (squares - 1 - state.ply) >> 1, -((squares - state.ply) >> 1)
    within, step = 2, 2
    while within < squares:
        for alpha in (max(soonest_win - within, 0), min(soonest_loss + within, -1)):
            if bounds.low <= alpha < bounds.high:
                yield alpha
        within, step = within + step, step + 1
    while not bounds.is_exact:
        yield bounds.low if bounds.low >= 0 else bounds.high - 1
