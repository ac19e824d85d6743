"""Evaluator of Othello: proved scores towards the end of the game, estimates before.

Values are differences of discs for the side to move, with empty squares counted for the winner.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.core import EngineError, Limit, Move, State
from engine.games.othello.position import Position
from engine.games.othello.searcher import EXACT, LARGEST, Searcher, legal_line, schedule, weights_for
from engine.kernels.running import running
from engine.score import Evaluation, Evaluator, Score, final_score

_LONG_SECONDS, _LARGE_TABLE, _SMALL_TABLE = 5.0, 20, 18
_FULL_WIDTH_DEPTH = 4


class OthelloEvaluator(Evaluator):
    """Searches by iterative deepening; without a limit to the end of the game, however long that takes.

    Every method raises EngineError for other games.
    """

    def __init__(self) -> None:
        self._searchers: dict[tuple[int, int], Searcher] = {}

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Find the winner first, which is faster, then the margin; a finished game is worth its discs."""
        position, moves = Position.of(state), state.legal_moves()
        if not moves:
            return Evaluation(final_score(state))
        if moves == (position.size**2,):
            after = self.evaluate(state.play(moves[0]), limit)
            return Evaluation(-after.score, moves + after.line, after.nodes)
        searcher = self._searcher_for(position, limit)
        score = Score.about(round(searcher.evaluate(position)), 0)
        with running(limit) as run:
            searcher.begin(run, limit.threads)
            keeper = None
            squares = [position.square_of(move) for move in moves]
            for score, keeper in _deepening(searcher, position, limit.depth or LARGEST, squares):  # noqa: B007
                pass
            # The last search may have been interrupted at a move that does not keep the proved result.
            square = searcher.best_square if keeper is None else keeper
            line = legal_line(state, position, searcher.line(position, square))
        return Evaluation(score, line, searcher.nodes)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Return the result of each move's last finished search, the best first.

        Raises EngineError for other games, and when the game is over.
        """
        position = Position.of(state)
        if not state.legal_moves():
            raise EngineError("the game is over: there is no move to choose")
        searcher = self._searcher_for(position, limit)
        with running(limit) as run:
            searcher.begin(run, limit.threads)
            found = _moves_searched(searcher, position, state.legal_moves(), limit.depth or LARGEST)
        ranked = sorted(found, key=lambda move: (-found[move][0], move))
        return Evaluation.of_moves({move: found[move][1] for move in ranked}, searcher.nodes)

    def _searcher_for(self, position: Position, limit: Limit) -> Searcher:
        """Return the searcher for this size of board and of table; its tables serve the next call."""
        is_long = limit.depth is None and (limit.seconds is None or limit.seconds >= _LONG_SECONDS)
        key = (position.size, _LARGE_TABLE if is_long else _SMALL_TABLE)
        if key not in self._searchers:
            self._searchers[key] = Searcher(weights_for(key[0]), key[1])
        return self._searchers[key]


def _deepening(
    searcher: Searcher, position: Position, deepest: int, squares: Sequence[int]
) -> Iterator[tuple[Score, int | None]]:
    """Yield the score of every finished search; the exact winner comes before the last, exact score.

    With the winner comes the square of a move that keeps this result; otherwise None, for the best square so
    far. squares: of all legal moves.
    """
    steps = len(schedule(position.count, deepest))
    for number, found in enumerate(searcher.deepen(position, deepest), 1):
        yield Score.by_discs(found.value) if found.is_proven else Score.about(found.value, found.depth), None
        if deepest >= position.count and number == steps - 1:
            winner = searcher.sign(position)
            keeper = searcher.keeper(position, winner, squares)
            if searcher.has_stopped:
                return
            # An estimate that contradicts the proved winner is useless.
            is_likely = found.value * winner > 0 or winner == 0 == found.value
            yield Score.about(found.value if is_likely else 2 * winner, found.depth, winner), keeper


def _moves_searched(
    searcher: Searcher, position: Position, moves: Sequence[Move], deepest: int
) -> dict[Move, tuple[float, Score]]:
    """Return (value, score) of each move, all searched deeper and deeper until the run ends."""
    a_pass = position.size**2
    children = {
        move: position.passed() if move == a_pass else position.after(position.square_of(move))
        for move in moves
    }
    found = {}
    for move, child in children.items():
        value = -searcher.evaluate(child)
        found[move] = (value, Score.about(round(value), 1))
    for depth, confidence in schedule(position.count, min(deepest, position.count)):
        # The first steps search in full width: over all moves, they cost next to nothing.
        sure = confidence if depth > _FULL_WIDTH_DEPTH else EXACT
        for move in sorted(moves, key=lambda move: -found[move][0]):
            child, below = children[move], depth if move == a_pass else depth - 1
            discs = -searcher.value(child, below, sure)
            if searcher.has_stopped:
                return found
            is_exact = below >= child.count and sure == EXACT
            found[move] = (discs, Score.by_discs(discs) if is_exact else Score.about(discs, depth))
    return found
