"""The communities that are measured: as the bot would have stored them, and how much room a match takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.community import make
from bot.store.check import Checker
from bot.store.stores import Stores

MATCHES, RUNNING = 2_000, 50

pytestmark = pytest.mark.sqlite


async def faults_of(file: Path) -> tuple[str, ...]:
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    try:
        return (await Checker(stores.database).check()).problems
    finally:
        await stores.close()


@pytest.mark.slow
async def test_a_match_takes_a_kilobyte_and_a_community_has_no_fault(
    tmp_path: Path,
) -> None:
    empty, file = tmp_path / "empty.db", tmp_path / "community.db"
    await (await Stores.open(f"sqlite+aiosqlite:///{empty}")).close()
    await make(file, MATCHES // 2, MATCHES, RUNNING)

    assert (file.stat().st_size - empty.stat().st_size) / (MATCHES + RUNNING) < 1_000
    assert await faults_of(file) == ()
