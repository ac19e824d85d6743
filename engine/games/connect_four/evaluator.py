"""Evaluator of Connect Four: exact on 6 x 7, and on other boards as far as time allows."""

from __future__ import annotations

from dataclasses import replace

from engine.core import Limit, State
from engine.games.connect_four.any_board_solver import (
    LineSolver,
    best_moves,
    connect_four_state,
    empty_cells,
    most_central,
    of_best,
    open_moves,
)
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.forced_end import forced_end, forced_ends
from engine.games.connect_four.rules import ConnectFourState
from engine.score import Evaluation, Evaluator, Score

_GLANCE_NODES = 6_000
"""One or two milliseconds."""


class ConnectFourEvaluator(Evaluator):
    """Uses the exact solver on 6 x 7, which returns nothing if its time runs out; bounds on other boards.

    On boards too large for either, it knows wins and losses that are forced within some plies.

    A depth limit asks for a quick look: the proofs found within a millisecond or two, on any board.
    Every method raises EngineError for other games and once the game is over.
    """

    def __init__(self) -> None:
        self._exact = ConnectFourSolver()
        self._bounding = LineSolver()

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Return the most central of the best moves; none before one is proved to be best.

        moves: for bounds, only the moves that are not proved to be worse than another.
        """
        position = connect_four_state(state)
        if self._is_exact(position, limit):
            found = self._exact.best(position, limit)
            if found is None:
                return Evaluation(Score(), nodes=self._exact.nodes)
            return Evaluation(_exactly(found[1], position), found[:1], self._exact.nodes)
        if not position.fits_a_word:
            return forced_end(position, _glance(limit))
        bounds = self._bounding.choose(position, _glance(limit))
        proved, score = best_moves(bounds), of_best(bounds).score(empty_cells(position))
        line = (most_central(position, proved),) if proved else ()
        moves = {move: bounds[move].score(empty_cells(position)) for move in open_moves(bounds)}
        return Evaluation(score, line, self._bounding.nodes, moves)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        position = connect_four_state(state)
        if not position.fits_a_word:
            return forced_ends(position, _glance(limit))
        if not self._is_exact(position, limit):
            bounds = self._bounding.analyze(position, _glance(limit))
            within = {move: own.score(empty_cells(position)) for move, own in bounds.items()}
            return Evaluation.of_moves(within, self._bounding.nodes)
        scores = self._exact.analyze(position, limit)
        if scores is None:
            return Evaluation(Score(), nodes=self._exact.nodes)
        exactly = {move: _exactly(score, position) for move, score in scores.items()}
        return Evaluation.of_moves(exactly, self._exact.nodes)

    def solve(self, state: State, limit: Limit) -> Evaluation:
        position = connect_four_state(state)
        if self._is_exact(position, limit):
            score = self._exact.solve(position, limit)
            return Evaluation(_exactly(score, position), nodes=self._exact.nodes)
        if not position.fits_a_word:
            return replace(forced_end(position, _glance(limit)), line=())
        bounds = self._bounding.solve(position, _glance(limit))
        return Evaluation(bounds.score(empty_cells(position)), nodes=self._bounding.nodes)

    def proves(self, state: State) -> bool:
        return isinstance(state, ConnectFourState) and state.is_usual_board

    def _is_exact(self, state: ConnectFourState, limit: Limit) -> bool:
        return limit.depth is None and self.proves(state)


def _glance(limit: Limit) -> Limit:
    return limit if limit.depth is None else Limit(nodes=_GLANCE_NODES, stop=limit.stop)


def _exactly(score: int | None, state: ConnectFourState) -> Score:
    """score None: the limit ended the search."""
    return Score() if score is None else Score.of_stones(score, empty_cells(state))
