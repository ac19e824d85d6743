"""The real `python -m bot` in a process of its own at the local Discord, for tests on busy machines."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.discord_server import BotProcess, FakeDiscord, online
from tests.working import MAX_TEST_WAIT_SECONDS

PATIENCE = str(MAX_TEST_WAIT_SECONDS / 2)
"""How long the bot works on an answer before it promises one."""


@asynccontextmanager
async def live_bot(**env: str) -> AsyncIterator[tuple[FakeDiscord, BotProcess]]:
    """Run the bot until the block ends; an answer may take longer than at Discord."""
    async with (
        FakeDiscord(ack_seconds=MAX_TEST_WAIT_SECONDS) as server,
        online(server, **{"DISCADE_EMOJI": "off", "DISCORD_PATIENCE_SECONDS": PATIENCE, **env}) as bot,
    ):
        yield server, bot
