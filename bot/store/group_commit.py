"""Group commit: the one connection that writes to SQLite, and changes that share a transaction.

A commit waits for the disk far longer than a change takes to make. So changes that arrive while the
connection is busy are stored together by the next commit.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.errors import Unavailable
from bot.store.connection import Work
from bot.store.database_errors import is_locked, is_transient

log = logging.getLogger(__name__)

T = TypeVar("T")

BRIEF_SECONDS = 0.25
"""How long a change waits for a file that was locked the last time.

Changes of one match come one after another: if each waited in full, the second press of two would be answered
after Discord gives up.
"""

MOST_TOGETHER = 64
"""Changes in one transaction, which bounds how long each waits for the others."""


@dataclass(frozen=True, slots=True, eq=False)
class _QueuedChange:
    work: Work[Any]
    future: asyncio.Future[Any]


class GroupCommit:
    """Writes through one connection, which nothing else may use.

    busy_seconds: how long it waits where another program has locked the file. file: the database's; None in
    memory.
    """

    def __init__(self, connection: AsyncConnection, busy_seconds: float, file: Path | None = None) -> None:
        self._connection = connection
        self._busy_seconds = busy_seconds
        self._is_brief = False
        # SQLite has its log beside the file itself, where `file` is a link to it.
        self._files: tuple[Path, ...] = () if file is None else (file, Path(f"{os.path.realpath(file)}-wal"))
        self._ids: dict[Path, tuple[int, int]] = {}
        self._is_gone = False
        self._lock = asyncio.Lock()
        self._queue: list[_QueuedChange] = []
        self._committing: asyncio.Task[None] | None = None
        self._locked: tuple[float, sa.exc.OperationalError] | None = None

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """Commit the changes of the block, or none if it raises."""
        began_at = time.monotonic()
        async with self._lock:
            if self._locked is not None and self._locked[0] > began_at:
                raise self._locked[1]
            async with self._begun() as connection:
                yield connection

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:  # noqa: ARG002 - PostgreSQL's
        """Return what `work` returns, once its changes are committed."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._queue.append(_QueuedChange(work, future))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_queue())
        return await future

    async def checkpoint(self) -> None:
        """Move the write-ahead log into the file and truncate it, unless a reader still needs it."""
        async with self._lock:
            await self._checkpoint()

    async def close(self) -> None:
        async with self._lock:
            await self._connection.close()
            await self._connection.engine.dispose()

    async def _commit_queue(self) -> None:
        """Commit the queued changes, many in one transaction, and again without one that fails."""
        try:
            while self._queue:
                async with self._lock:
                    # Taken only now, so that changes made while another transaction held the lock share it.
                    batch, self._queue = self._queue[:MOST_TOGETHER], self._queue[MOST_TOGETHER:]
                    if not batch:  # refused meanwhile, since the file is locked: no second wait for it
                        continue
                    results: list[Any] = []
                    failing = batch
                    try:
                        async with self._begun() as connection:
                            for change in batch:
                                failing = [change]
                                results.append(await change.work(connection))
                            failing = batch
                    except Exception as error:  # noqa: BLE001 - the callers get it
                        refused = batch if is_transient(error) else failing
                        _refuse(refused, error)
                        self._queue[:0] = [change for change in batch if change not in refused]
                        continue
                # Only now is everything on the disk.
                for change, result in zip(batch, results, strict=True):
                    if not change.future.done():  # as it is when its caller was cancelled
                        change.future.set_result(result)
        finally:
            self._committing = None

    @asynccontextmanager
    async def _begun(self) -> AsyncIterator[AsyncConnection]:
        """A transaction on the connection, whose lock is held."""
        lost = self._lost_file()
        if lost is not None:
            await self._refuse_without(lost)
        self._is_gone = False
        try:
            await self._connection.begin()
        except sa.exc.OperationalError as error:
            if is_locked(error):
                # If each waited for the file in turn, people would get no answer before Discord gives up.
                self._locked = time.monotonic(), error
                waiting, self._queue = self._queue, []
                _refuse(waiting, error)
                await self._wait_briefly(is_brief=True)
            raise
        try:
            if self._is_brief:
                await self._wait_briefly(is_brief=False)
            self._lost_file()  # notes the log, which the first transaction makes
            yield self._connection
            await self._connection.commit()
        except BaseException:
            await self._connection.rollback()
            # After a failed commit it is still open in SQLite, though SQLAlchemy calls it ended.
            driver = (await self._connection.get_raw_connection()).driver_connection
            await driver.rollback()  # type: ignore[union-attr]
            raise

    async def _wait_briefly(self, *, is_brief: bool) -> None:
        """Let the next transactions wait less for a locked file, or as long as usual."""
        if is_brief is not self._is_brief:
            seconds = min(BRIEF_SECONDS, self._busy_seconds) if is_brief else self._busy_seconds
            await self._tell(busy_timeout(seconds))
            self._is_brief = is_brief

    async def _checkpoint(self) -> None:
        await self._tell("PRAGMA wal_checkpoint(TRUNCATE)")

    async def _tell(self, pragma: str) -> None:
        """Run the pragma without a transaction of SQLAlchemy's."""
        driver = (await self._connection.get_raw_connection()).driver_connection
        await (await driver.execute(pragma)).close()  # type: ignore[union-attr]

    def _lost_file(self) -> Path | None:
        """Return the file that was moved or deleted: SQLite would write on into nothing."""
        for file in self._files:
            try:
                status = file.stat()
            except OSError:
                if file == self._files[0] or file in self._ids:
                    return file
            else:
                file_id = status.st_dev, status.st_ino  # which renaming does not change
                if self._ids.setdefault(file, file_id) != file_id:
                    return file
        return None

    async def _refuse_without(self, lost: Path) -> NoReturn:
        """Raise Unavailable, and say so in the log, once."""
        advice = "put it back, or end the bot and restore a backup"
        if lost != self._files[0]:
            # SQLite still has the deleted log open: its moves come into the file before a kill loses them.
            await self._checkpoint()
            advice = "its moves are saved; put it back, or restart the bot"
        if not self._is_gone:
            log.error("%s was moved or deleted: %s", lost, advice)
        self._is_gone = True
        raise Unavailable("database_unavailable")


def busy_timeout(seconds: float) -> str:
    """Return the pragma with which SQLite waits so long for a lock."""
    return f"PRAGMA busy_timeout = {round(seconds * 1000)}"


def _refuse(changes: Iterable[_QueuedChange], error: Exception) -> None:
    for change in changes:
        if not change.future.done():
            change.future.set_exception(error)
