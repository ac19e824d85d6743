"""Fixtures for the tests of command and emoji sync: a Discord over HTTP, and the bot's stores."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from bot.store.stores import Stores
from tests.bot.http_discord import HttpDiscord, http_discord


@pytest.fixture
def far_discord(monkeypatch: pytest.MonkeyPatch) -> Iterator[HttpDiscord]:
    with http_discord(monkeypatch) as state:
        yield state


@pytest.fixture
async def stores(tmp_path: Path) -> AsyncIterator[Stores]:
    opened = await Stores.open(f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    yield opened
    await opened.close()
