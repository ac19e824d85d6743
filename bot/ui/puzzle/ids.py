"""The custom_ids of puzzles: written by the views, read by the items, a claim and not a right."""

from __future__ import annotations

import enum
from datetime import date

from bot.ui.ids import PREFIX, TURN
from engine.core import Move

_ATTEMPT = r"(?P<attempt>[1-9][0-9]{0,17})"

MOVE = rf"{PREFIX}:pm:{_ATTEMPT}:{TURN}:(?P<move>[0-9]{{1,4}})"
SELECT = rf"{PREFIX}:ps:{_ATTEMPT}:{TURN}:(?P<page>[0-9]{{1,2}})"
STEP = rf"{PREFIX}:pa:{_ATTEMPT}:(?P<step>again|solution|next)"
DAY = rf"{PREFIX}:pd:(?P<day>[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
PAGE = rf"{PREFIX}:pl:(?P<reader>[1-9][0-9]{{0,19}}):(?P<guild>[0-9]{{1,20}}):(?P<page>[1-9][0-9]{{0,5}})"

MORE = "more"
"""What a select says for its next page."""


class Step(enum.StrEnum):
    """What can be pressed under an attempt that is over."""

    AGAIN = "again"
    SOLUTION = "solution"
    NEXT = "next"


def move_id(attempt_id: int, turn: int, move: Move) -> str:
    return f"{PREFIX}:pm:{attempt_id}:{turn}:{move}"


def select_id(attempt_id: int, turn: int, page: int) -> str:
    return f"{PREFIX}:ps:{attempt_id}:{turn}:{page}"


def step_id(attempt_id: int, step: Step) -> str:
    return f"{PREFIX}:pa:{attempt_id}:{step}"


def day_id(day: date) -> str:
    return f"{PREFIX}:pd:{day.isoformat()}"


def page_id(reader_id: int, guild_id: int | None, page: int) -> str:
    """guild_id: None is everywhere."""
    return f"{PREFIX}:pl:{reader_id}:{guild_id or 0}:{page}"
