"""Tests wait for the bot longer than simcord's own limit, for busy machines."""

from __future__ import annotations

import asyncio
import threading

from tests.bot.table import Table


async def test_a_start_that_takes_longer_than_simcord_allows_is_waited_for(table: Table) -> None:
    loop = asyncio.get_running_loop()
    is_there: asyncio.Future[None] = loop.create_future()

    async def start() -> None:
        await is_there

    with table.env._bot_scope():
        starting = asyncio.create_task(start())
    threading.Timer(0.3, lambda: loop.call_soon_threadsafe(is_there.set_result, None)).start()
    await table.env._settle_internal(timeout=0.05)
    assert starting.done()
