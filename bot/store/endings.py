"""What is counted when a match ends, in the very transaction that ends it: all of it once, or none."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.match import Match
from bot.store.achievements import count_achievements
from bot.store.matches import Ending
from bot.store.ratings import count_rating
from bot.store.seasons import count_season

ENDINGS: tuple[Ending, ...] = (count_rating, count_season, count_achievements)
"""Called in this order with the match that has just ended, as it is stored."""


async def count_ending(connection: AsyncConnection, match: Match) -> None:
    for count in ENDINGS:
        await count(connection, match)
