"""Score: what a position is worth, whether proved, bounded or estimated; Evaluator: who finds that out.

    proved exactly   won(9) lost(8) drawn() by_discs(-12)    wins in 5, loses in 4, draw, loses by 12
    the winner only  won() about(6, 20, result=1)            wins
    bounds           between(lost(14), won(17))              undecided for 13 plies
    estimate         about(3, 10) likely(0.24) guess(-7)     about 3 ahead, about 62 %, about -7 points

A score is always somebody's: a state's is that of the side to move, a move's that of the side that makes it.
`-score` is the other side's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from engine.core import EngineError, Limit, Move, Reason, State

_DISCS_OF_CERTAINTY = 14.0
"""An estimated lead of so many discs is worth about three quarters of a win."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a position is worth to one side; made by the class methods. `Score()` says nothing.

    result: 1 won, 0 drawn, -1 lost, if both sides play their best; None where that is not proved.
    exact: when it ends, or by how much, is proved as well.
    plies: of both sides until the game is over, the next move included; None for draws, where discs decide,
    and where it is not known.
    discs: the difference of discs at the end, empty squares counted for the winner, where discs decide; an
    estimate unless `exact`.
    mean: the mean result of playouts, -1 to 1. heuristic: an estimate in a unit of the game's own.
    depth: how many plies an estimate looked ahead, or nobody can force a win within.
    bounds: (the least, the most) that it is proved to be, both exact.
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
        """Won in so many plies; None: proved, but not when."""
        return cls(1, plies is not None, plies)

    @classmethod
    def lost(cls, plies: int | None = None) -> Score:
        """Lost in so many plies: in 0 where the game is over."""
        return cls(-1, plies is not None, plies)

    @classmethod
    def drawn(cls) -> Score:
        return cls(0, exact=True)

    @classmethod
    def by_discs(cls, discs: int) -> Score:
        """Proved to end with that difference."""
        return cls(_sign(discs), exact=True, discs=discs)

    @classmethod
    def about(cls, discs: int, depth: int, result: int | None = None) -> Score:
        """An estimate of the difference; result: who wins, where that is proved."""
        return cls(result, discs=discs, depth=depth)

    @classmethod
    def likely(cls, mean: float) -> Score:
        """What playouts came to, -1 to 1."""
        return cls(mean=max(-1.0, min(1.0, mean)))

    @classmethod
    def guess(cls, heuristic: float) -> Score:
        """What a heuristic says, 0 being even."""
        return cls(heuristic=heuristic)

    @classmethod
    def between(cls, low: Score, high: Score) -> Score:
        """No less than the one and no more than the other, both exact; the score itself where they are one.

        >>> str(Score.between(Score.lost(14), Score.won(17)))
        'undecided for 13 plies'
        >>> str(Score.between(Score.won(21), Score.won(9)))
        'wins'
        """
        if low == high:
            return low
        result = 1 if low.result == 1 else -1 if high.result == -1 else None
        # Neither can win before `high` nor lose before `low` says so.
        quiet = [end.plies - 1 for end in (low, high) if end.plies is not None]
        return cls(result, depth=min(quiet), bounds=(low, high))

    @classmethod
    def of_stones(cls, stones: int, empty: int) -> Score:
        """From a solver's count: +k wins with one's k-th stone from the end, -k loses to the other's.

        empty: cells of the board. Raises ValueError for what no position with so many can be worth.

        >>> str(Score.of_stones(18, 42))  # on an empty 6 x 7 nobody wins sooner
        'wins in 4'
        """
        if stones == 0:
            return cls.drawn()
        # The side to move places the first of the stones that are left: one more, if their number is odd.
        stones_left = (empty + 1) // 2 if stones > 0 else empty // 2
        moves = stones_left - abs(stones) + 1
        if not 1 <= moves <= stones_left:
            raise ValueError(f"no position with {empty} empty cells has the score {stones}")
        return cls.won(2 * moves - 1) if stones > 0 else cls.lost(2 * moves)

    def points(self, empty: int) -> int:
        """Discs, else stones as `of_stones` counts them: 0 for a draw, and where nothing is known.

        Of playouts the mean result in hundredths, -100 to 100.

        empty: cells of the board. Where bounds prove the winner, of that bound which is nearer to a draw.
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
        """Whether the result is, be it known by how much or not."""
        return self.result is not None

    @property
    def is_known(self) -> bool:
        """Whether it says anything at all."""
        return self != Score()

    @property
    def moves(self) -> int | None:
        """How many moves the winner still makes up to the last one; None where that is not known."""
        return None if self.plies is None else (self.plies + 1) // 2

    @property
    def expectation(self) -> float:
        """-1 (lost) to 1 (won); estimates lie between, and what nobody knows is worth 0.

        Of a heuristic it says no more than which of two is better.
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
        """The exact score that it is proved to be no less than."""
        return self if self.exact else self.bounds[0] if self.bounds else None

    @property
    def high(self) -> Score | None:
        """The exact score that it is proved to be no more than."""
        return self if self.exact else self.bounds[1] if self.bounds else None

    def unproved(self) -> Score:
        """The estimate alone, without what is proved; of an exact score, a guess at the same."""
        if self.exact and self.discs is None:
            return Score.likely(self.expectation)
        depth = self.depth if self.bounds is None else 0
        return Score(discs=self.discs, mean=self.mean, heuristic=self.heuristic, depth=depth)

    def earlier(self, plies: int = 1) -> Score:
        """The same end seen from so many plies before."""
        if self.bounds is not None:
            return Score.between(*(end.earlier(plies) for end in self.bounds))
        return self if self.plies is None else replace(self, plies=self.plies + plies)

    @property
    def _nearest_to_a_draw(self) -> Score:
        """What is certain where bounds prove the winner; a draw where they don't, else itself."""
        if self.bounds is None:
            return self
        low, high = self.bounds
        return low if self.result == 1 else high if self.result == -1 else Score.drawn()

    @property
    def _rank(self) -> tuple[float, bool]:
        """By discs; else by result, soon won and late lost being better; of equals, what is proved first."""
        if self.discs is not None:
            return self.discs, self.exact
        end = self._nearest_to_a_draw
        sooner = 0.0 if end.plies is None else 1 / (end.plies + 1)
        return end.expectation + (end.result or 0) * sooner, self.exact

    def __neg__(self) -> Score:
        """The same for the other side."""
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
        """For people, of the side whose score it is: `wins in 5`, `loses by 12`, `about 3 ahead`.

        `wins in 5` means with the fifth of the winner's own moves, the next one included.
        """
        if self.result is not None:
            word = ("loses", "draw", "wins")[self.result + 1]
            if not self.exact or self.result == 0:
                return word
            if self.discs is not None:
                return f"{word} by {abs(self.discs)}"
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
    """What a position is worth whose moves are worth that; raises ValueError without any.

    Exact only where no other move can be worth more; a proved win stays one, though another may win by more.

    >>> str(best_of([Score.won(9), Score.drawn()])), str(best_of([Score.won(9), Score()]))
    ('wins in 5', 'wins')
    """
    best = max(scores)
    highs = [score.high for score in scores if score.high is not None]
    if best.exact and len(highs) == len(scores) and max(highs) <= best:
        return best
    lows = [score.low for score in scores if score.low is not None]
    if len(highs) == len(lows) == len(scores) and best.discs is None:
        return Score.between(max(lows), max(highs))
    depth = min((score.depth for score in scores if not score.exact), default=0)
    return replace(best.unproved(), result=1 if best.result == 1 else None, mean=best.mean, depth=depth)


def final_score(state: State) -> Score:
    """What a state that is over is worth to `to_move`, as if it were still their turn; raises EngineError."""
    outcome = state.outcome()
    if outcome is None:
        raise EngineError("the game is not over")
    if outcome.reason is Reason.DISC_COUNT:
        cells = state.cells()
        lead = cells.count(state.to_move) - cells.count(state.to_move.other)
        return Score.by_discs(lead + _sign(lead) * cells.count(None))
    if outcome.winner is None:
        return Score.drawn()
    return Score.won(0) if outcome.winner is state.to_move else Score.lost(0)


def worth_of_move(state: State, after: State, score: Score) -> Score:
    """What a move is worth to who makes it, where the state after it has that score for its side to move.

    In some games the same side moves again.
    """
    return score if after.to_move is state.to_move else -score


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What an evaluator says of a state.

    score: for the side to move; `Score()` where the limit ended the search before there was anything to say.
    line: the expected moves from the state on, a best one first, as far as they are known.
    nodes: states searched.
    moves: what is known of the legal moves, the move itself counted among the plies of its score.
    """

    score: Score
    line: tuple[Move, ...] = ()
    nodes: int = 0
    moves: Mapping[Move, Score] = field(default_factory=dict)

    @classmethod
    def of_moves(cls, moves: Mapping[Move, Score], nodes: int) -> Evaluation:
        """From the score of every legal move; the first of the best ones is the best."""
        return cls(best_of(moves.values()), (max(moves, key=moves.__getitem__),), nodes, moves)

    @property
    def best(self) -> Move | None:
        """A best move; None where none is known, or none is legal."""
        return self.line[0] if self.line else None


class Evaluator(Protocol):
    """Finds out what the states of a game are worth; one search at a time, whose findings help the next.

    Every method keeps within its limit and raises EngineError for other games, and once the game is over.
    """

    def evaluate(self, state: State, limit: Limit) -> Evaluation:
        """What the state is worth, and a best move."""
        ...

    def evaluate_moves(self, state: State, limit: Limit) -> Evaluation:
        """What every legal move is worth, all looked at equally deep."""
        ...

    def solve(self, state: State, limit: Limit) -> Evaluation:
        """What the state is worth, for who needs no move: quicker where one would have to be looked for."""
        return self.evaluate(state, limit)

    def proves(self, state: State) -> bool:  # noqa: ARG002
        """Whether everything on the state's board can be proved, and soon."""
        return False


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
