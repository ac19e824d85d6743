"""Courses of ever harder puzzles, one move each: storms against the clock, streaks until a mistake."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bot.domain.errors import Refusal
from engine.analysis.puzzles import Puzzle
from engine.core import Move

STORM_TIME = timedelta(minutes=3)
"""From the first answer on."""

PENALTY = timedelta(seconds=10)
"""What a wrong answer costs in a storm."""


class CourseKind(enum.StrEnum):
    STORM = "storm"
    STREAK = "streak"


PER_GRADE = {CourseKind.STORM: 12, CourseKind.STREAK: 5}
"""Puzzles of each grade before the next one's."""


@dataclass(frozen=True, slots=True)
class Course:
    """One person on one way through the puzzles.

    game: None for all of them. seed: which puzzles come, with the kind and game. puzzle: the key of the one
    that waits. number: how many were answered. to_beat: the most that the person had ever solved before.
    ends_at: when a storm's time is over; None before its first answer, and of a streak.
    """

    id: int
    user_id: int
    guild_id: int | None
    kind: CourseKind
    game: str | None
    seed: int
    puzzle: str
    to_beat: int
    started_at: datetime
    number: int = 0
    solved: int = 0
    ends_at: datetime | None = None
    ended_at: datetime | None = None
    version: int = 0

    @property
    def missed(self) -> int:
        return self.number - self.solved

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    @property
    def is_record(self) -> bool:
        return self.solved > self.to_beat

    def check_owner(self, user_id: int) -> None:
        """Raises Refusal for everybody but the person whose course it is."""
        if user_id != self.user_id:
            raise Refusal("puzzle_of_another")

    def is_out_of_time(self, now: datetime) -> bool:
        return self.ends_at is not None and now >= self.ends_at

    def answered(self, puzzle: Puzzle, move: Move, following: str | None, now: datetime) -> Course:
        """After a legal move in the puzzle that waits. following: the next one's key, None after the last.

        An answer after a storm's time ends it and counts for nothing.
        """
        if self.is_out_of_time(now):
            return self.ended(now)
        is_right = move == puzzle.best
        ends_at = self.ends_at
        if self.kind is CourseKind.STORM:
            ends_at = (ends_at or now + STORM_TIME) - (timedelta() if is_right else PENALTY)
        after = replace(
            self,
            number=self.number + 1,
            solved=self.solved + is_right,
            ends_at=ends_at,
            version=self.version + 1,
        )
        is_mistake = self.kind is CourseKind.STREAK and not is_right
        if is_mistake or following is None or after.is_out_of_time(now):
            return replace(after, ended_at=now)
        return replace(after, puzzle=following)

    def ended(self, now: datetime) -> Course:
        """By its person or its clock."""
        over = now if self.ends_at is None else min(now, self.ends_at)
        return replace(self, ended_at=over, version=self.version + 1)


@dataclass(frozen=True, slots=True)
class Best:
    """The most that somebody solved. rank: among those whom the board shows; the same for the same number."""

    rank: int
    user_id: int
    name: str
    best: int


@dataclass(frozen=True, slots=True)
class BestBoard:
    """Which board: of a server or, with scope 0, of everywhere; of a day or, without one, of all time."""

    scope: int
    kind: CourseKind
    game: str | None
    day: date | None
