"""A finished game looked at again: what every move kept or gave away, and which one lost."""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.analysis.images import come_to_the_same
from engine.core import Game, Limit, Move, Player, State, states_of
from engine.score import Evaluation, Score, final_score, worth_of_move

_GOOD, _MISTAKE = 0.1, 0.4
"""Up to so much of the expectation given away a move is good, up to so much a mistake."""
_SLOWER, _FEWER_DISCS = 4, 6
"""Proved moves that keep the result are good up to so many moves later or sooner, or discs fewer."""
_OF_A_MOVE, _OF_A_DISC, _MOST_WITHIN_RESULT = 0.02, 0.01, 0.25
_LOST_BELOW, _HELD_ABOVE = -0.5, -0.3
"""Estimates from which a game counts as lost, and as not lost yet."""

FIRST_SECONDS, FIRST_EACH = 1.2, 0.4
"""For what is proved before the first answer: in all, and for one state."""
SHOWN_EVERY_SECONDS = 0.6
"""How long people wait for the first values, and for more, until everything has one."""
LATER_SECONDS, LATER_EACH = 15.0, 4.0
"""The same for what is proved while people read."""


class Mark(enum.StrEnum):
    """How much a move gave away, the least first."""

    BEST = "best"
    GOOD = "good"
    MISTAKE = "mistake"
    BLUNDER = "blunder"


@dataclass(frozen=True, slots=True)
class Reviewed:
    """One move. before, after: what the mover could get, and what the move kept, for the mover.

    ply: from 0. best: a move that keeps all; the move itself where it does. given: the share of a whole
    game given away, 0 to 1. is_forced: there was no other move.
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
    """The states of a game, and what is known of them so far; `evaluations` has one entry a state."""

    states: tuple[State, ...]
    moves: tuple[Move, ...]
    evaluations: tuple[Evaluation | None, ...]
    reviewed: tuple[Reviewed | None, ...]

    @classmethod
    def of(cls, states: Sequence[State], moves: Sequence[Move], found: Sequence[Evaluation | None]) -> Review:
        """found: of each state, with None where nothing is known yet."""
        known = list(found)
        for ply in range(len(moves) - 1, -1, -1):
            known[ply] = _at_least(known[ply], _for_mover(states, known, ply), moves[ply])
        reviewed = tuple(
            None if here is None or after is None else _reviewed(states[ply], moves[ply], here, after)
            for ply, here in enumerate(known[:-1])
            for after in (_for_mover(states, known, ply),)
        )
        return cls(tuple(states), tuple(moves), tuple(known), reviewed)

    @property
    def share(self) -> float:
        """How much is evaluated, 0 to 1."""
        return sum(entry is not None for entry in self.evaluations) / len(self.evaluations)

    @property
    def exact_from(self) -> int | None:
        """The first ply from which on everything is proved; None where not even the end is."""
        first = None
        for ply in range(len(self.evaluations) - 1, -1, -1):
            entry = self.evaluations[ply]
            if entry is None or not entry.score.is_proved:
                break
            first = ply
        return first

    def accuracy(self, player: Player) -> float | None:
        """0 to 1: the share that the player's moves kept on average; None without a choice of theirs."""
        given = [
            found.given for found in self.reviewed if found and found.player is player and not found.is_forced
        ]
        return 1 - sum(given) / len(given) if given else None

    def expectation(self, ply: int) -> float | None:
        """What the first player could expect before that ply, -1 to 1."""
        entry = self.evaluations[ply]
        if entry is None:
            return None
        return entry.score.expectation * (1 if side_of(self.states, ply) is Player.FIRST else -1)

    def losing_move(self, loser: Player) -> Reviewed | None:
        """The move of that side with which the game went for good; None where none of theirs lost it.

        A game that went and was given back had not gone for good, also where it was resigned then. Where it
        went little by little, it is the move that gave most between the last state that was held and the
        first that was lost.
        """
        fallen: list[Reviewed] = []
        is_lost = False
        for move in self.reviewed:
            if move is None:
                continue
            is_own = move.player is loser
            before, after = (move.before, move.after) if is_own else (-move.before, -move.after)
            if _is_held(before):
                fallen, is_lost = [], False
            is_lost = is_lost or _is_lost(before)
            if is_own and not is_lost and move.given > 0:
                fallen.append(move)
            if _is_held(after):
                fallen, is_lost = [], False
            is_lost = is_lost or _is_lost(after)
        return max(fallen, key=lambda move: move.given, default=None) if is_lost else None

    def last_chance(self, player: Player) -> Reviewed | None:
        """The last move of that side which let a won game go; None where it never had one to lose."""
        missed = [
            move
            for move in self.reviewed
            if move is not None and move.player is player and _is_lost(-move.before) and _is_held(-move.after)
        ]
        return missed[-1] if missed else None

    def worst_move(self, player: Player | None = None) -> Reviewed | None:
        """The move (of that side) that gave away most; None where none gave anything away."""
        moves = [
            move
            for move in self.reviewed
            if move is not None and move.given > 0 and player in (None, move.player)
        ]
        return max(moves, key=lambda move: move.given, default=None)


@dataclass(frozen=True, slots=True)
class Question:
    """Asks for the value of the state before that ply, within the limit."""

    ply: int
    limit: Limit


Plan = Generator[Question | Review, Evaluation | None, None]


def plan(
    states: Sequence[State],
    moves: Sequence[Move],
    clock: Callable[[], float],
    later_seconds: float = LATER_SECONDS,
) -> Plan:
    """Yields questions, to be answered by `send`, and what is known whenever it is worth showing.

    First, from the end backwards, what is proved quickly; then an estimate of everything else; then the
    review is whole (its `share` is 1), and proofs go on backwards. clock: seconds, from any beginning.
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
            yield Review.of(states, moves, evaluations)
        answer = yield question
    yield Review.of(states, moves, evaluations)
    ends_at = clock() + later_seconds
    while ply >= 0 and (left := ends_at - clock()) > 0:
        known = yield Question(ply, Limit(seconds=min(left, LATER_EACH)))
        if known is None or not known.score.is_proved:
            break
        evaluations[ply] = known
        ply -= 1
        yield Review.of(states, moves, evaluations)


def _first_pass(
    states: Sequence[State], evaluations: list[Evaluation | None], clock: Callable[[], float]
) -> Generator[Question, Evaluation | None, int]:
    """Gives every state a value; returns the ply of the last one whose value is not proved, or -1."""
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
    """Values states from the end backwards; returns the ply of the first that it could not prove."""
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


def review(game: Game, board: str | None, moves: Sequence[Move], clock: Callable[[], float]) -> Review:
    """The whole review at once; raises IllegalMove."""
    states = states_of(game.start(board), moves)
    evaluator, steps = Estimator(game), plan(states, moves, clock)
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
    """Whose turn it is before that ply; after the last move whose it would be."""
    return states[ply].to_move


def _for_mover(states: Sequence[State], known: Sequence[Evaluation | None], ply: int) -> Score | None:
    """What the move of that ply kept, for the side that made it; None where that is not known."""
    following = known[ply + 1]
    return None if following is None else worth_of_move(states[ply], states[ply + 1], following.score)


def _at_least(here: Evaluation | None, kept: Score | None, move: Move) -> Evaluation | None:
    """What is known of a state, not less than its move turned out to be worth.

    That move wins, and so the state is won, perhaps sooner; any other result is only the least there is.
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
    if given and here.best is not None and come_to_the_same(state, move, here.best):
        given = 0.0  # two estimates of one position may differ; the move is as good as the best known
    best = move if given == 0 or here.best is None else here.best
    mark = Mark.BEST if is_forced or given == 0 else _mark(before, after, given)
    return Reviewed(state.ply, state.to_move, move, best, before, after, mark, given, is_forced)


def _given(before: Score, after: Score) -> float:
    lost = max(0.0, before.expectation - after.expectation) / 2
    if lost or before.result is None or after.result is None:
        return lost
    return min(_MOST_WITHIN_RESULT, _OF_A_MOVE * _slower(before, after) + _OF_A_DISC * _fewer(before, after))


def _slower(before: Score, after: Score) -> int:
    """By how many moves a proved win comes later, or a proved loss sooner."""
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
