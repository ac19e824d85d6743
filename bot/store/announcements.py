"""Announcements between processes that share one database: what was chosen anew, said as it is stored.

By PostgreSQL's LISTEN and NOTIFY; with SQLite there is one process, which knows.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import sqlalchemy as sa

from bot.store.lane import Connection

log = logging.getLogger(__name__)

CHANNEL = "discade_chosen"

STORE_RETRY_SECONDS = 1.0


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

    async def run(self) -> None:
        """Until it is cancelled."""
        while True:
            try:
                await self._listen()
            except Exception as error:  # noqa: BLE001 - whatever it is, it hears nothing until it tries again
                log.warning("what other processes announce cannot be heard for the moment: %s", error)
            await asyncio.sleep(STORE_RETRY_SECONDS)

    async def _listen(self) -> None:
        import asyncpg  # type: ignore[import-untyped]

        heard: asyncio.Queue[str | None] = asyncio.Queue()

        def on_notice(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
            heard.put_nowait(payload)

        def on_end(_connection: Any) -> None:
            heard.put_nowait(None)

        connection = await asyncpg.connect(self._address, timeout=10)
        try:
            connection.add_termination_listener(on_end)
            await connection.add_listener(CHANNEL, on_notice)
            await self._on_gap()
            while (payload := await heard.get()) is not None:
                table, number = payload.split()
                await self._on_change(table, int(number))
        finally:
            await asyncio.shield(connection.close(timeout=5))
