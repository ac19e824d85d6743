"""How many matches a person may have running at once, and how often they may leave rated ones early."""

from __future__ import annotations

import math
from datetime import datetime, timedelta

from bot.domain.errors import Markup, SetupError
from bot.domain.location import Location, Web
from bot.domain.person import Person
from bot.store.stores import Stores

MAX_RUNNING_MATCHES = 20
"""Of one person, whatever the game and the server."""

MAX_ON_WEB = 1000
"""The same on the web alone, where each touch of a new board begins one."""

FREE_LEAVINGS, WITHIN = 3, timedelta(days=7)
"""Rated matches that a person may leave within that time before both sides have moved twice."""

LEAVING_PAUSE = timedelta(hours=1)
"""How long a person who left another one begins no rated match."""


def most_running(location: Location) -> int:
    """Return how many matches a person may have running to begin one there."""
    return MAX_ON_WEB if isinstance(location, Web) else MAX_RUNNING_MATCHES


async def check_leaving(stores: Stores, person: Person, now: datetime) -> None:
    """Refuse a rated match for LEAVING_PAUSE after each one left early beyond the free ones.

    Raises SetupError.
    """
    left = await stores.matches.left_early(person.user_id, now - WITHIN, FREE_LEAVINGS + 1)
    if len(left) > FREE_LEAVINGS and now < (until := left[0].touched_at + LEAVING_PAUSE):
        when = math.ceil(until.timestamp())
        raise SetupError("left_too_often", limit=FREE_LEAVINGS, when=Markup(f"<t:{when}:R>"))
