"""Score: the value of a position, proved, bounded or estimated; Evaluator: computes it.

    proved exactly   won(9) lost(8) drawn() by_discs(-12)    wins in 5, loses in 4, draw, loses by 12
    the winner only  won() about(6, 20, result=1)            wins
    bounds           between(lost(14), won(17))              undecided for 13 plies
    estimate         about(3, 10) likely(0.24) guess(-7)     about 3 ahead, about 62 %, about -7 points

A score always has a viewpoint: a state's score is that of its side to move, a move's score that of the side
that makes it. `-score` is the other side's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from engine.core import EndReason, EngineError, Limit, Move, State

_DISCS_OF_CERTAINTY = 14.0
"""An estimated lead of this many discs counts as about three quarters of a win (tanh 1 = 0.76)."""


@dataclass(frozen=True, slots=True)
class Score:
    """The value of a position for one side; made by the class methods. `Score()` means unknown.

    result: 1 won, 0 drawn, -1 lost, with best play of both sides; None if it is not proved.
    exact: the number of plies, or the difference of discs, is proved as well.
    plies: plies of both sides until the game is over, including the next move; None for draws, for games
    that discs decide, and if unknown.
    discs: the difference of discs at the end, with empty squares counted for the winner, or of points, in
    games that these decide; an estimate unless `exact`.
    mean: the mean result of playouts, -1 to 1. heuristic: an estimate in a unit of the game's own.
    depth: the plies an estimate searched, or within which neither side can force a win.
    bounds: the proved (lower, upper) bound, both exact.
    """

    result: int | None = None
    exact: bool = False
    plies: int | None = None
    discs: int | None = None
    mean: float | None = None
    heuristic: float | None = None
    depth: int = 0
    bounds: tuple[Score, Score] | None = None

    @classmethod
    def won(cls, plies: int | None = None) -> Score:
        """Won in `plies`; None: proved without the number of plies."""
        return cls(1, plies is not None, plies)

    @classmethod
    def lost(cls, plies: int | None = None) -> Score:
        """Lost in `plies`; 0 if the game is over."""
        return cls(-1, plies is not None, plies)

    @classmethod
    def drawn(cls) -> Score:
        return cls(0, exact=True)

    @classmethod
    def by_discs(cls, discs: int) -> Score:
        """Proved to end with this difference of discs."""
        return cls(_sign(discs), exact=True, discs=discs)

    @classmethod
    def about(cls, discs: int, depth: int, result: int | None = None) -> Score:
        """An estimated difference of discs; result: the proved result, if any."""
        return cls(result, discs=discs, depth=depth)

    @classmethod
    def likely(cls, mean: float) -> Score:
        """The mean result of playouts, -1 to 1."""
        return cls(mean=max(-1.0, min(1.0, mean)))

    @classmethod
    def guess(cls, heuristic: float) -> Score:
        """The value of a heuristic; 0 is even."""
        return cls(heuristic=heuristic)

    @classmethod
    def between(cls, low: Score, high: Score) -> Score:
        """Bounded by two exact scores; equal bounds are the score itself.

        >>> str(Score.between(Score.lost(14), Score.won(17)))
        'undecided for 13 plies'
        >>> str(Score.between(Score.won(21), Score.won(9)))
        'wins'
        """
        if low == high:
            return low
        result = 1 if low.result == 1 else -1 if high.result == -1 else None
        # Neither side can win before `high` says so, nor lose before `low` says so.
        quiet = [end.plies - 1 for end in (low, high) if end.plies is not None]
        return cls(result, depth=min(quiet), bounds=(low, high))

    @classmethod
    def of_stones(cls, stones: int, empty: int) -> Score:
        """Convert a Connect Four solver's score: +k wins with the side's k-th stone from the end, -k loses.

        empty: the number of empty cells. Raises ValueError for a score that is impossible with that number.

        >>> str(Score.of_stones(18, 42))  # the fastest win on an empty 6 x 7 board
        'wins in 4'
        """
        if stones == 0:
            return cls.drawn()
        # The side to move places the first of the remaining stones, so one more if their number is odd.
        stones_left = (empty + 1) // 2 if stones > 0 else empty // 2
        moves = stones_left - abs(stones) + 1
        if not 1 <= moves <= stones_left:
            raise ValueError(f"no position with {empty} empty cells has the score {stones}")
        return cls.won(2 * moves - 1) if stones > 0 else cls.lost(2 * moves)

    def points(self, empty: int) -> int:
        """Return discs, or stones as in `of_stones`; 0 for a draw and for an unknown score.

        For playouts: the mean result in hundredths, -100 to 100. For bounds that prove the winner: the
        points of the bound nearer to a draw. empty: the number of empty cells.
        """
        if self.discs is not None:
            return self.discs
        if self.mean is not None:
            return round(100 * self.mean)
        end = self._nearest_to_a_draw
        if not end.result or end.plies is None:
            return 0
        return (empty + 1) // 2 - end.plies // 2 if end.result > 0 else end.plies // 2 - empty // 2 - 1

    @property
    def is_proved(self) -> bool:
        """Whether the result is proved, with or without the number of plies or discs."""
        return self.result is not None

    @property
    def is_known(self) -> bool:
        """Whether anything is known."""
        return self != Score()

    @property
    def moves(self) -> int | None:
        """The winner's remaining moves, including the last; None if unknown."""
        return None if self.plies is None else (self.plies + 1) // 2

    @property
    def expectation(self) -> float:
        """The expected result, -1 (lost) to 1 (won); 0 if unknown.

        For a heuristic only the order of two expectations means anything.
        """
        if self.result is not None:
            return float(self.result)
        if self.discs is not None:
            return math.tanh(self.discs / _DISCS_OF_CERTAINTY)
        if self.heuristic is not None:
            return self.heuristic / (1 + abs(self.heuristic))
        return self.mean or 0.0

    @property
    def low(self) -> Score | None:
        """The exact lower bound, if any."""
        return self if self.exact else self.bounds[0] if self.bounds else None

    @property
    def high(self) -> Score | None:
        """The exact upper bound, if any."""
        return self if self.exact else self.bounds[1] if self.bounds else None

    def unproved(self) -> Score:
        """Return the estimate without the proved part; an exact score becomes an estimate of that size."""
        if self.exact and self.discs is None:
            return Score.likely(self.expectation)
        depth = self.depth if self.bounds is None else 0
        return Score(discs=self.discs, mean=self.mean, heuristic=self.heuristic, depth=depth)

    def earlier(self, plies: int = 1) -> Score:
        """Return the score of the same ending seen `plies` earlier."""
        if self.bounds is not None:
            return Score.between(*(end.earlier(plies) for end in self.bounds))
        return self if self.plies is None else replace(self, plies=self.plies + plies)

    @property
    def _nearest_to_a_draw(self) -> Score:
        """The certain part of a bounded score: the winner's weaker bound, or a draw without a winner."""
        if self.bounds is None:
            return self
        low, high = self.bounds
        return low if self.result == 1 else high if self.result == -1 else Score.drawn()

    @property
    def _rank(self) -> tuple[float, bool]:
        """Discs first; then the result, with fast wins and slow losses ahead; then proved ones ahead."""

        if self.discs is not None:
            return self.discs, self.exact
        end = self._nearest_to_a_draw
        sooner = 0.0 if end.plies is None else 1 / (end.plies + 1)
        return end.expectation + (end.result or 0) * sooner, self.exact

    def __neg__(self) -> Score:
        """The same from the other side's viewpoint."""
        return replace(
            self,
            result=None if self.result is None else -self.result,
            discs=None if self.discs is None else -self.discs,
            mean=None if self.mean is None else -self.mean,
            heuristic=None if self.heuristic is None else -self.heuristic,
            bounds=None if self.bounds is None else (-self.bounds[1], -self.bounds[0]),
        )

    def __lt__(self, other: Score) -> bool:
        return self._rank < other._rank

    def __le__(self, other: Score) -> bool:
        return self._rank <= other._rank

    def __str__(self) -> str:
        """For people, from the viewpoint of the score: `wins in 5`, `loses by 12`, `about 3 ahead`.

        `wins in 5` counts the winner's own moves, including the next one.
        """
        if self.result is not None:
            word = ("loses", "draw", "wins")[self.result + 1]
            if not self.exact or self.result == 0:  # a win that is not exact may be faster or larger
                return word
            if self.discs is not None:
                return f"{word} by {abs(self.discs)}"
            # No plies: the game is over, or the length of the win is unknown.
            return f"{word} in {self.moves}" if self.plies else "lost" if self.result < 0 else "won"
        if self.bounds is not None:
            return f"undecided for {self.depth} plies"
        if self.discs is not None:
            side = "ahead" if self.discs > 0 else "behind"
            return f"about {abs(self.discs)} {side}" if self.discs else "about even"
        if self.heuristic is not None:
            return f"about {self.heuristic:g} points"
        return "unknown" if self.mean is None else f"about {(1 + self.mean) / 2:.0%}".replace("%", " %")


def best_of(scores: Collection[Score]) -> Score:
    """Return the score of a position from the scores of its moves; raises ValueError if there are none.

    It is exact only if no other move can be better; a proved win stays one even if another may win by more.

    >>> str(best_of([Score.won(9), Score.drawn()])), str(best_of([Score.won(9), Score()]))
    ('wins in 5', 'wins')
    """
    best = max(scores)
    highs = [score.high for score in scores if score.high is not None]
    # A score without an upper bound may hide a better move.
    if best.exact and len(highs) == len(scores) and max(highs) <= best:
        return best
    lows = [score.low for score in scores if score.low is not None]
    # The mover gets at least the best lower bound, and at most the best upper one.
    if len(highs) == len(lows) == len(scores) and best.discs is None:
        return Score.between(max(lows), max(highs))
    depth = min((score.depth for score in scores if not score.exact), default=0)
    return replace(best.unproved(), result=1 if best.result == 1 else None, mean=best.mean, depth=depth)


def final_score(state: State) -> Score:
    """Return the score of a finished state as if `to_move` still had the turn; raises EngineError."""
    outcome = state.outcome()
    if outcome is None:
        raise EngineError("the game is not over")
    if outcome.reason is EndReason.DISC_COUNT:
        cells = state.cells()
        lead = cells.count(state.to_move) - cells.count(state.to_move.other)
        return Score.by_discs(lead + _sign(lead) * cells.count(None))
    if outcome.points is not None:
        return Score.by_discs(outcome.points[state.to_move] - outcome.points[state.to_move.other])
    if outcome.winner is None:
        return Score.drawn()
    return Score.won(0) if outcome.winner is state.to_move else Score.lost(0)


def score_of_move(state: State, after: State, score: Score) -> Score:
    """Return a move's score for the side that makes it, from the score of the state after it.

    The sign changes only if the turn does: in some games the same side may move again.
    """
    return score if after.to_move is state.to_move else -score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """An evaluator's findings about a state.

    score: for the side to move; `Score()` if the limit ended the search before the first result.
    line: the principal variation, as far as it is known; empty where no move is judged, as while an opening
    is placed.
    nodes: states searched.
    moves: the scores of the legal moves; their plies include the move itself.
    """

    score: Score
    line: tuple[Move, ...] = ()
    nodes: int = 0
    moves: Mapping[Move, Score] = field(default_factory=dict)

    @classmethod
    def of_moves(cls, moves: Mapping[Move, Score], nodes: int) -> Evaluation:
        """Build it from the score of every legal move; the first of equally good moves is the best."""
        return cls(best_of(moves.values()), (max(moves, key=moves.__getitem__),), nodes, moves)

    @property
    def best(self) -> Move | None:
        """A best move; None if none is known or legal, or no move is judged."""
        return self.line[0] if self.line else None

    @property
    def judges_moves(self) -> bool:
        """Whether it tells the state's moves apart; False for an estimate without a best move."""
        return self.best is not None or self.score.is_proved


class Evaluator(Protocol):
    """Evaluates the states of a game. It runs one search at a time and reuses its results in the next.

    Every method respects its limit, and raises EngineError for other games and for finished states.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """Return the state's score and a best move."""
        ...

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """Return the score of every legal move, all searched to the same depth."""
        ...

    def solve(self, state: State, limit: Limit) -> Evaluation:
        """Return the score alone, which is faster for evaluators that need not look for a move then."""
        return self.evaluate(state, limit)

    def proves(self, state: State) -> bool:  # noqa: ARG002
        """Whether any state on this board can be solved within seconds."""
        return False


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
