"""The database behind the stores: SQLAlchemy's async engines on one SQLite file, or on PostgreSQL."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import logging
import random
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from bot.domain.errors import Refusal, Unavailable
from bot.domain.shards import Shards
from bot.store import postgres, sqlite
from bot.store.connection import Connection, Parameters, Work
from bot.store.database_errors import is_serialization_failure, is_transient, usable
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

LONG_READERS = 3
"""Connections for `reading`, so that one person's slow question delays no one else."""

QUICK_READERS = 2
"""Connections kept for `ask`, whose questions every move asks."""

MOST_TRIES = 30
"""How often a change is made on serialization failures; with the waits between, some three seconds."""

_LONGEST_WAIT_SECONDS = 0.2

_TURN_SECONDS = 1.0
"""The limit of a retry's wait for the other retries of this process."""


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
        self.share: Shards | None = None
        self.writer = writer
        self.reader = reader
        self.under_way: set[asyncio.Task[Any]] = set()
        self.retries = asyncio.Lock()
        self._long_reads = asyncio.Semaphore(LONG_READERS)
        self._file = None if url is None else file_of(url)
        self._file_id = _id_of(self._file)
        self._is_gone = False

    @classmethod
    async def open(
        cls, url: str, *, busy_seconds: float = BUSY_SECONDS, query_seconds: float = QUERY_SECONDS
    ) -> Self:
        """The database at `url`, its tables made or migrated to this version's; raises Unusable."""
        connections = LONG_READERS + QUICK_READERS
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

    @property
    def is_sqlite(self) -> bool:
        return self.reader is None or self.reader.dialect.name == "sqlite"

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

    async def numbers(self, query: sa.Select[Any], values: Parameters) -> Sequence[int]:
        """The numbers that a quick query finds."""

        async def read(connection: Connection) -> Sequence[int]:
            found: Sequence[int] = (await connection.execute(query, values)).scalars().all()
            return found

        return await self.ask(read)

    def writing(self) -> AbstractAsyncContextManager[Connection]:
        """Commit the changes of the block, or none if it raises."""
        self._check_there()
        return self._writing.transaction()

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:
        """Return what `work` returns, once its changes are committed; if it raises, nothing is changed.

        Changes may share a transaction: each sees those before it, and one that fails spoils no other.
        is_guarded: each of its statements says itself which version it replaces.
        """
        self._check_there()
        return await self._writing.change(work, is_guarded=is_guarded)

    @property
    def _writing(self) -> Writer:
        if self.writer is None:
            raise RuntimeError("the database was opened only to be read")
        return self.writer

    def _check_there(self) -> None:
        """Raise Unavailable where the file was moved or deleted: SQLite would write on into nothing."""
        is_gone = self._file is not None and _id_of(self._file) != self._file_id
        if is_gone and not self._is_gone:
            log.error("%s was moved or deleted: put it back, or end the bot and restore a backup", self._file)
        self._is_gone = is_gone
        if is_gone:
            raise Unavailable("database_unavailable")

    def begin(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start work that `close` waits for."""
        task = asyncio.create_task(work)
        self.under_way.add(task)
        task.add_done_callback(self.under_way.discard)
        return task

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


def _id_of(file: Path | None) -> tuple[int, int] | None:
    """The file's device and inode, which renaming does not change."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


class _OnDatabase(Protocol):
    """limit_seconds, if it has one: instead of ANSWER_SECONDS; None for work that no press waits for."""

    _database: Database


S = TypeVar("S", bound=_OnDatabase)


def uncancellable(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Run a store's method to its end even when its caller is cancelled, and retry serialization failures.

    A cancelled transaction would cost its connection, and a search that is not wanted any more, or the bot's
    end, cancels at any moment. Raises Unavailable where the database is locked, full, read-only or too slow:
    nothing was changed then, and the same may be tried again. Only a PostgreSQL that hangs may still make the
    change when it goes on.
    """

    @functools.wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        change = functools.partial(method, self, *args, **kwargs)
        if not self._database.is_sqlite:
            seconds = getattr(self, "limit_seconds", ANSWER_SECONDS)
            change = functools.partial(_within, seconds, self._database.begin, change)
        task = self._database.begin(_serialized(change, self._database.retries))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(_log_abandoned)
            raise
        except Exception as error:
            if not is_transient(error):
                raise
            log.warning("%s failed, database unavailable: %s", method.__qualname__, _reason(error))
            raise Unavailable("database_unavailable") from error

    return run


class Store:
    """Base of the stores: every public coroutine method is `uncancellable`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __init_subclass__(cls) -> None:
        for name, method in tuple(vars(cls).items()):
            if not name.startswith("_") and inspect.iscoroutinefunction(method):
                setattr(cls, name, uncancellable(method))

    async def _rows(self, query: sa.Select[Any], values: Parameters | None = None) -> Sequence[sa.Row[Any]]:
        """Return the rows of a query that may take longer than a moment."""
        async with self._database.reading() as connection:
            rows: Sequence[sa.Row[Any]] = (await connection.execute(query, values)).all()
        return rows

    async def _value(self, query: sa.Select[Any]) -> Any:
        """Return the first column of the first row, None if there is no row."""
        rows = await self._rows(query)
        return rows[0][0] if rows else None


def _reason(error: Exception) -> object:
    return getattr(error, "orig", None) or error


async def _serialized(change: Callable[[], Coroutine[Any, Any, T]], retries: asyncio.Lock) -> T:
    """Run `change`, retrying on PostgreSQL's serialization failures.

    The retries of one process take turns: where many matches of a game end at once, all count in the same
    totals, and would go on failing because of one another.
    """
    for tries in range(MOST_TRIES):
        try:
            async with contextlib.nullcontext() if tries == 0 else _in_turn(retries):
                return await change()
        except sa.exc.DBAPIError as error:
            if not is_serialization_failure(error) or tries == MOST_TRIES - 1:
                raise
        # Longer each time, and random, so that processes do not meet again.
        await asyncio.sleep(random.random() * min(_LONGEST_WAIT_SECONDS, 0.002 * 2 ** min(tries, 10)))
    raise AssertionError("the last try has returned or raised")


async def _within(
    seconds: float | None,
    begin: Callable[[Coroutine[Any, Any, T]], asyncio.Task[T]],
    change: Callable[[], Coroutine[Any, Any, T]],
) -> T:
    """Run one attempt, which goes on by itself where it takes longer; raises TimeoutError then."""
    attempt = begin(change())
    try:
        return await asyncio.wait_for(asyncio.shield(attempt), seconds)
    except TimeoutError as error:
        if attempt.done():
            raise
        attempt.add_done_callback(_log_abandoned)
        raise TimeoutError(f"no answer within {seconds} s") from error


@asynccontextmanager
async def _in_turn(lock: asyncio.Lock) -> AsyncIterator[None]:
    """Hold the lock, unless another holds it for too long."""
    try:
        await asyncio.wait_for(lock.acquire(), _TURN_SECONDS)
    except TimeoutError:
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _log_abandoned(task: asyncio.Task[Any]) -> None:
    """Log the failure of a change whose caller was cancelled, unless it is an ordinary refusal."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (Conflict, Refusal)):
        log.warning("a change failed after its caller was cancelled: %r", error)
