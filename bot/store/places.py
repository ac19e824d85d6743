"""Where a match, an invitation or a tournament is shown, as columns that each of their tables has."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from bot.domain.match import Place
from bot.store.schema import Values


def place_values(place: Place) -> Values:
    return {
        "guild_id": place.guild_id,
        "channel_id": place.channel_id,
        "message_id": place.message_id,
        "locale": place.locale,
    }


def place_of(row: sa.Row[Any]) -> Place:
    return Place(row.channel_id, row.guild_id, row.message_id, row.locale)
