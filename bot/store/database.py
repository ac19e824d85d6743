"""The database behind the stores: SQLAlchemy's async engines on one SQLite file, or on PostgreSQL."""

from __future__ import annotations

import asyncio
import functools
import inspect
import logging
import math
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.domain.errors import Refusal, Unavailable
from bot.domain.shards import Shards
from bot.store import postgres, sqlite
from bot.store.connection import Connection, Parameters, Work
from bot.store.database_errors import is_transient, usable
from bot.store.shared import Conflict, on_share
from bot.store.versions import (
    BUSY_SECONDS,
    Unusable,
    check_known,
    existing_file,
    file_of,
    name_of,
    revision_in,
)

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

QUERY_SECONDS = 4.0
"""The limit of one statement that reads; the database interrupts it then."""

ANSWER_SECONDS = 2.0
"""How long a caller waits for PostgreSQL, which may hang; Discord wants an answer within three seconds."""

DOWN_SECONDS, DOWN_ANSWER_SECONDS = 2.0, 0.5
"""So long after PostgreSQL gave no answer, callers wait this long: a press that had to wait for a failing one
still gets its answer in time."""

LONG_READERS = 3
"""Connections for `reading`, so that one person's slow question delays no one else."""

QUICK_READERS = 2
"""Connections kept for `ask`, whose questions every move asks."""


class Writer(Protocol):
    """The writing side: `GroupCommit` for SQLite, `SerializableWriter` for PostgreSQL."""

    def transaction(self) -> AbstractAsyncContextManager[Connection]: ...
    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T: ...
    async def checkpoint(self) -> None: ...
    async def close(self) -> None: ...


class Database:
    """The connections of one process to its database.

    writer: None where the database is only read. reader: None for a SQLite database in memory, which belongs
    to the one connection that made it. url: None where it is in memory, or only read. share: the servers
    whose clocks and messages this process looks after; None for all.
    """

    def __init__(self, writer: Writer | None, reader: AsyncEngine | None, *, url: str | None = None) -> None:
        self.url = url
        self.is_sqlite = reader is None or reader.dialect.name == "sqlite"
        self.answer_seconds = ANSWER_SECONDS
        self._silent_since = -math.inf
        self.share: Shards | None = None
        self.writer = writer
        self.reader = reader
        self.under_way: set[asyncio.Task[Any]] = set()
        self.retries = asyncio.Lock()
        self._long_reads = asyncio.Semaphore(LONG_READERS)

    def limit(self) -> float:
        """Return how many seconds a caller waits for an answer now."""
        is_down = time.monotonic() - self._silent_since < DOWN_SECONDS
        return min(DOWN_ANSWER_SECONDS, self.answer_seconds) if is_down else self.answer_seconds

    def note_silence(self, seconds: float) -> None:
        """Note that no answer came within that limit; a short one tells nothing about a slow database."""
        if seconds >= self.answer_seconds:
            self._silent_since = time.monotonic()

    @classmethod
    async def open(
        cls, url: str, *, busy_seconds: float = BUSY_SECONDS, query_seconds: float | None = None
    ) -> Self:
        """The database at `url`, its tables made or migrated to this version's; raises Unusable.

        query_seconds: None for QUERY_SECONDS.
        """
        connections = LONG_READERS + QUICK_READERS
        query_seconds = QUERY_SECONDS if query_seconds is None else query_seconds
        writer: Writer
        with usable(url):
            if postgres.is_postgres(url):
                writer = await postgres.open_writer(url, busy_seconds)
                return cls(writer, postgres.reader_of(url, connections, busy_seconds, query_seconds), url=url)
            writer = await sqlite.open_writer(url, busy_seconds)
            if file_of(url) is None:
                return cls(writer, None)
            return cls(writer, sqlite.reader_of(url, connections, query_seconds), url=url)

    @classmethod
    async def open_to_read(cls, url: str) -> Self:
        """The database at `url`, only to be read, also while another process writes.

        Nothing is made or migrated: raises Unusable where there is none of this version.
        """
        if postgres.is_postgres(url):
            database = cls(None, postgres.reader_of(url, 1, BUSY_SECONDS, None))
        else:
            existing_file(url)
            database = cls(None, sqlite.reader_of(url, 1))
        name = name_of(url)
        try:
            with usable(url):
                async with database.reading() as connection:
                    stored = await connection.run_sync(revision_in)
            if stored is None:
                raise Unusable(f"{name} is no database of Discade: DATABASE_URL must name one.")
            if stored != check_known(stored, name):
                raise Unusable(f"{name} is of an older Discade: start the bot once to bring it up to date.")
        except BaseException:
            await database.close()
            raise
        return database

    def mine(self, guild_id: sa.ColumnElement[int | None]) -> tuple[sa.ColumnElement[bool], ...]:
        """Conditions for rows of the servers that this process looks after; none where those are all."""
        return on_share(guild_id, self.share)

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """A connection that sees one moment's committed rows, and changes nothing."""
        if self.reader is None:
            async with self._writing.transaction() as connection:
                yield connection
            return
        async with self._long_reads, self.reader.connect() as connection:
            yield connection

    async def ask(self, question: Work[T]) -> T:
        """Return what `question` returns, which changes nothing and takes a moment."""
        if self.reader is None:
            return await self._writing.change(question)
        async with self.reader.connect() as connection:
            return await question(connection)

    def writing(self) -> AbstractAsyncContextManager[Connection]:
        """Commit the changes of the block, or none if it raises."""
        return self._writing.transaction()

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:
        """Return what `work` returns, once its changes are committed; if it raises, nothing is changed.

        Changes may share a transaction: each sees those before it, and one that fails spoils no other.
        is_guarded: each of its statements says itself which version it replaces.
        """
        return await self._writing.change(work, is_guarded=is_guarded)

    @property
    def _writing(self) -> Writer:
        if self.writer is None:
            raise RuntimeError("the database was opened only to be read")
        return self.writer

    async def empty_log(self) -> None:
        """Move SQLite's write-ahead log into the file, so that deleted rows are in neither.

        While a reader needs the log, it stays, and the next call empties it.
        """
        await self._writing.checkpoint()

    async def close(self) -> None:
        """Wait for every transaction that has begun, then close the connections."""
        while self.under_way:
            await asyncio.wait(tuple(self.under_way))
        if self.reader is not None:
            await self.reader.dispose()
        if self.writer is not None:
            await self.writer.close()


S = TypeVar("S", bound="Store")
M = TypeVar("M", bound=Callable[..., Coroutine[Any, Any, Any]])

_MARK = "is_kept_whole"


def uncancellable(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Run a store's method to its end, even when its caller is cancelled.

    A cancelled transaction would cost its connection, and a search that is not wanted any more, or the bot's
    end, cancels at any moment. It raises Unavailable where the database is locked, full, read-only or too
    slow: nothing was changed then, and the same may be tried again. Only a PostgreSQL that hangs may still
    make the change when it goes on.
    """

    @functools.wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        database, seconds = self._database, None
        if database.is_sqlite:
            work = method(self, *args, **kwargs)
        else:
            seconds = database.limit() if self.has_limit else None
            work = postgres.serialized(functools.partial(method, self, *args, **kwargs), database.retries)
        task = asyncio.create_task(work)
        database.under_way.add(task)
        task.add_done_callback(database.under_way.discard)
        is_heard = False
        try:
            # Neither its timeout nor its cancellation cancels the task.
            await asyncio.wait((task,), timeout=seconds)
            if seconds is not None and not task.done():
                database.note_silence(seconds)
                raise TimeoutError(f"no answer within {seconds} s")
            is_heard = True
            return task.result()
        except Exception as error:
            if not is_transient(error):
                raise
            log.warning("%s failed, database unavailable: %s", method.__qualname__, _reason(error))
            raise Unavailable("database_unavailable") from error
        finally:
            # A caller may be cancelled even after the task is done.
            if not is_heard:
                task.add_done_callback(_log_abandoned)

    run.__dict__[_MARK] = True
    return run


def part_of_transaction(method: M) -> M:
    """Mark a store's method that is given a connection: its caller's transaction keeps it whole."""
    method.__dict__[_MARK] = True
    return method


class Store:
    """Base of the stores.

    Each public coroutine method is `uncancellable` or `part_of_transaction`; a class with another raises
    TypeError. has_limit: whether a press waits for its methods, ANSWER_SECONDS at most.
    """

    has_limit = True

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        for name, method in vars(cls).items():
            if name.startswith("_") or not inspect.iscoroutinefunction(method):
                continue
            if _MARK not in vars(method):
                raise TypeError(f"{cls.__name__}.{name} is neither uncancellable nor part_of_transaction")

    async def _rows(self, query: sa.Executable, values: Parameters | None = None) -> Sequence[sa.Row[Any]]:
        """Return the rows of a query that may take longer than a moment."""
        async with self._database.reading() as connection:
            rows: Sequence[sa.Row[Any]] = (await connection.execute(query, values)).all()
        return rows

    async def _value(self, query: sa.Executable) -> Any:
        """Return the first column of the first row, None if there is no row."""
        rows = await self._rows(query)
        return rows[0][0] if rows else None

    async def _delete_for_good(self, rows: sa.Delete) -> int:
        """Delete what was kept for a time only, from SQLite's log, too; return the number of rows."""
        async with self._database.writing() as connection:
            gone = (await connection.execute(rows)).rowcount
        if gone:
            await self._database.empty_log()
        return gone


def _reason(error: Exception) -> object:
    return getattr(error, "orig", None) or error


def _log_abandoned(task: asyncio.Task[Any]) -> None:
    """Log the failure of a change whose caller is gone, unless it is an ordinary refusal."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (Conflict, Refusal)):
        log.warning("a change failed after its caller had gone: %r", error)
