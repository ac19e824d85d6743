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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests of SQLite's file in a run on PostgreSQL."""
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
    """What `simcord_env` runs."""
    from tests.bot.table import new_bot

    return new_bot(database, clock)


@pytest.fixture
async def simcord_env(simcord_bot: Discade) -> AsyncIterator[Any]:
    """As simcord's own fixture, with time for a bot that starts on a busy machine."""
    from tests.bot.patience import PatientEnv

    env = PatientEnv(simcord_bot)
    await env.start()
    yield env
    await env.shutdown()
    env._raise_errors_since(env._errors_acknowledged)


@pytest.fixture
async def own_table(
    simcord_env: Any, simcord_bot: Discade, database: Path, clock: SkippingClock
) -> AsyncIterator[Table]:
    from tests.bot.table import seat_people

    seated = seat_people(simcord_env, simcord_bot, database, clock)
    yield seated
    await seated.bot.close()


@pytest.fixture
def table(own_table: Table) -> Table:
    """As `own_table`, with a bot of its own, unless the tests of the module share one."""
    return own_table
