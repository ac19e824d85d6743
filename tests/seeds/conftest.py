"""The fixtures of the interface tests, for promises that are kept in Discord."""

from __future__ import annotations

from tests.bot.conftest import clock, database, simcord_bot, simcord_env, table

__all__ = ["clock", "database", "simcord_bot", "simcord_env", "table"]
