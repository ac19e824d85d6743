"""Fixtures of the services' tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.sittings import Sitting, sitting


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The path of the database."""
    return tmp_path / "discade.db"


@pytest.fixture
async def table(file: Path) -> AsyncIterator[Sitting]:
    """The services on a new database, instead of the bot in the simulated Discord."""
    async with sitting(file) as made:
        yield made
