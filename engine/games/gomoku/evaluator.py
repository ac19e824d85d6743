"""Evaluator of Gomoku: proved wins and losses by threats, else estimates."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.core import EngineError, Limit, Move, State, moves_of
from engine.games.gomoku.kernels.board import LONGEST
from engine.games.gomoku.rules import GomokuState, Phase, as_gomoku
from engine.games.gomoku.searcher import POINTS, Found, GomokuSearcher
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import Run, running
from engine.score import Evaluation, Evaluator, Score

_DEEPEST, _WIDTH = 20, 14
_GLANCE_DEPTH, _GLANCE_NODES = 2, 4_000
_NODES_A_SECOND = 1_500_000
"""About as many as a processor visits."""
_PROOF_NODES, _MOVE_NODES = 2_000_000, 100_000
"""The limits of states in a proof of the position, and of one move."""
_SURE = 0.97
"""The expected result of a win that the search found but did not prove."""
_FASTEST_OTHER = 5
"""The plies of the fastest win that is not by fours alone."""


class GomokuEvaluator(Evaluator):
    """Fives, fours and open threes prove wins and losses; everything else is an estimated expected result.

    A depth limit asks for a quick look. Under swap2 the side that may choose has the advantage; while one
    side places discs of both colours, the position is even and no move is judged.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        position = self._position(state)
        glance = Limit(nodes=_GLANCE_NODES, stop=limit.stop) if limit.depth is not None else limit
        with running(glance) as run:
            if position.phase in (Phase.THREE, Phase.TWO):
                return Evaluation(Score.likely(0.0))
            found = _searched(position, run, glance)
            score, line = _score(found), found.line
            if position.phase is Phase.PLAY:
                return Evaluation(score, line, run.nodes)
            choices = {**dict.fromkeys(line[:1], score), position.swap: -score}
            # After `two` the position is even, see above.
            if position.phase is Phase.CHOOSE:
                choices[position.two] = Score.likely(0.0)
            if found.score < 0:
                score, line = -score, (position.swap,)
            return Evaluation(score, line, run.nodes, choices)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate the most promising squares and leave out the others. Raises EngineError as `evaluate`."""
        position = self._position(state)
        if position.phase is not Phase.PLAY:
            return self.evaluate(state, limit)
        with running(limit) as run:
            searcher, moves = GomokuSearcher(position, run), dict[Move, Score]()
            won = searcher.shortest_fours() or searcher.by_threats(_part(run, limit))
            if won is None and searcher.loses_to_threats(_part(run, limit)):
                moves = dict.fromkeys(position.legal_moves(), Score.lost())
                return Evaluation(Score.lost(), position.legal_moves()[:1], run.nodes, moves)
            for move in searcher.likely(position.legal_moves(), _WIDTH):
                proved = searcher.proved_after(move, min(_MOVE_NODES, _part(run, limit)))
                if proved is not None:
                    moves[move] = Score.won() if proved else Score.lost()
                elif (found := searcher.deepened([move], 3, _WIDTH)).scores:
                    moves[move] = _score(found)
                if run.has_stopped:
                    break
            # The position's own proof may know the length of the win, and holds if the loop was stopped.
            if won is not None:
                moves[won.line[0]] = _score(won)
            best = max(moves, key=moves.__getitem__, default=None)
            score = Score() if best is None else moves[best]
            known = {move: moves.get(move, Score()) for move in position.legal_moves()}
            return Evaluation(score, () if best is None else (best,), run.nodes, known)

    def _position(self, state: State) -> GomokuState:
        if not isinstance(state, GomokuState):
            raise EngineError(f"this evaluator plays Gomoku only, not {type(state).__name__}")
        moves_of(state)
        return as_gomoku(state)


def _searched(state: GomokuState, run: Run, limit: Limit) -> Found:
    searcher = GomokuSearcher(state, run)
    won = searcher.shortest_fours()
    if won is not None:
        return won
    squares = [move for move in state.legal_moves() if move < state.swap]
    likely = searcher.likely(squares, 2 * _WIDTH)
    found = searcher.deepened(likely, _GLANCE_DEPTH, _WIDTH)  # in case that the proofs take all the time
    won = searcher.by_threats(_part(run, limit))
    if won is not None:
        return won
    if searcher.loses_to_threats(_part(run, limit)):
        return replace(found, score=LONGEST - WIN, plies=LONGEST)
    deeper = searcher.deepened(likely, _DEEPEST, _WIDTH)
    return deeper if deeper.scores else found


def _part(run: Run, limit: Limit) -> int:
    """Return the states to visit for one proof, at most about a quarter of what is left."""
    in_time = _PROOF_NODES if limit.seconds is None else round(limit.seconds * _NODES_A_SECOND) // 4
    return min(_PROOF_NODES, run.nodes_left // 4, in_time)


def _score(found: Found) -> Score:
    if found.plies is not None:
        if found.score < 0 or found.plies == LONGEST:
            return Score.lost() if found.score < 0 else Score.won()
        # A win in five plies may need no fours, a faster one needs them.
        return Score.between(Score.won(found.plies), Score.won(min(found.plies, _FASTEST_OTHER)))
    if abs(found.score) > DECIDED:
        return Score.likely(math.copysign(_SURE, found.score))
    return Score.likely(_SURE * math.tanh(found.score / (2 * POINTS)))
