"""A SQLite file through SQLAlchemy and aiosqlite: its engines, settings and migration.

One connection writes, because SQLite has one writer, and two writing connections in WAL mode were unsafe
before SQLite 3.51.3 (sqlite.org, "Write-Ahead Logging", section "The WAL-reset bug"). The others only read:
in WAL mode a reader waits for no writer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import aiosqlite
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from bot.store.backup import before_migration
from bot.store.group_commit import GroupCommit, busy_timeout
from bot.store.versions import (
    Unusable,
    check_file,
    check_known,
    check_writable,
    file_of,
    migrate,
    name_of,
    revision_in,
)

log = logging.getLogger(__name__)

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # A committed move must survive a power cut, not only a killed process.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # Deleted rows are overwritten, since they may be about a person.
    "PRAGMA secure_delete = ON",
)

READER_BUSY_SECONDS = 5.0
"""How long a reader waits for a lock; in WAL mode it needs one only beside recovery."""

FETCHED_ROWS = 64
"""Rows that aiosqlite fetches in one trip when it iterates over a cursor."""

_STEPS = 20_000
"""Steps of SQLite's virtual machine between two checks of the time limit: about a millisecond."""


async def open_writer(url: str, busy_seconds: float) -> GroupCommit:
    """The connection that writes to `url`, its tables made or migrated; raises Unusable."""
    file = file_of(url)
    if file is not None:
        check_file(file)
        check_writable(file)
        _keep_private(file)
    # Taking the write lock at once means that a transaction never fails half-way for want of it.
    engine = _engine(sa.make_url(url), "BEGIN IMMEDIATE", (*_PRAGMAS, busy_timeout(busy_seconds)))
    connection = await engine.connect()
    writer = GroupCommit(connection, busy_seconds, file)
    try:
        async with writer.transaction():
            stored = await connection.run_sync(revision_in)
            if stored is None and await connection.scalar(sa.text("SELECT count(*) FROM sqlite_master")):
                raise Unusable(
                    f"{name_of(url)} is no database of Discade: let DATABASE_URL name another file."
                )
            newest = check_known(stored, name_of(url)) if stored is not None else None
            if stored is None or stored != newest:
                async with _copied(file if newest else None, newest):
                    await connection.run_sync(migrate)
    except BaseException:
        await writer.close()
        raise
    return writer


def reader_of(url: str, connections: int, query_seconds: float | None = None) -> AsyncEngine:
    """Connections that only read the file. query_seconds: the limit of one statement."""
    address = sa.make_url(url)
    path = Path(address.database or "").resolve().as_uri()
    address = address.set(database=path).update_query_dict({"mode": "ro", "uri": "true"})
    engine = _engine(address, "BEGIN", (busy_timeout(READER_BUSY_SECONDS),), connections)
    if query_seconds is not None:
        _limit_statements(engine, query_seconds)
    return engine


class _Connection(aiosqlite.Connection):
    """aiosqlite's connection, whose cursors begin and end without a trip to its thread.

    SQLAlchemy makes a cursor for each statement: an UPDATE would take three trips instead of one.
    """

    def cursor(self) -> Any:
        return _Cursor(self, self._conn.cursor())


class _Cursor(aiosqlite.Cursor):
    async def close(self) -> None:
        self._cursor.close()


def _engine(address: sa.URL, begin: str, pragmas: tuple[str, ...], connections: int = 1) -> AsyncEngine:
    """An engine whose transactions start with `begin`."""

    async def connect() -> aiosqlite.Connection:
        arguments, options = engine.dialect.create_connect_args(address)
        # The driver itself opens no transaction (SQLAlchemy's documentation of SQLite, "Enabling Non-Legacy
        # SQLite Transactional Modes"). Cursors are made in one thread, and used in another.
        options.update(isolation_level=None, check_same_thread=False)
        connection = _Connection(partial(sqlite3.connect, *arguments, **options), FETCHED_ROWS)
        connection._thread.daemon = True  # as SQLAlchemy has it: a statement that hangs does not keep the bot
        return await connection

    pool = {} if address.database in (None, "", ":memory:") else {"pool_size": connections, "max_overflow": 0}
    engine = create_async_engine(address, async_creator=connect, **pool)

    @sa.event.listens_for(engine.sync_engine, "connect")
    def set_pragmas(raw: Any, _record: Any) -> None:
        try:
            cursor = raw.cursor()
            for pragma in pragmas:
                cursor.execute(pragma)
            cursor.close()
        except BaseException:
            raw.close()  # SQLAlchemy does not know it yet
            raise

    @sa.event.listens_for(engine.sync_engine, "begin")
    def start_transaction(connection: sa.Connection) -> None:
        connection.exec_driver_sql(begin)

    return engine


def _limit_statements(engine: AsyncEngine, seconds: float) -> None:
    """Interrupt statements that take longer: SQLite itself has no limit.

    By a clock that is the same in both threads: simcord's simulated `time.monotonic` is not.
    """

    @sa.event.listens_for(engine.sync_engine, "connect")
    def watch(raw: Any, record: Any) -> None:
        record.info["deadline"] = float("inf")
        raw.run_async(
            lambda driver: driver.set_progress_handler(
                lambda: time.perf_counter() > record.info["deadline"], _STEPS
            )
        )

    @sa.event.listens_for(engine.sync_engine, "before_cursor_execute")
    def set_deadline(connection: sa.Connection, *_rest: Any) -> None:
        connection.info["deadline"] = time.perf_counter() + seconds


def _keep_private(file: Path) -> None:
    """Let only its owner read the file; SQLite gives its log the same rights."""
    # SQLite reports a file that cannot be opened.
    with contextlib.suppress(OSError):
        # One that exists is not opened here: closing it would drop what locks this process has on it.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
            with contextlib.suppress(FileNotFoundError):
                file.with_name(name).chmod(0o600)


@contextlib.asynccontextmanager
async def _copied(file: Path | None, newest: str | None) -> AsyncIterator[None]:
    """Back up a file of an older version while the block migrates it: its readers see the committed state."""
    if file is None or newest is None:
        yield
        return
    log.info("migrating the database, after a backup of it (%.0f MB)", file.stat().st_size / 1e6)
    copying = asyncio.create_task(asyncio.to_thread(before_migration, file, newest))
    try:
        yield
    finally:
        made = await copying
    log.info("the backup from before the migration is %s", made)
