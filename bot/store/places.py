"""Where a match, an invitation or a tournament is shown, as columns that each of their tables has."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bot.domain.match import Location
from bot.store.shared import Values

PLACE = ("guild_id", "channel_id", "message_id", "locale", "parent_id")


def check_ids(*ids: object) -> None:
    """SQLite would keep anything there; raises TypeError."""
    if not all(one is None or isinstance(one, int) for one in ids):
        raise TypeError("an id is no number")


def location_values(location: Location) -> Values:
    return {name: getattr(location, name) for name in PLACE}


def location_of(row: sa.Row[Any]) -> Location:
    """Raises TypeError for a damaged one."""
    check_ids(row.channel_id, row.guild_id, row.message_id, row.parent_id)
    return Location(row.channel_id, row.guild_id, row.message_id, row.locale, row.parent_id)
