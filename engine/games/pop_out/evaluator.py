"""Evaluator of Pop Out: proved scores of short wins and losses; anything else is left to playouts."""

from __future__ import annotations

from engine.core import Limit, State
from engine.games.pop_out.rules import as_pop_out
from engine.games.pop_out.search_board import PopOutBoard
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, plies_to_end
from engine.kernels.running import Run, running
from engine.score import Evaluation, Evaluator, Score

_DEEPEST = 20
_GLANCE_NODES = 50_000
"""A hundredth of a second."""


class PopOutEvaluator(Evaluator):
    """Finds wins and losses by alpha-beta, one ply deeper each time, until the limit; otherwise unknown.

    A depth limit asks for a quick look. The fastest win never repeats a position, so a win that is found
    holds whatever happened before, unless some position has occurred twice: then nothing counts as proved.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        position = as_pop_out(state)
        glance = Limit(nodes=_GLANCE_NODES, stop=limit.stop) if limit.depth is not None else limit
        if position.has_repeated or not position.legal_moves():
            return Evaluation(Score())
        board = PopOutBoard(position.own, position.mask)
        with running(glance) as run:
            for depth in range(1, _DEEPEST + 1):
                best, line = _searched(board, depth, run)
                if run.has_stopped:
                    break
                plies = plies_to_end(best)
                if plies is not None:
                    score = Score.won(plies) if best > DECIDED else Score.lost(plies)
                    return Evaluation(score, tuple(map(board.move_of, line)), run.nodes)
            return Evaluation(Score(), nodes=run.nodes)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Evaluate each state after a move, sharing the limit's seconds; raises EngineError as `evaluate`."""
        moves, nodes = {}, 0
        legal = as_pop_out(state).legal_moves()
        seconds = None if limit.seconds is None else limit.seconds / max(1, len(legal))
        each = Limit(seconds=seconds, nodes=limit.nodes, depth=limit.depth, stop=limit.stop)
        for move in legal:
            after = state.play(move)
            outcome = after.outcome()
            if outcome is not None:
                is_draw = outcome.winner is None
                won = Score.won(1) if outcome.winner is state.to_move else Score.lost(1)
                moves[move] = Score.drawn() if is_draw else won
                continue
            found = self.evaluate(after, each)
            moves[move] = (-found.score).earlier()
            nodes += found.nodes
        return Evaluation.of_moves(moves, nodes)


def _searched(board: PopOutBoard, depth: int, run: Run) -> tuple[int, tuple[int, ...]]:
    """Return the value at that depth, and the squares of the principal variation."""
    search, best = board.plain_search(run), -INFINITY
    line: tuple[int, ...] = ()
    for square in (square for group in board.groups for square in group):
        value = search.value(square, depth, best)
        if run.has_stopped:
            break
        if value > best:
            best, line = value, (square, *search.line)
    return best, line
