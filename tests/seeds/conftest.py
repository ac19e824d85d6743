"""The fixtures of the interface tests, for promises that are kept in Discord."""

from __future__ import annotations

from tests.bot.conftest import clock, database, simcord_bot, table

__all__ = ["clock", "database", "simcord_bot", "table"]
