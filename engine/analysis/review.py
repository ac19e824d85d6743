"""Review of a finished game: what every move kept or gave away, and the losing move."""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from math import exp

from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.core import Game, Limit, Move, Player, State, states_of
from engine.games.symmetry import are_equivalent
from engine.score import Evaluation, Evaluator, Score, final_score, score_of_move

_GOOD, _MISTAKE = 0.1, 0.4
"""The loss of expectation up to which a move is good, and up to which it is a mistake."""
_SLOWER, _FEWER_DISCS = 4, 6
"""A proved move that keeps the result is good up to this many moves slower, or discs fewer."""
_OF_A_MOVE, _OF_A_DISC, _MOST_WITHIN_RESULT = 0.02, 0.01, 0.25
_STRICTNESS, _LEAST_STAKE = 5.5, 0.1
"""Of the accuracy, so that random play stays below 40 % (draughts: 55 %). The stake: of a lost position."""
_LOST_BELOW, _HELD_ABOVE = -0.5, -0.3
"""Estimates below which a game counts as lost, and above which it does not yet."""

FIRST_SECONDS, FIRST_EACH = 1.2, 0.4
"""Time for proofs before the first result is displayed: in total, and per state."""
SHOWN_EVERY_SECONDS = 0.6
"""How often the display is updated until every state has a value."""
LATER_SECONDS, LATER_EACH = 15.0, 4.0
"""Time for proofs after that: in total, and per state."""


class Mark(enum.StrEnum):
    """How much a move gave away, from nothing to everything."""

    BEST = "best"
    GOOD = "good"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One move. before, after: the score before it, and the score it kept, for the mover.

    ply: from 0. best: a best move; the move itself if it is one. given: the share of a whole game given away,
    0 to 1. is_forced: there was no other move.
    """

    ply: int
    player: Player
    move: Move
    best: Move
    before: Score
    after: Score
    mark: Mark
    given: float
    is_forced: bool


@dataclass(frozen=True, slots=True)
class Review:
    """The states of a game and their evaluations so far; `evaluations` has one entry per state.

    is_final: whether nothing more is being evaluated or proved, so that no figure changes any more.
    """

    states: tuple[State, ...]
    moves: tuple[Move, ...]
    evaluations: tuple[Evaluation | None, ...]
    reviewed: tuple[Reviewed | None, ...]
    is_final: bool = True

    @classmethod
    def of(
        cls,
        states: Sequence[State],
        moves: Sequence[Move],
        found: Sequence[Evaluation | None],
        *,
        is_final: bool = True,
    ) -> Review:
        """found: of each state; None if it is not evaluated yet. is_final: as above."""
        known = list(found)
        for ply in range(len(moves) - 1, -1, -1):
            known[ply] = _at_least(known[ply], _for_mover(states, known, ply), moves[ply])
        reviewed = tuple(
            _reviewed(states[ply], moves[ply], here, after)
            if here is not None and here.judges_moves and after is not None
            else None
            for ply, here in enumerate(known[:-1])
            for after in (_for_mover(states, known, ply),)
        )
        return cls(tuple(states), tuple(moves), tuple(known), reviewed, is_final)

    @classmethod
    def of_move(cls, state: State, move: Move, here: Evaluation | None, after: Evaluation) -> Reviewed | None:
        """Return one move as a review judges it by the values before and after; None as in `reviewed`."""
        return cls.of((state, state.play(move)), (move,), (here, after)).reviewed[0]

    @property
    def share(self) -> float:
        """The share of evaluated states, 0 to 1."""
        return sum(entry is not None for entry in self.evaluations) / len(self.evaluations)

    def is_unjudged(self, ply: int) -> bool:
        """Whether the evaluation of that state tells no moves apart, as while an opening is placed."""
        entry = self.evaluations[ply]
        return entry is not None and not entry.judges_moves

    @property
    def exact_from(self) -> int | None:
        """The first ply from which on everything is proved; None if even the end is not."""
        first = None
        for ply in range(len(self.evaluations) - 1, -1, -1):
            entry = self.evaluations[ply]
            if entry is None or not entry.score.is_proved:
                break
            first = ply
        return first

    def accuracy(self, player: Player) -> float | None:
        """Return how well the player chose, 1 if no move gave anything away; None if they never had a choice.

        It falls exponentially with the share that was given away of all that the moves could give away: more
        in a won position than in a lost one. `python -m tools.accuracy` measures it for random play.
        """
        moves = [move for move in self.reviewed if move and move.player is player and not move.is_forced]
        stakes = [max(_LEAST_STAKE, (1 + move.before.expectation) / 2) for move in moves]
        given = sum(min(move.given, stake) for move, stake in zip(moves, stakes, strict=True))
        return exp(-_STRICTNESS * given / sum(stakes)) if moves else None

    def expectation(self, ply: int) -> float | None:
        """Return the first player's expectation before that ply, -1 to 1."""
        entry = self.evaluations[ply]
        if entry is None:
            return None
        return entry.score.expectation * (1 if side_of(self.states, ply) is Player.FIRST else -1)

    def losing_move(self, loser: Player) -> Reviewed | None:
        """Return that side's move that lost the game for good; None if none of theirs did.

        A game that was lost and handed back was not lost for good, even if it was resigned then. If it was
        lost gradually, it is the move that gave away most between the last state that was held and the first
        one that was lost.
        """
        fallen: list[Reviewed] = []
        is_lost = False
        for move in self.reviewed:
            if move is None:
                continue
            is_own = move.player is loser
            # Both states of every move, as the moves before and after it may have no review.
            before, after = (move.before, move.after) if is_own else (-move.before, -move.after)
            if _is_held(before):
                fallen, is_lost = [], False
            is_lost = is_lost or _is_lost(before)
            # A move in a lost state, whatever it gave away, did not lose the game.
            if is_own and not is_lost and move.given > 0:
                fallen.append(move)
            if _is_held(after):
                fallen, is_lost = [], False
            is_lost = is_lost or _is_lost(after)
        return max(fallen, key=lambda move: move.given, default=None) if is_lost else None

    def last_chance(self, player: Player) -> Reviewed | None:
        """Return that side's last move that gave away a won game; None if it never had one."""
        missed = [
            move
            for move in self.reviewed
            if move is not None and move.player is player and _is_lost(-move.before) and _is_held(-move.after)
        ]
        return missed[-1] if missed else None

    def worst_move(self, player: Player | None = None) -> Reviewed | None:
        """Return the move (of that side) that gave away most; None if none gave anything away."""
        moves = [
            move
            for move in self.reviewed
            if move is not None and move.given > 0 and player in (None, move.player)
        ]
        return max(moves, key=lambda move: move.given, default=None)


@dataclass(frozen=True, slots=True)
class Question:
    """A request for the evaluation of the state before that ply, within the limit."""

    ply: int
    limit: Limit


Plan = Generator[Question | Review, Evaluation | None, None]


def plan(
    states: Sequence[State],
    moves: Sequence[Move],
    clock: Callable[[], float],
    later_seconds: float = LATER_SECONDS,
    later_each: float = LATER_EACH,
) -> Plan:
    """Yield questions, to be answered by `send`, and reviews that are worth displaying.

    The order: quick proofs, from the end backwards; estimates of all other states, which complete the review
    (its `share` is 1); further proofs, backwards. The last review alone is final. clock: a monotonic time in
    seconds. later_seconds, later_each: the time of these proofs, in total and for one state.
    """
    evaluations: list[Evaluation | None] = [None] * len(states)
    if states[-1].outcome() is not None:
        evaluations[-1] = Evaluation(final_score(states[-1]))
    first, shown_at = _first_pass(states, evaluations, clock), clock()
    answer: Evaluation | None = None
    while True:
        try:
            question = first.send(answer)
        except StopIteration as end:
            ply: int = end.value
            break
        if clock() >= shown_at + SHOWN_EVERY_SECONDS:
            shown_at = clock()
            yield Review.of(states, moves, evaluations, is_final=False)
        answer = yield question
    ends_at = clock() + later_seconds
    while ply >= 0 and (left := ends_at - clock()) > 0:
        yield Review.of(states, moves, evaluations, is_final=False)
        known = yield Question(ply, Limit(seconds=min(left, later_each)))
        # Earlier positions are harder, so the time left is of no use to them.
        if known is None or not known.score.is_proved:
            break
        evaluations[ply] = known
        ply -= 1
    yield Review.of(states, moves, evaluations)


def _first_pass(
    states: Sequence[State], evaluations: list[Evaluation | None], clock: Callable[[], float]
) -> Generator[Question, Evaluation | None, int]:
    """Evaluate every state; return the last ply without a proof, or -1."""
    ply = yield from _prove(states, evaluations, clock, FIRST_SECONDS, FIRST_EACH)
    for open_ply in range(ply, -1, -1):
        if evaluations[open_ply] is None:
            evaluations[open_ply] = yield Question(open_ply, ESTIMATE)
    return ply


def _prove(
    states: Sequence[State],
    evaluations: list[Evaluation | None],
    clock: Callable[[], float],
    seconds: float,
    each: float,
) -> Generator[Question, Evaluation | None, int]:
    """Prove states from the end backwards; return the first ply that it could not prove."""
    ends_at = clock() + seconds
    for ply in range(len(states) - 1, -1, -1):
        known = evaluations[ply]
        if known is None:
            left = ends_at - clock()
            if left <= 0:
                return ply
            known = evaluations[ply] = yield Question(ply, Limit(seconds=min(left, each)))
        if known is None or not known.score.is_proved:
            return ply
    return -1


def review(
    game: Game,
    board: str | None,
    moves: Sequence[Move],
    clock: Callable[[], float],
    evaluator: Evaluator | None = None,
    later_seconds: float = LATER_SECONDS,
) -> Review:
    """Return the complete review at once; raises IllegalMove. evaluator: an Estimator by default."""
    return review_from(game, game.start(board), moves, clock, evaluator, later_seconds)


def review_from(
    game: Game,
    start: State,
    moves: Sequence[Move],
    clock: Callable[[], float],
    evaluator: Evaluator | None = None,
    later_seconds: float = LATER_SECONDS,
) -> Review:
    """As `review`, of a game that begins in that state."""
    states = states_of(start, moves)
    evaluator, steps = evaluator or Estimator(game), plan(states, moves, clock, later_seconds)
    found: Review | None = None
    answer: Evaluation | None = None
    while True:
        try:
            step = steps.send(answer)
        except StopIteration:
            break
        answer = None
        if isinstance(step, Review):
            found = step
        else:
            answer = evaluator.evaluate(states[step.ply], step.limit)
    if found is None:
        raise RuntimeError("a plan without a review")
    return found


def side_of(states: Sequence[State], ply: int) -> Player:
    """Return the side to move before that ply; after the last move, the side that would be next."""
    return states[ply].to_move


def _for_mover(states: Sequence[State], known: Sequence[Evaluation | None], ply: int) -> Score | None:
    """Return the score that the move of that ply kept, for its player; None if it is unknown."""
    following = known[ply + 1]
    return None if following is None else score_of_move(states[ply], states[ply + 1], following.score)


def _at_least(here: Evaluation | None, kept: Score | None, move: Move) -> Evaluation | None:
    """Return the evaluation of a state, raised to the score of the move that was played if that is higher.

    If that move wins, the state is won, perhaps faster; any other score is only a lower bound.
    """
    if here is None or kept is None or here.score.is_proved:
        return here
    if kept.result == 1:
        return Evaluation(Score.won(), (move,))
    if kept.expectation > here.score.expectation:
        return Evaluation(kept.unproved(), (move,))
    return here


def _reviewed(state: State, move: Move, here: Evaluation, after: Score) -> Reviewed:
    before = here.score
    is_forced = len(state.legal_moves()) == 1
    given = 0.0 if is_forced else _given(before, after)
    if given and here.best is not None and are_equivalent(state, move, here.best):
        given = 0.0  # two estimates of one position may differ; then the move counts as a best one
    best = move if given == 0 or here.best is None else here.best
    mark = Mark.BEST if is_forced or given == 0 else _mark(before, after, given)
    return Reviewed(state.ply, state.to_move, move, best, before, after, mark, given, is_forced)


def _given(before: Score, after: Score) -> float:
    lost = max(0.0, before.expectation - after.expectation) / 2
    if lost or before.result is None or after.result is None:
        return lost
    return min(_MOST_WITHIN_RESULT, _OF_A_MOVE * _slower(before, after) + _OF_A_DISC * _fewer(before, after))


def _slower(before: Score, after: Score) -> int:
    """Return by how many moves a proved win comes later, or a proved loss sooner."""
    if before.moves is None or after.moves is None or not before.result:
        return 0
    if before.result > 0:
        return max(0, after.moves + 1 - before.moves)
    return max(0, before.moves - after.moves)


def _fewer(before: Score, after: Score) -> int:
    if before.discs is None or after.discs is None:
        return 0
    return max(0, before.discs - after.discs)


def _mark(before: Score, after: Score, given: float) -> Mark:
    if before.result is not None and after.result is not None:
        if before.result != after.result:
            return Mark.BLUNDER
        is_close = _slower(before, after) <= _SLOWER and _fewer(before, after) <= _FEWER_DISCS
        return Mark.GOOD if is_close else Mark.MISTAKE
    if given <= _GOOD:
        return Mark.GOOD
    return Mark.MISTAKE if given <= _MISTAKE else Mark.BLUNDER


def _is_lost(score: Score) -> bool:
    return score.expectation < _LOST_BELOW


def _is_held(score: Score) -> bool:
    return score.expectation > _HELD_ABOVE
