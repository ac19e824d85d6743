"""What is counted when a match ends, in the very transaction that ends it: all of it once, or none."""

from __future__ import annotations

from bot.domain.match import Match, RatingChange
from bot.store.achievements import count_achievements
from bot.store.connection import Connection
from bot.store.rating_shares import stored_share
from bot.store.ratings import count_rating
from bot.store.seasons import count_season


async def count_ending(connection: Connection, match: Match) -> tuple[RatingChange, ...]:
    """Counts the match that has just ended, as it is stored; one that is not rated counts nowhere.

    Returns what it made of both sides' ratings.
    """
    if not match.counts:
        return ()
    share = await stored_share(connection, match)
    changes = await count_rating(connection, match, share)
    await count_season(connection, match, share)
    await count_achievements(connection, match)
    return changes
