"""The tests of the interface share a bot in each module: its start takes longer than most of them."""

from __future__ import annotations

import pytest

from tests.bot.shared_bot import pytest_collection_modifyitems, shared_bot, shared_env, shared_table
from tests.bot.table import Table

__all__ = ["pytest_collection_modifyitems", "shared_bot", "shared_env", "shared_table"]


@pytest.fixture
def table(shared_table: Table) -> Table:
    return shared_table
