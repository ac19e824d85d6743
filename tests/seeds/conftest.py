"""The fixtures of the interface tests, for promises that are kept in Discord."""

from __future__ import annotations

from tests.bot.conftest import clock, database, own_table, simcord_bot, simcord_env, table
from tests.bot.shared_bot import pytest_collection_modifyitems, shared_bot, shared_env, shared_table

__all__ = [
    "clock",
    "database",
    "own_table",
    "pytest_collection_modifyitems",
    "shared_bot",
    "shared_env",
    "shared_table",
    "simcord_bot",
    "simcord_env",
    "table",
]
