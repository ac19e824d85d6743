"""Routes of the buttons, menus and selects of puzzles."""

from __future__ import annotations

import enum
from datetime import date

from bot.ui.routing import GUILD, ID, MOVE, TURN, USER, IdPart, MoveRoutes, either, number, route

ATTEMPT, COURSE = "attempt", "course"


class PuzzleStep(enum.StrEnum):
    """The buttons of a finished attempt."""

    AGAIN = "again"
    SOLUTION = "solution"
    NEXT = "next"


class CourseStep(enum.StrEnum):
    """The buttons of a storm or a streak besides moves."""

    STOP = "stop"
    AGAIN = "again"


ANSWER = MoveRoutes("pm", "ps", "pc", TURN, family=ATTEMPT)
"""Subject: the attempt. At: its turn."""

STEP = route("pa", ID, IdPart("|".join(PuzzleStep), PuzzleStep), family=ATTEMPT)

DAY = route("pd", IdPart("[0-9]{4}-[0-9]{2}-[0-9]{2}", date.fromisoformat, date.isoformat))
"""Opens that day's puzzle."""

COURSE_ANSWER = MoveRoutes("qm", "qs", "qc", TURN, family=COURSE)
"""Subject: the course. At: the number of the puzzle in it."""

COURSE_STEP = route("qa", ID, IdPart("|".join(CourseStep), CourseStep), family=COURSE)

COURSE_MISSED = route("qw", ID)
"""The course whose missed puzzle is chosen from a menu."""

GAME: IdPart[str | None] = IdPart("[a-z-]{1,32}", str, is_optional=True)

STORM_PAGE = route("qb", USER, GUILD, either("today", "ever"), number(6, least=1), GAME)
"""A page of the storms' leaderboard: reader, server, today or ever, page, game."""

RATING_PAGE = route("pl", USER, GUILD, number(6, least=1))
"""A page of the rating leaderboard: reader, server, page."""

MOMENT = route("kp", ID, MOVE)
"""Match, ply of the person's move to find a better one for: a key moment of a coached match."""

MOMENT_ANSWER = MoveRoutes("ka", "ks", "kc", MOVE)
"""Subject: the match. At: the ply of the move to replace."""
