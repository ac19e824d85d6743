"""Evaluator of Gomoku: proved wins by fours, else estimates."""

from __future__ import annotations

import math

from engine.core import EngineError, Limit, State, moves_of
from engine.games.gomoku.rules import GomokuState, Phase, as_gomoku
from engine.games.gomoku.searcher import Found, GomokuSearcher
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.running import Run, running
from engine.score import Evaluation, Evaluator, Score

_DEEPEST, _WIDTH = 10, 14
_GLANCE_NODES = 4_000
_SURE = 0.97
"""The expected result of a win that the search found but did not prove."""
_OF_CERTAINTY = 900.0
"""An estimate of this many points counts as about three quarters of a win."""


class GomokuEvaluator(Evaluator):
    """A five or continuous fours prove a win; everything else is an estimate, as an expected result.

    A depth limit asks for a quick look. Under swap2 the side that may choose has the advantage; while one
    side places discs of both colours, the position is even.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        position = self._position(state)
        glance = Limit(nodes=_GLANCE_NODES, stop=limit.stop) if limit.depth is not None else limit
        with running(glance) as run:
            if position.phase in (Phase.THREE, Phase.TWO):
                return Evaluation(Score.likely(0.0), position.legal_moves()[:1])
            found = _searched(position, run)
            score, line = _score(found), found.line
            if position.phase is not Phase.PLAY and found.score < 0:
                score, line = -score, (position.swap,)
            return Evaluation(score, line, run.nodes)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate the most promising squares and leave out the others. Raises EngineError as `evaluate`."""
        position = self._position(state)
        if position.phase is not Phase.PLAY:
            return self.evaluate(state, limit)
        with running(limit) as run:
            searcher, moves = GomokuSearcher(position, run), {}
            for move in searcher.likely(position.legal_moves(), _WIDTH):
                found = searcher.deepened([move], 3, _WIDTH)
                if found.scores:
                    moves[move] = _score(found)
                if run.has_stopped:
                    break
            best = max(moves, key=moves.__getitem__, default=None)
            score = Score() if best is None else moves[best]
            known = {move: moves.get(move, Score()) for move in position.legal_moves()}
            return Evaluation(score, () if best is None else (best,), run.nodes, known)

    def _position(self, state: State) -> GomokuState:
        if not isinstance(state, GomokuState):
            raise EngineError(f"this evaluator plays Gomoku only, not {type(state).__name__}")
        moves_of(state)
        return as_gomoku(state)


def _searched(state: GomokuState, run: Run) -> Found:
    searcher = GomokuSearcher(state, run)
    squares = [move for move in state.legal_moves() if move < state.swap]
    fours = searcher.fours()
    return fours or searcher.deepened(searcher.likely(squares, 2 * _WIDTH), _DEEPEST, _WIDTH)


def _score(found: Found) -> Score:
    if found.plies is not None:
        return Score.won(found.plies) if found.plies == 1 else Score.won()
    if abs(found.score) > DECIDED:
        return Score.likely(math.copysign(_SURE, found.score))
    return Score.likely(_SURE * math.tanh(found.score / _OF_CERTAINTY))
