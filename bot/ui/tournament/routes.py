"""Routes of the buttons and menus of tournaments."""

from __future__ import annotations

import enum

from bot.ui.routing import ID, IdPart, route


class TournamentAction(enum.StrEnum):
    JOIN = "join"
    LEAVE = "leave"
    LEAVE_NOW = "leave-now"
    AGENTS = "agents"
    START = "start"
    STANDINGS = "standings"


ACTION = route("t", ID, IdPart("|".join(TournamentAction), TournamentAction))
AGENTS = route("ts", ID)
"""The menu of agents that take part."""
