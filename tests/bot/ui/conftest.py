"""A bot that tests share: its start takes longer than most of them."""

from __future__ import annotations

from tests.bot.shared_bot import pytest_collection_modifyitems, shared_bot, shared_env, shared_table

__all__ = ["pytest_collection_modifyitems", "shared_bot", "shared_env", "shared_table"]
