"""The evaluator of positions of draughts."""

from __future__ import annotations

from engine.core import Limit, Move, State, moves_of
from engine.games.deepening import Depth, deepen
from engine.games.draughts.rules import as_draughts
from engine.games.draughts.searcher import FittedSearch, score_of
from engine.kernels.running import running
from engine.kernels.transposition import new_memory
from engine.score import Evaluation, Evaluator, Score

_DEEPEST = 40
_TABLE = 17
_GLANCE_NODES = 30_000


class DraughtsEvaluator(Evaluator):
    """Proves endings of up to four pieces and forced wins; everything else is an estimate fitted to games.

    A depth limit asks for a quick look.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        return self._evaluated(state, limit, 0)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate every move to the same depth. Raises EngineError as `evaluate`."""
        return self._evaluated(state, limit, None)

    def _evaluated(self, state: State, limit: Limit, margin: int | None) -> Evaluation:
        position = as_draughts(state)
        moves = moves_of(position)
        glance = Limit(nodes=_GLANCE_NODES, stop=limit.stop) if limit.depth is not None else limit
        best: Depth | None = None
        known = dict[Move, Score]()
        with running(glance) as run:
            search = FittedSearch(position, run, new_memory(_TABLE))
            for found in deepen(search, moves, run, _DEEPEST, margin):
                if not found.is_whole:
                    break
                best = found
                known = {
                    move: score_of(position, value, found.depth, move) for move, value in found.scores.items()
                }
                if all(score.exact for score in known.values()):
                    break
        if best is None:
            return Evaluation(Score(), moves[:1], run.nodes)
        score = score_of(position, best.score, best.depth)
        if margin is None:
            known = {move: known.get(move, Score()) for move in moves}
        return Evaluation(score, best.line, run.nodes, known if margin is None else {})
