"""The local Discord for discord.py in the tests' own process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import discord
import pytest

from tests.discord_server.server import API, FakeDiscord

T = TypeVar("T")


def ask_here(server: FakeDiscord, monkeypatch: pytest.MonkeyPatch) -> None:
    """Send whatever discord.py asks to this server, until the end of the test."""
    monkeypatch.setattr(discord.http.Route, "BASE", f"{server.url}/1{API}")


@contextmanager
def beside(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeDiscord]:
    """A local Discord in a thread of its own, for programs that run their own event loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    def there(doing: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(doing, loop).result()

    server = FakeDiscord()
    there(server.__aenter__())
    ask_here(server, monkeypatch)
    try:
        yield server
    finally:
        there(server.__aexit__())
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
