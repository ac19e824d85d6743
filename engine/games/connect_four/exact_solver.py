"""Exact solver of Connect Four on 6 x 7: the score with perfect play by both sides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

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
    win_at,
)
from engine.games.connect_four.kernels import context as words
from engine.games.connect_four.kernels import exact_search as kernel
from engine.games.connect_four.rules import ConnectFourState
from engine.games.connect_four.solver_run import SolverRun

TABLE_BITS, LATE_TABLE_BITS = 18, 16
"""2**18 entries, 2 MB, and a quarter from LATE_PLY on: tables that fit the CPU's cache are the fastest."""
LATE_PLY = 15
SINGLE_THREAD_PLY = 22
"""From here on, a search ends before a second thread could help."""

_CACHE_LINE_WORDS = 8

T = TypeVar("T")


def solvable(state: State) -> ConnectFourState:
    """Return the state if the solver can solve it; raises EngineError for others and for finished games."""
    if not isinstance(state, ConnectFourState) or not state.is_usual_board:
        raise EngineError("the solver knows Connect Four on 6x7x4 only")
    if kernel.is_over(state.own, state.mask):
        raise EngineError("the game is over: there is no move to choose")
    return state


class ConnectFourSolver:
    """Computes exact scores, one search at a time; its table serves the next search.

    A score of k means that the side to move wins with its k-th stone from the end (1: its last), -k that
    it loses to the other side's k-th stone from the end, 0 a draw. Every method raises EngineError for other
    games and boards and for finished games, and returns None if the limit (seconds, nodes, stop; a depth is
    ignored) ended it early. With two threads and no node limit, long searches use both, with the same
    results.

    Scores in `early` are looked up without a search. By default these are the files of the project, read
    when a state of their plies is first asked for; with NO_SCORES everything is searched.
    """

    def __init__(self, table_bits: int = TABLE_BITS, early: EarlyScores | None = None) -> None:
        self._early = early
        self._table_bits = table_bits
        self._memory = np.zeros((1 << table_bits) + _CACHE_LINE_WORDS, np.int64)
        offset = -(self._memory.ctypes.data // 8) % _CACHE_LINE_WORDS
        self._run = SolverRun(words.CONTEXT_WORDS, self._memory.ctypes.data + 8 * offset)

    @property
    def nodes(self) -> int:
        """The states searched by the last call; those decided without search are not counted."""
        return self._run.nodes

    def solve(self, state: State, limit: Limit | None = None, least: int = kernel.MIN_SCORE) -> int | None:
        """Return the score of the state for the side to move; least: a known lower bound."""
        position = solvable(state)
        self._run.forget_nodes()
        known, promised = self._known_score(position)
        if known is not None:
            return known
        least = max(least, promised)
        return self._asked(lambda place: _score(position, least, place), position, limit)

    def analyze(self, state: State, limit: Limit | None = None) -> dict[Move, int] | None:
        """Return the score of every legal move for the side to move."""
        position = solvable(state)
        self._run.forget_nodes()
        known = self._known(position).scores_of_moves(position)
        if len(known) == len(position.legal_moves()):
            return known
        own_score, _ = self._known_score(position)
        most = kernel.MAX_SCORE if own_score is None else own_score

        def ask(place: int) -> dict[Move, int] | None:
            scores = dict(known)
            for move in position.legal_moves():
                if move not in scores:
                    score = _score_after(position, move, -most, kernel.MAX_SCORE, place)
                    if score is None:
                        return None
                    scores[move] = score
            return dict(sorted(scores.items()))

        return self._asked(ask, position, limit)

    def best(
        self, state: State, limit: Limit | None = None, order: Sequence[Move] = CENTRE_FIRST, spread: int = 0
    ) -> tuple[Move, int] | None:
        """Return (the first best move in that order, the state's score).

        order: all columns. spread: a move that scores at most this much less counts as one of the best if it
        has the same result.
        """
        position = solvable(state)
        self._run.forget_nodes()
        found = self._known(position).best(position, order, spread)
        if found is not None:
            return found

        known, promised = self._known_score(position)

        def ask(place: int) -> tuple[Move, int] | None:
            score = _score(position, promised, place) if known is None else known
            if score is None:
                return None
            move = self._first_of(position, order, least_alike(score, spread), place)
            return None if move is None else (move, score)

        return self._asked(ask, position, limit)

    def keeping(self, state: State, score: int, limit: Limit | None = None) -> Move | None:
        """Return the most central move that keeps the score, which must be the state's own."""
        position = solvable(state)
        return self._asked(
            lambda place: self._first_of(position, CENTRE_FIRST, score, place), position, limit
        )

    def _asked(
        self, ask: Callable[[int], T | None], state: ConnectFourState, limit: Limit | None
    ) -> T | None:
        """Run a search of the state, given a context's address; with two threads if that pays off."""
        # Entries written for another length are not found again and do no harm: their keys are complete.
        table_bits = self._table_bits if state.ply < LATE_PLY else min(self._table_bits, LATE_TABLE_BITS)
        if limit is None:  # a context manager would take as long as an easy ending
            self._run.begin(table_bits)
            return ask(self._run.place)
        with self._run.searching(limit, table_bits):
            if limit.threads < 2 or limit.nodes is not None or state.ply >= SINGLE_THREAD_PLY:
                return ask(self._run.place)
            return self._run.by_two(ask)

    def _first_of(
        self, state: ConnectFourState, order: Sequence[Move], least: int, place: int
    ) -> Move | None:
        """Return the first column in that order that is worth at least `least`; None when told to end."""
        for column in order:
            if column in state.legal_moves():
                score = _score_after(state, column, -least, 1 - least, place)
                if score is None or score >= least:
                    return None if score is None else column
        return None

    def _known_score(self, state: ConnectFourState) -> tuple[int | None, int]:
        """Return (the score of the state if it is stored or follows from stored ones, a lower bound)."""
        known = self._known(state)
        if state.ply > len(known.keys):
            return None, kernel.MIN_SCORE
        promised, is_exact = known.promised(state)
        return (promised if is_exact else known.score_of(state)), max(promised, kernel.MIN_SCORE)

    def _known(self, state: ConnectFourState) -> EarlyScores:
        """Return the stored scores for the state and its moves; reads only files that can help."""
        if self._early is not None:
            return self._early
        if state.ply > LAST_PLY + 1:
            return NO_SCORES
        return early_scores(BASE_PLY if state.ply < BASE_PLY else LAST_PLY)


def _score(state: ConnectFourState, least: int, place: int) -> int | None:
    """Return the score of the state, None when told to end; least: a known lower bound."""
    own, mask, score = state.own, state.mask, least
    if least > kernel.MIN_SCORE:  # often the score is not higher, so one search is enough
        score = kernel.solve(own, mask, least, least + 1, place)
    if least == kernel.MIN_SCORE or least < score != words.STOPPED:
        score = kernel.solve(own, mask, score, kernel.MAX_SCORE, place)
    return None if score == words.STOPPED else int(score)


def _score_after(state: ConnectFourState, move: Move, low: int, high: int, place: int) -> int | None:
    """Return the move's score for the side to move, None when told to end; low, high: of the next state."""
    after = state.play(move)
    outcome = after.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else win_at(state.ply)
    score = int(kernel.solve(after.own, after.mask, low, high, place))
    return None if score == words.STOPPED else -score
