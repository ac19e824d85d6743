"""Evaluator of Hex: chains of bridges are proved, everything else is the result of simulations."""

from __future__ import annotations

from engine.core import EngineError, Limit, Move, State, moves_of
from engine.games.hex.rules import HexState
from engine.games.hex.searcher import bridges, simulated
from engine.kernels.running import running
from engine.score import Evaluation, Evaluator, Score

_USUAL_SIMULATIONS, _GLANCE = 20_000, 2_000
_PROVED = 12
"""The number of most promising moves for which a chain of bridges is looked for."""


class HexEvaluator(Evaluator):
    """A chain of bridges wins for its side, whoever is to move; the rest is simulated.

    A depth limit asks for a quick look.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        found = self.evaluate_moves(state, limit)
        return Evaluation(found.score, found.line, found.nodes)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError as `evaluate`."""
        if not isinstance(state, HexState):
            raise EngineError(f"this evaluator plays Hex only, not {type(state).__name__}")
        moves_of(state)
        glance = _GLANCE if limit.depth is not None else _USUAL_SIMULATIONS
        nodes = glance if limit.nodes is None else min(limit.nodes, glance)
        with running(Limit(limit.seconds, nodes, stop=limit.stop)) as run:
            tried = simulated(state, run, seed=1)
        scores: dict[Move, Score] = {
            cell: Score.likely(2 * found.share - 1) if found.visits else Score()
            for cell, found in sorted(tried.items())
        }
        promising = sorted(tried, key=lambda cell: -tried[cell].visits)
        best = promising[0]
        if bridges(state, state.to_move.other) is not None:
            scores = dict.fromkeys(scores, Score.lost())
        else:
            for cell in promising[:_PROVED]:
                after = state.play(cell)
                if after.won or bridges(after, state.to_move) is not None:
                    scores[cell] = Score.won(1 if after.won else None)
            best = max(promising[:_PROVED], key=scores.__getitem__)
        if state.ply == 1:
            scores[state.swap] = -scores[best]
            best = max(best, state.swap, key=scores.__getitem__)
        return Evaluation(scores[best], (best,), run.nodes, scores)
