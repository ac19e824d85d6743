"""Routes of the buttons, menus and selects of puzzles."""

from __future__ import annotations

import enum
from datetime import date
from typing import Any

from discord import ui

from bot.i18n import Text
from bot.ui.routing import GUILD, ID, TURN, USER, IdPart, MoveRoutes, either, number, route

ATTEMPT, COURSE, MISTAKE = "attempt", "course", "mistake"


class PuzzleStep(enum.StrEnum):
    """The buttons of a finished attempt."""

    AGAIN = "again"
    SOLUTION = "solution"
    NEXT = "next"


class CourseStep(enum.StrEnum):
    """The buttons of a storm or a streak besides moves."""

    STOP = "stop"
    AGAIN = "again"


class MistakeStep(enum.StrEnum):
    """The buttons of a position from one's own games besides moves."""

    AGAIN = "again"
    SHOW = "show"
    NEXT = "next"
    STOP = "stop"


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

TRAIN = route("kt", ID)
"""The match whose blunders the person wants to train."""

MISTAKE_ANSWER = MoveRoutes("mm", "ms", "mc", TURN, family=MISTAKE)
"""Subject: the mistake. At: its version."""

MISTAKE_STEP = route("ma", ID, IdPart("|".join(MistakeStep), MistakeStep), family=MISTAKE)


def train_button(t: Text, match_id: int) -> ui.Button[Any]:
    """Return the button that keeps and trains the blunders of a match."""
    return ui.Button(label=t("button_train"), emoji="🪞", custom_id=TRAIN(match_id))
