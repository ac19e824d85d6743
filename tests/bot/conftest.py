"""Fixtures of the interface tests.

The bot is imported where a test asks for it: those of the rules alone begin in a third of the time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.bot.cluster import is_wanted

if TYPE_CHECKING:
    from bot.app import Discade
    from tests.bot.table import SkippingClock, Table


SETTLE_SECONDS = 30.0
"""How long the bot may take for what a person asked, on a machine that is busy with other things, too."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Busy machines get time; in the run on PostgreSQL, what is about SQLite's file is left out."""
    for item in items:
        item.add_marker(pytest.mark.simcord(settle_timeout=SETTLE_SECONDS))
    if is_wanted():
        for item in items:
            if item.get_closest_marker("sqlite"):
                item.add_marker(pytest.mark.skip(reason="about SQLite's file"))


@pytest.fixture
def database(tmp_path: Path) -> Path:
    from tests.bot.made_once import database_url

    database_url(file := tmp_path / "discade.db")
    return file


@pytest.fixture
def clock() -> SkippingClock:
    from tests.bot.table import SkippingClock

    return SkippingClock()


@pytest.fixture
async def simcord_bot(database: Path, clock: SkippingClock) -> Discade:
    """What simcord's own fixture `simcord_env` runs."""
    from tests.bot.table import new_bot

    return new_bot(database, clock)


@pytest.fixture
async def table(
    simcord_env: Any, simcord_bot: Discade, database: Path, clock: SkippingClock
) -> AsyncIterator[Table]:
    from tests.bot.table import seat_people

    seated = seat_people(simcord_env, simcord_bot, database, clock)
    yield seated
    await seated.bot.close()
