"""Evaluator of Tic-tac-toe: plays out all 5,478 positions."""

from __future__ import annotations

from engine.core import EngineError, Limit, Move, State
from engine.games.tic_tac_toe.rules import TicTacToeState
from engine.score import Evaluation, Evaluator, Score, final_score


class TicTacToeEvaluator(Evaluator):
    """Always exact and immediate, with a complete line of best play; limits are ignored."""

    def __init__(self) -> None:
        self._known: dict[State, tuple[Score, tuple[Move, ...]]] = {}

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        return self.evaluate_moves(state, limit)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:  # noqa: ARG002
        """Raises EngineError for other games, and once the game is over."""
        if not isinstance(state, TicTacToeState):
            raise EngineError(f"this evaluator plays Tic-tac-toe only, not {type(state).__name__}")
        if not state.legal_moves():
            raise EngineError("the game is over: there is no move to choose")
        known = len(self._known)
        found = {move: self._after(state, move) for move in state.legal_moves()}
        score, line = max(found.values(), key=lambda after: after[0])
        moves = {move: after[0] for move, after in found.items()}
        return Evaluation(score, line, len(self._known) - known, moves)

    def proves(self, state: State) -> bool:  # noqa: ARG002
        return True

    def _after(self, state: State, move: Move) -> tuple[Score, tuple[Move, ...]]:
        """Return the move's score for the side that makes it, and the line of best play that it starts."""
        score, line = self._played_out(state.play(move))
        return (-score).earlier(), (move, *line)

    def _played_out(self, state: State) -> tuple[Score, tuple[Move, ...]]:
        if state not in self._known:
            found = [self._after(state, move) for move in state.legal_moves()]
            self._known[state] = max(found, key=lambda after: after[0], default=None) or (
                final_score(state),
                (),
            )
        return self._known[state]
