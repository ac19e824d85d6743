"""Routes of the buttons and menus of tournaments."""

from __future__ import annotations

import enum

from bot.ui.routing import ID, IdPart, number, route


class TournamentAction(enum.StrEnum):
    JOIN = "join"
    LEAVE = "leave"
    LEAVE_NOW = "leave-now"
    AGENTS = "agents"
    START = "start"
    STANDINGS = "standings"
    REMOVE = "remove"
    CANCEL = "cancel"
    CANCEL_NOW = "cancel-now"


ACTION = route("t", ID, IdPart("|".join(TournamentAction), TournamentAction))
ENTRANTS = route("tr", ID, number(1))
"""The menus of entrants to remove, counted from 0."""

AGENTS = route("ts", ID)
"""The menu of agents that take part."""
