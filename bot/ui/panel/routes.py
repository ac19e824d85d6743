"""Routes of the start panel and help. The custom_ids of a panel's buttons hold its whole state."""

from __future__ import annotations

import enum

from bot.domain.panel_choices import Start
from bot.ui.routing import ID, IdPart, route


class Press(enum.StrEnum):
    """The controls of a panel. They are named, since two of them may lead to the same choice."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    BEST = "best"
    OWN = "own"
    AGAINST = "against"
    MODE = "mode"
    FIRST = "first"
    MORE = "more"
    FAIR = "fair"
    BACK = "back"
    BEGIN = "go"
    AGAIN = "again"
    PICK_GAME = "pick-game"
    PICK_LEVEL = "pick-level"
    PICK_FRIEND = "pick-friend"
    PICK_CLOCK = "pick-clock"


PANEL = route("st", IdPart("|".join(Press), Press), IdPart(Start.PATTERN, Start.read), family="start")
"""Control, the choices after the press; a select's own choice is not in its custom_id."""

RULES = route("su")
"""The menu of games whose rules are shown."""

MAKE_RATED = route("sr", ID)
"""A newcomer's first match: makes it rated, before its first move."""

LARGE_BOARDS = route("sl")
"""Makes the boards of the person that presses it pictures."""
