"""Everything at once, for a few seconds."""

from __future__ import annotations

import logging

import pytest

from tests.bot.services.chaos import broken

pytestmark = pytest.mark.postgres


@pytest.mark.slow
async def test_interruptions_locks_and_restarts_lose_or_double_no_results(
    caplog: pytest.LogCaptureFixture,
) -> None:
    found, here = await broken(tasks=25, seconds=4.0, seed=3)
    assert found == []
    assert here.has_seen_enough
    unseen = [
        record for record in caplog.records if record.name == "asyncio" and record.levelno >= logging.ERROR
    ]
    assert unseen == [], "a task's error that nobody has seen"
