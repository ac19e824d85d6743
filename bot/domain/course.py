"""Courses of ever harder puzzles, one move each: storms against the clock, streaks until a mistake."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from bot.domain.errors import Refusal
from bot.domain.names import CleanName
from engine.analysis.puzzles import Puzzle
from engine.core import Move

STORM_TIME = timedelta(minutes=3)
"""Length of a storm, from the first answer on."""

PENALTY = timedelta(seconds=10)
"""Time lost by a wrong answer in a storm."""


class CourseKind(enum.StrEnum):
    STORM = "storm"
    STREAK = "streak"


PER_GRADE = {CourseKind.STORM: 12, CourseKind.STREAK: 5}
"""Puzzles of each grade before those of the next grade."""


@dataclass(frozen=True, slots=True)
class Course:
    """One person's course.

    game: None for all games. seed: decides the puzzles, with kind and game. puzzle: key of the puzzle to
    answer. number: puzzles answered. wrong: numbers of those answered wrongly, from 0. to_beat: the person's
    record before. ends_at: the end of a storm; None before its first answer, and for a streak.
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
    wrong: tuple[int, ...] = ()

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
        """Raise Refusal unless it is that person's course."""
        if user_id != self.user_id:
            raise Refusal("puzzle_of_another")

    def is_out_of_time(self, now: datetime) -> bool:
        return self.ends_at is not None and now >= self.ends_at

    def answered(self, puzzle: Puzzle, move: Move, following: str | None, now: datetime) -> Course:
        """Return the course after a legal answer. following: key of the next puzzle; None after the last.

        An answer after the end of a storm does not count.
        """
        if self.is_out_of_time(now):
            return self.ended(now)
        is_right = move == puzzle.best
        ends_at = self.ends_at
        if self.kind is CourseKind.STORM:
            # The clock starts with the first answer: see STORM_TIME.
            ends_at = (ends_at or now + STORM_TIME) - (timedelta() if is_right else PENALTY)
        after = replace(
            self,
            number=self.number + 1,
            solved=self.solved + is_right,
            wrong=self.wrong if is_right else (*self.wrong, self.number),
            ends_at=ends_at,
            version=self.version + 1,
        )
        is_mistake = self.kind is CourseKind.STREAK and not is_right
        # A penalty may end a storm at once.
        if is_mistake or following is None or after.is_out_of_time(now):
            return replace(after, ended_at=now)
        return replace(after, puzzle=following)

    def ended(self, now: datetime) -> Course:
        """Return the course ended by its person or its clock."""
        over = now if self.ends_at is None else min(now, self.ends_at)
        return replace(self, ended_at=over, version=self.version + 1)


@dataclass(frozen=True, slots=True)
class Best:
    """The most puzzles that a person solved in one course. rank: from 1; equal numbers share one."""

    rank: int
    user_id: int
    name: CleanName
    best: int


@dataclass(frozen=True, slots=True)
class BestBoard:
    """Which board: of a server or, with scope 0, of everywhere; of a day or, without one, of all time."""

    scope: int
    kind: CourseKind
    game: str | None
    day: date | None
