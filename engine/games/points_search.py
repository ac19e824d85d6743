"""The evaluator of games that points decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from engine.core import Limit, State, moves_of
from engine.games.deepening import PERFECT, Depth, MakeSearch, deepen
from engine.kernels.running import running
from engine.kernels.transposition import new_memory
from engine.score import Evaluation, Evaluator, Score

_DEEPEST = 90
"""In plies; enough to reach the end of any usual game."""
_TABLE = 17
_VARIED_PLIES = 12
_GLANCE_NODES = 20_000
"""A few hundredths of a second."""
_MOST_NODES = 20_000_000
"""The limit of an evaluation that has no other."""

Estimate = Callable[[State, int, int], Score]


def varies(state: State) -> bool:
    """Whether a player varies its moves: the first twelve."""
    return state.ply < _VARIED_PLIES


def _about(_state: State, lead: int, depth: int) -> Score:
    return Score.about(lead, depth)


class PointsEvaluator(Evaluator):
    """Differences of points at the end: proved if the search reaches it, else estimates.

    A depth limit asks for a quick look. proves: whether every position on this board is solved in seconds.
    estimate: makes the score of a position from a lead that is not proved, and the depth of its search.
    """

    def __init__(
        self, make: MakeSearch, proves: Callable[[State], bool], estimate: Estimate = _about
    ) -> None:
        self._make, self._proves, self._estimate = make, proves, estimate
        self._memory = new_memory(_TABLE)

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        return self._searched(state, limit, 0)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Value every move to the same depth. Raises EngineError as `evaluate`."""
        return self._searched(state, limit, None)

    def proves(self, state: State) -> bool:
        return self._proves(state)

    def _searched(self, state: State, limit: Limit, margin: int | None) -> Evaluation:
        moves, best = moves_of(state), None
        if limit.depth is not None:
            limit = Limit(nodes=_GLANCE_NODES, stop=limit.stop)
        elif limit.seconds is None and limit.nodes is None:
            limit = replace(limit, nodes=_MOST_NODES)
        with running(limit) as run:
            search = self._make(state, run, self._memory, PERFECT)
            for found in deepen(search, moves if margin is None else search.order, run, _DEEPEST, margin):
                # All moves are compared at the same depth.
                if margin == 0 or found.is_whole:
                    best = found
                if found.is_proved:
                    break
        if best is None:
            return Evaluation(Score(), nodes=run.nodes, moves=dict.fromkeys(moves, Score()))
        known = {move: self._score(state, best, move) for move in best.scores}
        # The best move's exact score proves the position only if no other move was estimated.
        first = best.line[0]
        score = known[first] if best.is_proved else self._estimate(state, best.score, best.depth)
        scores = {} if margin is not None else {move: known.get(move, Score()) for move in moves}
        return Evaluation(score, best.line, run.nodes, scores)

    def _score(self, state: State, found: Depth, move: int) -> Score:
        value = found.scores[move]
        return Score.by_discs(value) if move in found.proved else self._estimate(state, value, found.depth)
