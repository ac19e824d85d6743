"""Counts a match in the transaction that ends it, and notes that its voters are to be named."""

from __future__ import annotations

from bot.domain.location import Channel
from bot.domain.match import Match, RatingChange
from bot.domain.outgoing import VOTE_RESULT, Fate, Outgoing, place_of
from bot.store.achievements import count_achievements
from bot.store.connection import Connection
from bot.store.outgoing import claim
from bot.store.rating_shares import read_share
from bot.store.ratings import read_records, store_ratings


async def count_ending(connection: Connection, match: Match) -> tuple[RatingChange, ...]:
    """Count a match that has just ended; return the changes of both ratings, or () if it does not count."""
    changes = await count_ratings(connection, match) if match.counts else ()
    await count_achievements(connection, match)
    is_judged = match.is_voted and match.timed_moves and match.result is not None and match.result.counts
    if is_judged and isinstance(place := match.location, Channel):
        # With the end: a process that died between the two would never name the voters.
        told = place_of(place), None, "", Fate.SENDING, match.touched_at
        await claim(connection, Outgoing(VOTE_RESULT, match.id, match.turn, *told))
    return changes


async def count_ratings(connection: Connection, match: Match) -> tuple[RatingChange, ...]:
    """Rate both players in every scope and season of the match; matches are counted as they end."""
    before = await read_records(connection, match)
    share = await read_share(connection, match, before.points)
    return await store_ratings(connection, match, before, share)
