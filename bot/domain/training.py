"""Positions of a person's own games to train, and the days on which each comes again."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Self

from bot.domain.errors import Refusal
from engine.analysis.review import Mark, Review, Reviewed
from engine.core import Move, Player, State, replay, states_of
from engine.games import game as game_of
from engine.score import Evaluation, Score, score_of_move

MAX_MISTAKES = 200
"""Positions that are kept for one person."""

MAX_OF_A_GAME = 10
"""Positions that one game can add: the moves that gave away most."""

LEARNT_AFTER = 3
"""Right answers in a row."""

_DAYS_AFTER_RIGHT = (3, 7, 30)
"""Until the position comes again, after each right answer in a row. After the last it was learnt."""

_RIGHT = (Mark.BEST, Mark.GOOD)


@dataclass(frozen=True, slots=True)
class Mistake:
    """A position in which a person gave a result away, with the better move.

    match_id: its match, which may be gone; None for a game from elsewhere. line: the moves that lead there.
    played: the person's move. goal: the proved result that the better move keeps; None if it is estimated.
    worth: its expectation. due_on: the day (UTC) from which it waits for an answer; None if it comes no more.
    rights: right answers in a row.
    """

    id: int
    user_id: int
    match_id: int | None
    game: str
    board: str
    line: tuple[Move, ...]
    played: Move
    best: Move
    goal: int | None
    worth: float
    due_on: date | None
    answered_on: date | None = None
    rights: int = 0
    version: int = 0

    @classmethod
    def of(
        cls, user_id: int, match_id: int | None, game: str, board: str, review: Review, judged: Reviewed,
        today: date,
    ) -> Mistake:  # fmt: skip
        """Return the position of that move of the review, due today."""
        line, before = review.moves[: judged.ply], judged.before
        return cls(
            0, user_id, match_id, game, board, line, judged.move, judged.best, before.result,
            before.expectation, today,
        )  # fmt: skip

    @property
    def key(self) -> str:
        """Characters that identify the position among all of a person's."""
        text = f"{self.game} {self.board} {' '.join(map(str, self.line))}"
        return hashlib.blake2s(text.encode(), digest_size=12).hexdigest()

    @property
    def states(self) -> tuple[State, ...]:
        """The positions of the game up to this one."""
        return tuple(states_of(game_of(self.game).start(self.board), self.line))

    @property
    def state(self) -> State:
        return replay(game_of(self.game).start(self.board), self.line)

    @property
    def player(self) -> Player:
        """The side that the person plays."""
        return self.state.to_move

    @property
    def is_learnt(self) -> bool:
        return self.rights >= LEARNT_AFTER

    def is_due(self, today: date) -> bool:
        return self.due_on is not None and self.due_on <= today

    def judge(self, move: Move, following: Score) -> Reviewed:
        """Return the move as a review would judge it; raises Refusal if that is not sure.

        following: the score of the position after the move, for the side to move there.
        """
        state = self.state
        if self.goal is not None and not following.is_proved and move != self.played:
            if move != self.best:
                raise Refusal("puzzle_unproved")
            # It was proved when the position was kept, however busy this machine is now.
            following = score_of_move(state, state.play(move), Score(result=self.goal))
        before = Score.likely(self.worth) if self.goal is None else Score(result=self.goal)
        judged = Review.of_move(state, move, Evaluation(before, (self.best,)), Evaluation(following))
        if judged is None:
            raise Refusal("puzzle_unproved")
        return judged

    def is_right(self, judged: Reviewed) -> bool:
        """Return whether the move keeps what there was."""
        return judged.move == self.best or (judged.move != self.played and judged.mark in _RIGHT)

    def answered(self, today: date, *, is_right: bool) -> Self:
        """Return it as it comes again; unchanged if it was not due, which is practice."""
        if not self.is_due(today):
            return self
        days: int | None = 1
        if is_right:
            days = _DAYS_AFTER_RIGHT[self.rights] if self.rights < len(_DAYS_AFTER_RIGHT) else None
        return replace(
            self,
            rights=self.rights + 1 if is_right else 0,
            due_on=None if days is None else today + timedelta(days=days),
            answered_on=today,
            version=self.version + 1,
        )


@dataclass(frozen=True, slots=True)
class TrainingDay:
    """One person's positions on a day.

    waiting: due now; the last that was kept comes first, as its game is fresh. done: how many were answered
    today. learnt: how many are. following: the next day on which one is due, None for never.
    """

    waiting: tuple[Mistake, ...]
    done: int
    learnt: int
    following: date | None

    @classmethod
    def of(cls, mistakes: Collection[Mistake], today: date) -> TrainingDay:
        waiting = [one for one in mistakes if one.is_due(today)]
        later = [one.due_on for one in mistakes if one.due_on is not None and one.due_on > today]
        return cls(
            tuple(sorted(waiting, key=lambda one: one.id, reverse=True)),
            sum(one.answered_on == today for one in mistakes),
            sum(one.is_learnt for one in mistakes),
            min(later, default=None),
        )

    @property
    def total(self) -> int:
        """The number of today's positions."""
        return self.done + len(self.waiting)


def blunders(review: Review, players: Collection[Player]) -> tuple[Reviewed, ...]:
    """Return these players' blunders, as many as one game can add, in the order they were made."""
    given = [one for one in review.reviewed if one and one.player in players and one.mark is Mark.BLUNDER]
    worst = sorted(given, key=lambda one: one.given, reverse=True)[:MAX_OF_A_GAME]
    return tuple(sorted(worst, key=lambda one: one.ply))
