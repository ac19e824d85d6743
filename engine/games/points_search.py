"""The agent and the evaluator of games that points decide: iterative deepening over a game's own kernel."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from engine.core import Choice, Limit, Move, SearchInfo, State, moves_of
from engine.kernels.jit import Words
from engine.kernels.running import Run, running
from engine.kernels.transposition import new_memory
from engine.score import Evaluation, Evaluator, Score

DEEPEST = 90
"""In plies; enough to reach the end of any usual game."""
MOST_POINTS = 1_000
"""Above the points of any game."""

_LARGE_TABLE, _SMALL_TABLE, _SHALLOW_DEPTH = 17, 11, 6
_OPENING_PLIES = 12
_GLANCE_NODES = 20_000
"""A few hundredths of a second."""
_MOST_NODES = 20_000_000
"""The limit of an evaluation that has no other."""


class PointsSearch(Protocol):
    """Values the moves of a position by the final lead in points, for its side to move."""

    @property
    def order(self) -> Sequence[Move]:
        """The legal moves worth searching, at least one."""
        ...

    def value(self, move: Move, depth: int, low: int, high: int) -> int:
        """Return the lead after `depth` plies, this move included; it is only a bound outside (low, high)."""
        ...


MakeSearch = Callable[[State, Run, Words], PointsSearch]
"""Makes the search of a position; raises EngineError for another game's. Words: `new_memory`."""


Estimate = Callable[[State, int, int], Score]


@dataclass(frozen=True, slots=True)
class ValuedMoves:
    """The scores of the moves that are within the margin of the best; () if nothing was searched."""

    scores: tuple[tuple[Move, Score], ...] = ()
    depth: int = 0
    is_proved: bool = False

    @property
    def best(self) -> int:
        return max((score.discs or 0 for _, score in self.scores), default=0)

    def good(self, margin: int) -> list[Move]:
        """Return the moves that are at most `margin` points worse than the best one."""
        return [move for move, score in self.scores if (score.discs or 0) >= self.best - margin]


def deepened(
    search: PointsSearch, moves: Iterable[Move], run: Run, deepest: int, margin: int | None = 0
) -> ValuedMoves:
    """Search the moves one ply deeper each time, until the limit, the depth or the end of the game.

    margin: how many points worse than the best a move may be to be valued; None: all moves are valued.
    """
    order, found = list(moves), ValuedMoves()
    for depth in range(1, deepest + 1):
        scores: dict[Move, Score] = {}
        best, estimates = -MOST_POINTS, 0
        for move in order:
            run.forget_estimates()
            # One point below the margin: at most `low`, a value is only a bound.
            low = -MOST_POINTS if margin is None else best - margin - 1
            value = search.value(move, depth, low, MOST_POINTS)
            if run.has_stopped:
                break
            estimates += run.estimates
            if value > low:
                scores[move] = Score.about(value, depth) if run.estimates else Score.by_discs(value)
                best = max(best, value)
        # Of a stopped search for the best move, the moves so far count: the best one before came first. A
        # review compares all moves, so it needs them at the same depth.
        if not scores or (run.has_stopped and margin is None):
            break
        found = ValuedMoves(tuple(scores.items()), depth, estimates == 0 and not run.has_stopped)
        if run.has_stopped or found.is_proved:
            break
        order.sort(key=lambda move: -(scores[move].discs or 0) if move in scores else MOST_POINTS)
    return found


def _about(_state: State, lead: int, depth: int) -> Score:
    return Score.about(lead, depth)


class PointsAgent:
    """Alpha-beta, exact at the end; scores are final leads in points.

    depth: plies. spread: one of the first twelve moves counts as equally good if it is at most this many
    points worse than the best. overlooks: the probability, in percent, that a move is not considered at all.
    """

    def __init__(
        self, make: MakeSearch, seed: int = 0, depth: int = 8, spread: int = 0, overlooks: int = 0
    ) -> None:
        self._make, self._rng = make, random.Random(seed)
        self._depth, self._spread, self._overlooks = depth, spread, overlooks / 100

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError if the game is over."""
        started = time.perf_counter()
        moves = moves_of(state)
        depth = self._depth if limit.depth is None else min(self._depth, limit.depth)
        memory = new_memory(_SMALL_TABLE if depth <= _SHALLOW_DEPTH else _LARGE_TABLE)
        margin = self._spread if state.ply < _OPENING_PLIES else 0
        with running(limit) as run:
            search = self._make(state, run, memory)
            others = [move for move in moves if move not in search.order]
            # A player who overlooks every good move plays one that the search would leave out.
            seen = self._seen(search.order) or self._seen(others) or list(search.order[:1])
            found = deepened(search, seen, run, depth, margin)
        # A proved result is not given away for variety.
        move = self._rng.choice(found.good(0 if found.is_proved else margin) or seen)
        info = SearchInfo(
            score=float(found.best) if found.scores else None,
            proven=found.is_proved and not self._overlooks,
            depth=found.depth,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=(move,),
            move_scores=tuple(sorted((move, float(score.discs or 0)) for move, score in found.scores)),
        )
        return Choice(move, info)

    def _seen(self, moves: Sequence[Move]) -> list[Move]:
        """Return the moves that are not overlooked, in random order."""
        shuffled = self._rng.sample(moves, len(moves))
        return [move for move in shuffled if self._rng.random() >= self._overlooks]


class PointsEvaluator(Evaluator):
    """Differences of points at the end: proved if the search reaches it, else estimates.

    A depth limit asks for a quick look. proves: whether every position on this board is solved in seconds.
    estimate: makes the score of a position from a lead that is not proved, and the depth of its search.
    """

    def __init__(
        self, make: MakeSearch, proves: Callable[[State], bool], estimate: Estimate = _about
    ) -> None:
        self._make, self._proves, self._estimate = make, proves, estimate
        self._memory = new_memory(_LARGE_TABLE)

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Raises EngineError for other games, and once the game is over."""
        return self._searched(state, limit, 0)

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Value every move to the same depth. Raises EngineError as `evaluate`."""
        return self._searched(state, limit, None)

    def proves(self, state: State) -> bool:
        return self._proves(state)

    def _searched(self, state: State, limit: Limit, margin: int | None) -> Evaluation:
        moves = moves_of(state)
        if limit.depth is not None:
            limit = Limit(nodes=_GLANCE_NODES, stop=limit.stop)
        elif limit.seconds is None and limit.nodes is None:
            limit = replace(limit, nodes=_MOST_NODES)
        with running(limit) as run:
            search = self._make(state, run, self._memory)
            found = deepened(search, moves if margin is None else search.order, run, DEEPEST, margin)
        known = {
            move: score if score.exact else self._estimate(state, score.discs or 0, found.depth)
            for move, score in found.scores
        }
        if not known:
            return Evaluation(Score(), nodes=run.nodes, moves=dict.fromkeys(moves, Score()))
        best, _ = max(found.scores, key=lambda entry: entry[1].discs or 0)
        # The best move's exact score proves the position only if no other move was estimated.
        score = known[best] if found.is_proved else self._estimate(state, found.best, found.depth)
        scores = {} if margin is not None else {move: known.get(move, Score()) for move in moves}
        return Evaluation(score, (best,), run.nodes, scores)
