"""Evaluators of positions: each game's own, and playouts if it has none or no result.

Importing this is cheap: searches, and numba behind them, load when an evaluator is created.
"""

from __future__ import annotations

from dataclasses import replace

from engine.core import Game, Limit, State
from engine.games import spec_of, spec_of_state
from engine.score import Evaluation, Evaluator, Score, final_score, score_of_move

ESTIMATE = Limit(depth=8)
"""The limit of a quick estimate."""

_PLAYOUTS, _PLAIN_SECONDS = 2_000, 0.2


def evaluator_of(rules: Game) -> Evaluator:
    """Return the game's own evaluator, with playouts as a fallback if it has none or no result."""
    make = spec_of(rules.key).search.evaluator
    return Playouts() if make is None else _Completed(make())


class Playouts(Evaluator):
    """Estimates for any game from Monte Carlo tree search: mean results of some thousand playouts.

    They ignore the limit's seconds and take a moment. For games without a compiled search they take those
    seconds, or 0.2 s.
    """

    def __init__(self, seed: int = 0) -> None:
        from engine.agents.mcts import MctsAgent

        self._agent = MctsAgent(seed, _PLAYOUTS)

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Return an estimate; raises EngineError if the game is over or has no search."""
        if spec_of_state(state).search.board is None:
            limit = Limit(seconds=limit.seconds or _PLAIN_SECONDS, stop=limit.stop)
        else:
            limit = Limit(stop=limit.stop)
        info = self._agent.choose(state, limit).info
        moves = {move: Score.likely(mean) for move, mean in info.move_scores}
        return Evaluation(Score.likely(info.score or 0.0), info.pv, info.nodes, moves)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Return estimates of the moves; unvisited moves are unknown. Raises EngineError as `evaluate`."""
        found = self.evaluate(state, limit)
        return replace(found, moves={move: found.moves.get(move, Score()) for move in state.legal_moves()})


class _Completed(Evaluator):
    """An evaluator with playouts on boards that it cannot solve in time."""

    def __init__(self, own: Evaluator) -> None:
        self._own = own
        self._playouts = Playouts()

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        return self._completed(self._own.evaluate(state, limit), state)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        found = self._own.evaluate_moves(state, limit)
        if self._own.proves(state) or all(score.is_known for score in found.moves.values()):
            return found
        guessed = self._playouts.evaluate_moves(state, Limit(stop=limit.stop))
        moves = {
            move: score if score.is_known else guessed.moves[move] for move, score in found.moves.items()
        }
        nodes = found.nodes + guessed.nodes
        if found.score.is_known:
            return replace(found, nodes=nodes, moves=moves)
        return Evaluation.of_moves(moves, nodes)

    def solve(self, state: State, limit: Limit) -> Evaluation:
        return self._completed(self._own.solve(state, limit), state)

    def proves(self, state: State) -> bool:
        return self._own.proves(state)

    def _completed(self, found: Evaluation, state: State) -> Evaluation:
        if found.score.is_known or self._own.proves(state) or not state.legal_moves():
            return found
        guessed = self._playouts.evaluate(state, Limit())
        return replace(guessed, nodes=found.nodes + guessed.nodes)


class Estimator(Evaluator):
    """Always has an answer: a proof of the game's own evaluator within the limit, its estimate, or playouts.

    A depth limit such as ESTIMATE asks for a quick answer. A finished game has its final score.
    """

    def __init__(self, rules: Game, seed: int = 0) -> None:
        make = spec_of(rules.key).search.evaluator
        self._own = None if make is None else make()
        self._playouts = Playouts(seed)

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Return a proof only with a best move, else an estimate; raises EngineError for other games."""
        if not state.legal_moves():
            return Evaluation(final_score(state))
        if self._own is not None:
            found = self._own.evaluate(state, limit)
            if found.score.exact and found.line:
                return found
            guess = found.score.unproved()
            if not found.score.exact and guess.is_known:
                return replace(found, score=guess)
            if found.score.is_proved and found.line:
                return found  # the winner alone is known
        return self._playouts.evaluate(state, limit)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate the state after each move, each within the limit; raises EngineError for other games."""
        moves, nodes = {}, 0
        for move in state.legal_moves():
            after = state.play(move)
            found = self.evaluate(after, limit)
            moves[move] = score_of_move(state, after, found.score).earlier()
            nodes += found.nodes
        return Evaluation.of_moves(moves, nodes)
