"""Fixtures for the tests of command and emoji sync: the local Discord, and the bot's stores."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.store.stores import Stores
from tests.bot.made_once import database_url
from tests.discord_server import FakeDiscord
from tests.discord_server.here import ask_here


@pytest.fixture
async def far_discord(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FakeDiscord]:
    async with FakeDiscord() as server:
        ask_here(server, monkeypatch)
        yield server


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    opened = await Stores.open(database_url(tmp_path / "discade.db"))
    yield opened
    await opened.close()
