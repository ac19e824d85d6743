"""Matches, challenges, players and ratings in SQLite: tables, queries and migrations; knows no Discord."""

from bot.store.store import Conflict, LeaderboardPage, Notice, RankedRecord, Store

__all__ = ["Conflict", "LeaderboardPage", "Notice", "RankedRecord", "Store"]
