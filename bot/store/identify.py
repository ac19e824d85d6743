"""Turns to identify at Discord, which limits identifies for all processes of a bot together.

Each of Discord's buckets (discord.com/developers, "Gateway", "Sharding for Large Bots") is an advisory
lock of PostgreSQL. The server drops it when its session ends, also when the process dies, and ends the
session after the turn itself, since a process that is cut off cannot.
"""

from __future__ import annotations

import asyncio

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from bot.store.postgres import CONNECT_SECONDS

IDENTIFY_SECONDS = 5.0
"""Discord's minimum between two identifies in one bucket."""

_LOCK_SPACE = 0x4449  # "DI", the first half of the lock's key


class IdentifyTurns:
    """seconds: how long a turn lasts."""

    def __init__(self, url: str, seconds: float = IDENTIFY_SECONDS) -> None:
        # The turn is a transaction that does nothing once it has the lock. This process ends it first.
        turn = {"idle_in_transaction_session_timeout": str(round((seconds + 1) * 1000))}
        self._engine = create_async_engine(
            url,
            poolclass=sa.NullPool,
            isolation_level="READ COMMITTED",
            connect_args={"timeout": CONNECT_SECONDS, "server_settings": turn},
        )
        self._seconds = seconds
        self._turns: set[asyncio.Task[None]] = set()

    async def wait(self, bucket: int) -> None:
        """Wait for this process's turn, which then lasts its seconds.

        discord.py limits the wait, and tries again after a ConnectionError.
        """
        connection = await self._engine.connect()
        try:
            await connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK_SPACE, bucket)))
        except sa.exc.DBAPIError as error:
            await asyncio.shield(connection.close())
            raise ConnectionError("the database gives no turn to identify") from error
        except BaseException:
            await asyncio.shield(connection.close())
            raise
        turn = asyncio.create_task(self._end(connection))
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)

    async def _end(self, connection: AsyncConnection) -> None:
        try:
            await asyncio.sleep(self._seconds)
        finally:
            await connection.close()

    async def close(self) -> None:
        for turn in self._turns:
            turn.cancel()
        await asyncio.gather(*self._turns, return_exceptions=True)
        await self._engine.dispose()
