"""Matches, challenges, players and ratings in SQLite: tables, queries and migrations; knows no Discord."""

from bot.store.store import EVERYWHERE, Conflict, LeaderboardPage, Notice, RankedRecord, Store

__all__ = ["EVERYWHERE", "Conflict", "LeaderboardPage", "Notice", "RankedRecord", "Store"]
