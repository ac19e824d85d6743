"""The exact value of Connect Four positions on 6 x 7: what perfect play by both sides leads to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import numpy as np

from engine.core import EngineError, Limit, Move, State
from engine.games.connect_four.early_scores import (
    BASE_PLY,
    CENTRE_FIRST,
    LAST_PLY,
    NO_SCORES,
    EarlyScores,
    early_scores,
    least_alike,
)
from engine.games.connect_four.kernels import context as words
from engine.games.connect_four.kernels import exact_search as kernel
from engine.games.connect_four.rules import ConnectFourState
from engine.games.connect_four.solver_run import SolverRun

TABLE_BITS, LATE_TABLE_BITS = 18, 16
"""2**18 entries, 2 MB, and a quarter from LATE_PLY on: what fits the processor's own memory beats more."""
LATE_PLY = 15

_CACHE_LINE_WORDS = 8


def solvable(state: State) -> ConnectFourState:
    """The state, if it is one that the solver knows and not over; raises EngineError."""
    if not isinstance(state, ConnectFourState) or not state.is_usual_board:
        raise EngineError("the solver knows Connect Four on 6x7x4 only")
    if not state.legal_moves():
        raise EngineError("the game is over: there is no move to choose")
    return state


class ConnectFourSolver:
    """One search at a time; what it learns in one stays in its table for the next.

    A score of k means that the side to move wins with its k-th stone from the end (1: its very last), -k
    that it loses to the other side's k-th stone from the end, 0 a draw. Every method raises EngineError
    for other games and boards and when the game is over, and returns None when the limit (seconds,
    nodes, stop; depth means nothing here) ended it early.

    What `early` knows is looked up instead of searched for, without a node. It is by default what the files
    that come with the project say, read when a state of their plies is first asked about; NO_SCORES searches
    always.
    """

    def __init__(self, table_bits: int = TABLE_BITS, early: EarlyScores | None = None) -> None:
        self._early = early
        self._table_bits = table_bits
        self._memory = np.zeros((1 << table_bits) + _CACHE_LINE_WORDS, np.int64)
        offset = -(self._memory.ctypes.data // 8) % _CACHE_LINE_WORDS
        self._run = SolverRun(words.CONTEXT_WORDS, self._memory.ctypes.data + 8 * offset)
        self._place = self._run.place

    @property
    def nodes(self) -> int:
        """How many states the last call searched; those settled at a glance are not counted."""
        return self._run.nodes

    def solve(self, state: State, limit: Limit | None = None, least: int = kernel.LEAST) -> int | None:
        """The score of the state for the side to move; least: one that it is known to reach."""
        position = solvable(state)
        self._run.forget_nodes()
        known = self._known_score(position)
        if known is not None:
            return known
        with self._searching(position, limit):
            score = self._score(position, least)
        return None if score == words.STOPPED else score

    def analyze(self, state: State, limit: Limit | None = None) -> dict[Move, int] | None:
        """The score of every legal move for the side to move."""
        position = solvable(state)
        self._run.forget_nodes()
        known = self._known(position).scores_of_moves(position)
        if len(known) == len(position.legal_moves()):
            return known
        most = self._known_score(position)
        scores = np.full(7, kernel.UNKNOWN, np.int64)
        for move, score in known.items():
            scores[move] = score
        with self._searching(position, limit):
            kernel.analyze(
                position.own, position.mask, kernel.MOST if most is None else most, self._place, scores
            )
        if words.STOPPED in scores:
            return None
        return {column: int(score) for column, score in enumerate(scores) if score != kernel.ILLEGAL}

    def best(
        self, state: State, limit: Limit | None = None, order: Sequence[Move] = CENTRE_FIRST, spread: int = 0
    ) -> tuple[Move, int] | None:
        """(the first in that order of the best moves, the state's score).

        order: all columns. spread: a move that scores at most so much less counts as one of the best, if it
        is not won, drawn or lost where the best is not.
        """
        position = solvable(state)
        self._run.forget_nodes()
        known = self._known(position)
        found = known.best(position, order, spread)
        if found is not None:
            return found
        with self._searching(position, limit):
            move = score = self._score(position)
            if score != words.STOPPED:
                least = least_alike(score, spread)
                move = kernel.best_column(position.own, position.mask, least, _packed(order), self._place)
        return None if words.STOPPED in (score, move) else (move, score)

    def keeping(self, state: State, score: int, limit: Limit | None = None) -> Move | None:
        """The most central move that keeps the score, which must be the state's own."""
        position = solvable(state)
        with self._searching(position, limit):
            order = _packed(CENTRE_FIRST)
            move: int = kernel.best_column(position.own, position.mask, score, order, self._place)
        return None if move == words.STOPPED else move

    def _score(self, state: ConnectFourState, least: int = kernel.LEAST) -> int:
        """The score of the state, or STOPPED; `least` as for `solve`."""
        score = self._known_score(state)
        if score is None:
            promised, _ = self._known(state).promised(state)
            score = int(kernel.solve(state.own, state.mask, max(least, promised), self._place))
        return score

    def _known_score(self, state: ConnectFourState) -> int | None:
        """The score of the state if it is stored, or follows from what is."""
        known = self._known(state)
        promised, is_exact = known.promised(state)
        return promised if is_exact else known.score_of(state)

    def _known(self, state: ConnectFourState) -> EarlyScores:
        """The scores to look the state and its moves up in; no file is read that cannot help."""
        if self._early is not None:
            return self._early
        if state.ply > LAST_PLY + 1:
            return NO_SCORES
        return early_scores(BASE_PLY if state.ply < BASE_PLY else LAST_PLY)

    def _searching(self, state: ConnectFourState, limit: Limit | None) -> AbstractContextManager[None]:
        # Entries made for another length are not found again, and do no harm: their keys are complete.
        late = min(self._table_bits, LATE_TABLE_BITS)
        return self._run.searching(limit, self._table_bits if state.ply < LATE_PLY else late)


def _packed(order: Sequence[Move]) -> int:
    """The columns as `best_column` takes them, a byte each."""
    return sum(column << 8 * place for place, column in enumerate(order))
