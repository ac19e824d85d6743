"""Routes of the start panel and help. The custom_ids of a panel's buttons hold its whole state."""

from __future__ import annotations

import enum

from bot.domain.panel_choices import Start
from bot.ui.routing import ID, IdPart, route


class Press(enum.StrEnum):
    """The controls of a panel. They are named, since two of them may lead to the same choice."""

    COACH = "coach"
    RATED = "rated"
    MORE = "more"
    BACK = "back"
    BEGIN = "go"
    AGAIN = "again"
    PICK_GAME = "pick-game"
    PICK_OPPONENT = "pick-opponent"
    PICK_LEVEL = "pick-level"
    PICK_ALGORITHM = "pick-algorithm"
    PICK_FRIEND = "pick-friend"
    PICK_FIRST = "pick-first"
    PICK_FAIR = "pick-fair"
    PICK_CLOCK = "pick-clock"
    PICK_RIVAL = "pick-rival"


PANEL = route("st", IdPart("|".join(Press), Press), IdPart(Start.PATTERN, Start.read), family="start")
"""Control, the choices after the press; a select's own choice is not in its custom_id."""

RULES = route("su")
"""The menu of games whose rules are shown."""

MAKE_RATED = route("sr", ID)
"""A newcomer's first match: makes it rated, before its first move."""

LARGE_BOARDS = route("sl")
"""Makes the boards of the person that presses it pictures."""
