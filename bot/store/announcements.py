"""Announcements of changed rows between processes on one PostgreSQL, by LISTEN and NOTIFY.

With SQLite there is one process, and nothing to announce.
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

RECONNECT_SECONDS = 86_400.0
"""The listening connection is replaced once a day."""

RETRY_SECONDS = 1.0


async def announce(connection: Connection, table: str, number: int) -> None:
    """Tell all processes, when the transaction commits, that this row of the table has changed."""
    if connection.dialect.name == "postgresql":
        await connection.execute(sa.select(sa.func.pg_notify(CHANNEL, f"{table} {number}")))


class Listener:
    """Receives announcements on a connection of its own.

    on_change: called with table and number. on_gap: called after each new connection, since announcements may
    have been missed before it.
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
        """Listen until cancelled."""
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - whatever it is, a new connection is tried
                log.warning("connection for announcements lost, retrying: %s", error)
            await asyncio.sleep(RETRY_SECONDS)

    async def _listen(self) -> None:
        import asyncpg

        # Its one statement lasts as long as the connection, and needs no timer that forgets it.
        connection = await asyncpg.connect(self._address, timeout=10, max_cached_statement_lifetime=0)
        listening = asyncio.create_task(asyncio.sleep(RECONNECT_SECONDS))
        hearing: set[asyncio.Task[None]] = set()

        async def hear(payload: str) -> None:
            table, number = payload.split()
            try:
                async with self._one_by_one:
                    await self._on_change(table, int(number))
            except Exception as error:  # noqa: BLE001 - a new connection reads everything again
                log.warning("announced row could not be read, reconnecting: %s", error)
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
