"""How many matches a person may have running at once."""

from __future__ import annotations

from bot.domain.errors import SetupError
from bot.services.start_options import Person
from bot.store.stores import Stores

MAX_RUNNING_MATCHES = 20
"""Of one person, whatever the game and the server."""


async def check_running_matches(stores: Stores, person: Person) -> None:
    """Refuse a person with MAX_RUNNING_MATCHES; raises SetupError."""
    if await stores.matches.count_running(person.user_id) >= MAX_RUNNING_MATCHES:
        raise SetupError("too_many_matches", limit=MAX_RUNNING_MATCHES)
