"""What can be pressed to start playing, as custom_ids say it: a panel's whole state stands in its buttons."""

from __future__ import annotations

import enum

from bot.domain.start_choices import Start
from bot.ui.routing import ID, Part, route


class Press(enum.StrEnum):
    """Which control of a panel was pressed; two of them may lead to the same choice."""

    GAME = "game"
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"
    BEST = "best"
    AGAINST = "against"
    MODE = "mode"
    FIRST = "first"
    MORE_LEVELS = "more"
    TERMS = "terms"
    FAIR = "fair"
    BACK = "back"
    BEGIN = "go"
    AGAIN = "again"
    PICK_GAME = "pick-game"
    PICK_LEVEL = "pick-level"
    PICK_FRIEND = "pick-friend"
    PICK_CLOCK = "pick-clock"


PANEL = route("st", Part("|".join(Press), Press), Part(Start.PATTERN, Start.read), family="start")
"""What was pressed, and what is chosen then; what a select changes, it says itself."""

MAKE_RATED = route("sr", ID)
"""A first match, which is casual unless this is pressed before its first move."""
