"""Counts a match in the transaction that ends it."""

from __future__ import annotations

from bot.domain.match import Match, RatingChange
from bot.store.achievements import count_achievements
from bot.store.connection import Connection
from bot.store.rating_shares import read_share
from bot.store.ratings import read_records, store_ratings


async def count_ending(connection: Connection, match: Match) -> tuple[RatingChange, ...]:
    """Count a match that has just ended; return the changes of both ratings, or () if it does not count."""
    changes = await count_ratings(connection, match) if match.counts else ()
    await count_achievements(connection, match)
    return changes


async def count_ratings(connection: Connection, match: Match) -> tuple[RatingChange, ...]:
    """Rate both players in every scope and season of the match; matches are counted as they end."""
    before = await read_records(connection, match)
    share = await read_share(connection, match, before.points)
    return await store_ratings(connection, match, before, share)
