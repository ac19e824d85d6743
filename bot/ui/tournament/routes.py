"""What can be pressed under tournaments, as custom_ids say it."""

from __future__ import annotations

import enum

from bot.ui.routing import ID, Part, route


class TournamentAction(enum.StrEnum):
    JOIN = "join"
    LEAVE = "leave"
    LEAVE_NOW = "leave-now"
    AGENTS = "agents"
    START = "start"
    STANDINGS = "standings"


ACTION = route("t", ID, Part("|".join(TournamentAction), TournamentAction))
AGENTS = route("ts", ID)
"""The menu of which agents take part."""
