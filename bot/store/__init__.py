"""What Discade remembers, in SQLite: tables, queries and migrations; knows no Discord."""

from bot.store.queries import Conflict
from bot.store.ratings import EVERYWHERE, LeaderboardPage, RankedRecord, RatingStore
from bot.store.schema import metadata
from bot.store.store import Notice, Store

__all__ = [
    "EVERYWHERE",
    "Conflict",
    "LeaderboardPage",
    "Notice",
    "RankedRecord",
    "RatingStore",
    "Store",
    "metadata",
]
