"""Announcements between processes that share one database: what was chosen anew, said as it is stored.

By PostgreSQL's LISTEN and NOTIFY; with SQLite there is one process, which knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import sqlalchemy as sa

from bot.store.connection import Connection

log = logging.getLogger(__name__)

CHANNEL = "discade_chosen"

ANEW_SECONDS = 86_400.0
"""After a day it listens anew, if nothing has gone wrong before."""

RETRY_SECONDS = 1.0


async def announce(connection: Connection, table: str, number: int) -> None:
    """Says to all processes, if the transaction is kept, that this row of the table is another."""
    if connection.dialect.name == "postgresql":
        await connection.execute(sa.select(sa.func.pg_notify(CHANNEL, f"{table} {number}")))


class Listener:
    """Hears what others announce, on a connection of its own, for as long as it runs.

    on_change: is given table and number. on_gap: is called once it hears again what it could not for a while.
    """

    def __init__(
        self,
        url: str,
        on_change: Callable[[str, int], Awaitable[object]],
        on_gap: Callable[[], Awaitable[object]],
    ) -> None:
        self._address = sa.make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        self._on_change = on_change
        self._on_gap = on_gap
        self._one_by_one = asyncio.Lock()

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - whatever it is, it hears nothing until it tries again
                log.warning("what other processes announce cannot be heard for the moment: %s", error)
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self) -> None:
        import asyncpg  # type: ignore[import-untyped]

        connection = await asyncpg.connect(self._address, timeout=10)
        listening = asyncio.create_task(asyncio.sleep(ANEW_SECONDS))
        hearing: set[asyncio.Task[None]] = set()

        async def hear(payload: str) -> None:
            table, number = payload.split()
            try:
                async with self._one_by_one:
                    await self._on_change(table, int(number))
            except Exception as error:  # noqa: BLE001 - what was missed is read when it listens again
                log.warning("what another process announced could not be read: %s", error)
                listening.cancel()

        def on_notice(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
            task = asyncio.create_task(hear(payload))
            hearing.add(task)
            task.add_done_callback(hearing.discard)

        def on_end(_connection: Any) -> None:
            listening.cancel()

        try:
            connection.add_termination_listener(on_end)
            await connection.add_listener(CHANNEL, on_notice)
            await self._on_gap()
            await asyncio.wait([listening])
        finally:
            listening.cancel()
            await asyncio.shield(connection.close(timeout=5))
