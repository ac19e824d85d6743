"""Fixtures of the interface tests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.app import Discade
from tests.bot.made_once import make_database
from tests.bot.table import SkippingClock, Table, new_bot, seat_people


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return make_database(tmp_path / "discade.db")


@pytest.fixture
def clock() -> SkippingClock:
    return SkippingClock()


@pytest.fixture
async def simcord_bot(database: Path, clock: SkippingClock) -> Discade:
    """What simcord's own fixture `simcord_env` runs."""
    return new_bot(database, clock)


@pytest.fixture
async def table(
    simcord_env: Any, simcord_bot: Discade, database: Path, clock: SkippingClock
) -> AsyncIterator[Table]:
    seated = seat_people(simcord_env, simcord_bot, database, clock)
    yield seated
    await seated.bot.close()
