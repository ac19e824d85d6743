"""Tests wait for the bot longer than simcord's own limit, for busy machines."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest
import sqlalchemy as sa

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


@pytest.mark.slow
async def test_time_that_is_long_in_sum_passes_also_where_the_bot_works_slowly(table: Table) -> None:
    async def work() -> None:
        while True:
            await table.bot.job_sleep(5)
            await asyncio.to_thread(time.sleep, 0.15)

    await table.let_messages_age(0)  # stops the bot's jobs, which take their time, too
    table.env.settle_timeout = 3.0
    with table.env._bot_scope():
        working = asyncio.create_task(work())
    before = table.env.now()
    await table.env.advance_time(120)
    assert (table.env.now() - before).total_seconds() >= 120
    working.cancel()


async def test_a_read_is_not_cut_off_because_the_simulated_clock_is_behind(table: Table) -> None:
    """The bot's `time.monotonic` is simulated; that of the connection's thread is not."""
    numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 20000)"
    with table.env._bot_scope():
        async with table.bot.parts.stores.database.reading() as connection:
            counted = await connection.execute(sa.text(f"{numbers} SELECT count(*) FROM n"))
    assert counted.scalar_one() == 20_000
