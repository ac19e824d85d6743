"""Fixtures of the interface tests.

The bot is imported where a test asks for it: those of the rules alone begin in a third of the time.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from bot.app import Discade
    from tests.bot.table import SkippingClock, Table


@pytest.fixture
def database(tmp_path: Path) -> Path:
    from tests.bot.made_once import make_database

    return make_database(tmp_path / "discade.db")


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
