"""What can be pressed under puzzles, as custom_ids say it."""

from __future__ import annotations

import enum
from datetime import date

from bot.ui.routing import GUILD, ID, MOVE, TURN, USER, Part, number, route

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

PAGE = route("pl", USER, GUILD, number(6, least=1))
"""Reader, server, page of the leaderboard."""
