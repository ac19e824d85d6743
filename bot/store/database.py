"""The database behind SQLAlchemy: how it is opened, brought up to date, written safely and read at once.

That is one SQLite file, or PostgreSQL (`bot.store.postgres`). With SQLite one connection writes, because
SQLite has one writer, and two writing connections in WAL mode were unsafe before SQLite 3.51.3 (sqlite.org,
"Write-Ahead Logging", section "The WAL-reset bug"). A few others only read: in WAL mode nobody who reads
waits for the writer, nor for who else reads.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.domain.errors import Refusal, Unavailable
from bot.store import postgres
from bot.store.backup import before_migration
from bot.store.shared import Conflict
from bot.store.versions import (
    BUSY_SECONDS,
    Unusable,
    check_known,
    existing_file,
    file_of,
    migrate,
    name_of,
    revision_in,
    usable,
)

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # A committed move must survive a power cut, not only a killed process.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    # What is deleted is overwritten, since it may be about a person.
    "PRAGMA secure_delete = ON",
)


READERS = 3
"""Connections that only read, so that a slow question of one person keeps nobody else waiting."""

QUERY_SECONDS = 4.0
"""How long one question may take; SQLite then gives it up."""

_PASSING = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
"""What SQLite complains of for a while, through no mistake of ours (sqlite.org, "Result and Error Codes")."""

_STEPS = 20_000
"""Steps of SQLite's virtual machine between two looks at the clock: about a millisecond."""


class Database:
    """The connections of a process, shared by the stores: one that writes, and a few that read.

    reader: connections that only read; without them the one that writes reads, too. url: None in memory.
    """

    def __init__(
        self, engine: AsyncEngine, reader: AsyncEngine | None = None, *, url: str | None = None
    ) -> None:
        self.url = url
        self._engine = engine
        self._reader = reader or engine
        self.under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(
        cls, url: str, *, busy_seconds: float = BUSY_SECONDS, query_seconds: float = QUERY_SECONDS
    ) -> Self:
        """The database at `url`, its tables made or migrated to this version's; raises Unusable."""
        if postgres.is_postgres(url):
            with _reachable(url):
                writer = await _open_postgres(url, busy_seconds)
            return cls(
                writer, postgres.reader_of(url, busy_seconds, query_seconds, postgres.READERS), url=url
            )
        with usable(url):
            engine = await _open_engine(url, busy_seconds)
        # What is in memory belongs to the connection that made it.
        if file_of(url) is None:
            return cls(engine)
        return cls(engine, _reader_of(url, READERS, query_seconds), url=url)

    @classmethod
    async def open_to_read(cls, url: str) -> Self:
        """The database at `url` for whoever only reads, also while another process writes.

        Nothing is made or migrated: raises Unusable where there is none of this version.
        """
        if postgres.is_postgres(url):
            engine = postgres.reader_of(url, BUSY_SECONDS, None, 1)
        else:
            existing_file(url)
            engine = _reader_of(url, 1)
        name = name_of(url)
        try:
            with usable(url), _reachable(url):
                async with engine.connect() as connection:
                    stored = await connection.run_sync(revision_in)
            if stored is None:
                raise Unusable(f"{name} is no database of Discade: DATABASE_URL must name one.")
            if stored != check_known(stored, name):
                raise Unusable(f"{name} is of an older Discade: start the bot once to bring it up to date.")
        except BaseException:
            await engine.dispose()
            raise
        return cls(engine)

    @property
    def is_sqlite(self) -> bool:
        return self._engine.dialect.name == "sqlite"

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection that sees what was committed last, and changes nothing."""
        return self._reader.connect()

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection whose changes are kept at the end, all of them, or none if it is left by an error."""
        return self._engine.begin()

    async def empty_log(self) -> None:
        """Moves what was committed into the file itself, so that the log holds nothing that is deleted.

        While somebody reads what the log has, it stays; it is emptied the next time. PostgreSQL sees to its
        own.
        """
        if not self.is_sqlite:
            return
        async with self._engine.connect() as connection:
            raw: Any = (await connection.get_raw_connection()).driver_connection
            await (await raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")).close()

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        while self.under_way:
            await asyncio.wait(tuple(self.under_way))
        if self._reader is not self._engine:
            await self._reader.dispose()
        await self._engine.dispose()


class _OnDatabase(Protocol):
    _database: Database


S = TypeVar("S", bound=_OnDatabase)


def uncancellable(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Runs a store's method to its end even when whoever asked is cancelled meanwhile.

    A transaction that was cut off would cost its connection, and a search that is no longer wanted, or the
    bot's end, cancels at any moment. It raises Unavailable where the database is locked, full, read-only or
    too slow: nothing was changed then, and it may be tried again.
    """

    @functools.wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.create_task(_made_whole(functools.partial(method, self, *args, **kwargs)))
        self._database.under_way.add(task)
        task.add_done_callback(self._database.under_way.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_note_unseen)
            raise
        except Exception as error:
            if not _is_passing(error):
                raise
            log.warning(
                "the database refused %s: %s", method.__qualname__, getattr(error, "orig", None) or error
            )
            raise Unavailable("database_unavailable") from error

    return run


async def _made_whole(change: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """What the change gives, once it contradicts no other that PostgreSQL made at the same time."""
    for tries in range(postgres.MOST_TRIES):
        try:
            return await change()
        except sa.exc.DBAPIError as error:
            if not postgres.is_collision(error) or tries == postgres.MOST_TRIES - 1:
                raise
        await asyncio.sleep(postgres.wait_seconds(tries))
    raise AssertionError("the last try has returned or raised")


def _note_unseen(task: asyncio.Task[Any]) -> None:
    """What became of a change that nobody waits for any more; that somebody else was faster is no news."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (Conflict, Refusal)):
        log.warning("a change that nobody waited for any more failed: %r", error)


def _is_passing(error: Exception) -> bool:
    if isinstance(error, sa.exc.OperationalError) and isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _PASSING
    return postgres.is_passing(error)


async def _open_postgres(url: str, busy_seconds: float) -> AsyncEngine:
    engine = postgres.writer_of(url, busy_seconds)
    try:
        # Not as of the moment before another process migrated.
        async with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            await connection.run_sync(postgres.wait_for_other_migrations)
            stored = await connection.run_sync(revision_in)
            if stored is None or stored != check_known(stored, name_of(url)):
                await connection.run_sync(migrate)
    except BaseException:
        await engine.dispose()
        raise
    return engine


@contextlib.contextmanager
def _reachable(url: str) -> Iterator[None]:
    """Raises Unusable, in one line, where a server cannot be had at all."""
    try:
        yield
    except Exception as error:
        if not postgres.is_postgres(url) or (means := postgres.trouble(error)) is None:
            raise
        raise Unusable(f"{name_of(url)} {means}") from error


async def _open_engine(url: str, busy_seconds: float) -> AsyncEngine:
    def on_connect(dbapi_connection: Any, _record: Any) -> None:
        _prepare(dbapi_connection, busy_seconds)

    if (file := file_of(url)) is not None:
        _keep_private(file)
        # The driver's thread would outlive a connection that cannot be opened at all.
        sqlite3.connect(file).close()
    engine = create_async_engine(url, pool_size=1, max_overflow=0)
    sa.event.listen(engine.sync_engine, "connect", on_connect)
    sa.event.listen(engine.sync_engine, "begin", _on_begin)
    try:
        async with engine.begin() as connection:
            stored = await connection.run_sync(revision_in)
        if (
            stored is not None
            and stored != (newest := check_known(stored, name_of(url)))
            and file is not None
        ):
            await _back_up_before(file, newest)
        async with engine.begin() as connection:
            await connection.run_sync(migrate)
    except BaseException:
        await engine.dispose()
        raise
    return engine


def _keep_private(file: Path) -> None:
    """Nobody but its owner reads the file; what SQLite puts beside it takes the same rights."""
    # A file that cannot be had is SQLite's to complain about.
    with contextlib.suppress(OSError):
        # One that exists is not opened here: closing it would drop what locks this process has on it.
        with contextlib.suppress(FileExistsError):
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        for name in (file.name, f"{file.name}-wal", f"{file.name}-shm"):
            with contextlib.suppress(FileNotFoundError):
                file.with_name(name).chmod(0o600)


async def _back_up_before(file: Path, revision: str) -> None:
    made = await asyncio.to_thread(before_migration, file, revision)
    log.info("the database is brought up to date; as it was, it is in %s", made)


def _read_only(url: str) -> sa.URL:
    made = sa.make_url(url)
    path = Path(made.database or "").resolve().as_uri()
    return made.set(database=path).update_query_dict({"mode": "ro", "uri": "true"})


def _reader_of(url: str, connections: int, query_seconds: float | None = None) -> AsyncEngine:
    """So many connections that only read. query_seconds: how long one question may take, None for ever."""
    engine = create_async_engine(_read_only(url), pool_size=connections, max_overflow=0)

    def on_connect(dbapi_connection: Any, record: Any) -> None:
        dbapi_connection.isolation_level = None
        dbapi_connection.execute("PRAGMA busy_timeout = 5000").close()
        if query_seconds is not None:
            info = record.info
            is_late = lambda: time.monotonic() > info.get("give_up_at", float("inf"))  # noqa: E731
            dbapi_connection.run_async(lambda driver: driver.set_progress_handler(is_late, _STEPS))

    def before_execute(connection: sa.Connection, *_rest: Any) -> None:
        if query_seconds is not None:
            connection.info["give_up_at"] = time.monotonic() + query_seconds

    sa.event.listen(engine.sync_engine, "connect", on_connect)
    sa.event.listen(engine.sync_engine, "begin", _on_begin_to_read)
    sa.event.listen(engine.sync_engine, "before_cursor_execute", before_execute)
    return engine


def _on_begin_to_read(connection: sa.Connection) -> None:
    _begin(connection, "BEGIN")


def _prepare(dbapi_connection: Any, busy_seconds: float) -> None:
    # The driver would open transactions by itself, and only at the first write; _on_begin does it instead.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    for pragma in (*_PRAGMAS, f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}"):
        cursor.execute(pragma)
    cursor.close()


def _on_begin(connection: sa.Connection) -> None:
    # Taking the write lock at once means that a transaction never fails half-way for want of it.
    _begin(connection, "BEGIN IMMEDIATE")


def _begin(connection: sa.Connection, statement: str) -> None:
    """Straight to the driver: one trip to its thread and back instead of four, at every transaction."""
    dbapi_connection: Any = connection.connection.dbapi_connection
    try:
        dbapi_connection.run_async(lambda driver: driver.execute(statement))
    except sqlite3.OperationalError as error:
        raise sa.exc.OperationalError(statement, None, error) from error
