"""What can be pressed under puzzles, as custom_ids say it."""

from __future__ import annotations

import enum
from datetime import date

from bot.ui.routing import GUILD, ID, MOVE, TURN, USER, Part, either, number, route

ATTEMPT = "attempt"
"""The family of what stands under an attempt."""


class Step(enum.StrEnum):
    """What can be pressed under an attempt that is over."""

    AGAIN = "again"
    SOLUTION = "solution"
    NEXT = "next"


ANSWER = route("pm", ID, TURN, MOVE, family=ATTEMPT)
"""Attempt, turn that the answer is given at, move."""

SELECT = route("ps", ID, TURN, number(2), family=ATTEMPT)
"""Attempt, turn, page of legal moves."""

COLUMN = route("pc", ID, TURN, number(2), family=ATTEMPT)
"""Attempt, turn, column whose squares are wanted, from 1; 0 for all columns."""

STEP = route("pa", ID, Part("|".join(Step), Step), family=ATTEMPT)

DAY = route("pd", Part("[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat, date.isoformat))
"""Opens the puzzle of that day."""

COURSE = "course"
"""The family of what stands under a storm or a streak."""


class CourseStep(enum.StrEnum):
    """What can be pressed under a course besides moves."""

    STOP = "stop"
    AGAIN = "again"


COURSE_ANSWER = route("qm", ID, TURN, MOVE, family=COURSE)
"""Course, number of the puzzle that is answered, move."""

COURSE_SELECT = route("qs", ID, TURN, number(2), family=COURSE)
"""Course, number of the puzzle, page of legal moves."""

COURSE_COLUMN = route("qc", ID, TURN, number(2), family=COURSE)
"""Course, number of the puzzle, column whose squares are wanted, from 1; 0 for all columns."""

COURSE_STEP = route("qa", ID, Part("|".join(CourseStep), CourseStep), family=COURSE)

GAME: Part[str | None] = Part("[a-z-]{1,32}", str, is_optional=True)

BESTS = route("qb", USER, GUILD, either("today", "ever"), number(6, least=1), GAME)
"""Reader, server, of which days, page, game of the board of storms."""

PAGE = route("pl", USER, GUILD, number(6, least=1))
"""Reader, server, page of the leaderboard."""
