"""What is counted when a match ends, in the very transaction that ends it: all of it once, or none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sqlalchemy.ext.asyncio import AsyncConnection

from bot.match import Match
from bot.store.ratings import count_rating

Ending = Callable[[AsyncConnection, Match], Awaitable[None]]

ENDINGS: tuple[Ending, ...] = (count_rating,)
"""Called in this order with the match that has just ended, as it is stored."""


async def count_ending(connection: AsyncConnection, match: Match) -> None:
    for count in ENDINGS:
        await count(connection, match)
