"""Group commit: the one connection that writes to SQLite, and changes that share a transaction.

A commit waits for the disk far longer than a change takes to make. So changes that arrive while the
connection is busy are stored together by the next commit.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.connection import Work
from bot.store.database_errors import is_locked, is_transient

T = TypeVar("T")

MOST_TOGETHER = 64
"""Changes in one transaction, which bounds how long each waits for the others."""


@dataclass(frozen=True, slots=True, eq=False)
class _QueuedChange:
    work: Work[Any]
    future: asyncio.Future[Any]
    queued_at: float

    def succeed(self, result: Any) -> None:
        if not self.future.done():  # as it is when its caller was cancelled
            self.future.set_result(result)

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            self.future.set_exception(error)


class GroupCommit:
    """Writes through one connection, which nothing else may use."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._lock = asyncio.Lock()
        self._queue: list[_QueuedChange] = []
        self._committing: asyncio.Task[None] | None = None
        self._locked: tuple[float, sa.exc.OperationalError] | None = None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Commit the changes of the block, or none if it raises."""
        began_at = time.monotonic()
        async with self._lock:
            if (error := self._locked_since(began_at)) is not None:
                raise error
            async with self._begun() as connection:
                yield connection

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:  # noqa: ARG002 - PostgreSQL's
        """Return what `work` returns, once its changes are committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append(_QueuedChange(work, future, time.monotonic()))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_queue())
        return await future

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file and truncate it, unless a reader still needs it."""
        async with self._lock:
            driver = (await self._connection.get_raw_connection()).driver_connection
            await (await driver.execute("PRAGMA wal_checkpoint(TRUNCATE)")).close()  # type: ignore[union-attr]

    async def close(self) -> None:
        async with self._lock:
            await self._connection.close()
            await self._connection.engine.dispose()

    async def _commit_queue(self) -> None:
        try:
            while self._queue:
                async with self._lock:
                    # Taken only now, so that changes made while another transaction held the lock share it.
                    batch, self._queue = self._queue[:MOST_TOGETHER], self._queue[MOST_TOGETHER:]
                    for change in batch:
                        if (error := self._locked_since(change.queued_at)) is not None:
                            change.fail(error)
                    await self._commit([change for change in batch if not change.future.done()])
        finally:
            self._committing = None

    async def _commit(self, batch: list[_QueuedChange]) -> None:
        """Make the changes in one transaction, and again without one that fails."""
        while batch:
            failed: _QueuedChange | None = None
            results = {}
            try:
                async with self._begun() as connection:
                    for change in batch:
                        failed = change
                        results[change] = await change.work(connection)
                    failed = None
            except Exception as error:  # noqa: BLE001 - the callers get it
                refused = batch if failed is None or is_transient(error) else [failed]
                for change in refused:
                    change.fail(error)
                batch = [change for change in batch if change not in refused]
                continue
            # Only now is everything on the disk.
            for change, result in results.items():
                change.succeed(result)
            return

    @asynccontextmanager
    async def _begun(self) -> AsyncIterator[AsyncConnection]:
        """A transaction on the connection, whose lock is held."""
        try:
            await self._connection.begin()
        except sa.exc.OperationalError as error:
            if is_locked(error):
                self._locked = time.monotonic(), error
            raise
        try:
            yield self._connection
            await self._connection.commit()
        except BaseException:
            await self._connection.rollback()
            # After a failed commit it is still open in SQLite, though SQLAlchemy calls it ended.
            driver = (await self._connection.get_raw_connection()).driver_connection
            await driver.rollback()  # type: ignore[union-attr]
            raise

    def _locked_since(self, moment: float) -> sa.exc.OperationalError | None:
        """The error of a transaction that found the file locked after that moment.

        If each in the queue waited for the lock in turn, people would get no answer before Discord gives up.
        """
        if self._locked is None or self._locked[0] <= moment:
            return None
        found = self._locked[1]
        return sa.exc.OperationalError(found.statement, None, found.orig or found)
