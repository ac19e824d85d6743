"""Lanes: a connection to the database and the one thread in which it is used; statements are trips there.

The loop never waits for SQLite, and a statement costs one trip to the thread and back. Work that is a
coroutine of nothing but statements can make the trip as a whole: then they cost none.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")

Found: TypeAlias = sa.CursorResult[*tuple[Any, ...]]

Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]]


class Connection(Protocol):
    """A transaction as the stores know it."""

    async def execute(self, statement: sa.Executable, parameters: Parameters | None = None) -> Found:
        """What the statement gives, all of it read."""

    async def scalar(self, statement: sa.Executable) -> Any:
        """The first value that it gives, or None."""

    @property
    def dialect(self) -> sa.Dialect:
        """Whose SQL it is."""


class Lane:
    """One connection, opened when it is first used, also after `close`.

    engine: must have a pool that keeps a single one.
    """

    def __init__(self, engine: sa.Engine, name: str) -> None:
        self._engine = engine
        self._name = f"database-{name}"
        self._thread: ThreadPoolExecutor | None = None
        self._held: sa.Connection | None = None

    async def do(self, work: Callable[[sa.Connection], T]) -> T:
        """What `work` returns, which runs in the thread; transactions are its own business."""
        return await asyncio.get_running_loop().run_in_executor(self._at_work, lambda: work(self._connection))

    def do_later(self, work: Callable[[sa.Connection], object]) -> None:
        """As `do`, without waiting for its end: whatever is done next comes after it."""
        self._at_work.submit(lambda: work(self._connection))

    @property
    def dialect(self) -> sa.Dialect:
        return self._engine.dialect

    async def close(self) -> None:
        """Lets what was begun come to its end first."""
        if self._thread is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._end)
            self._thread.shutdown(wait=False)
            self._thread = None

    def _end(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None
        self._engine.dispose()

    @property
    def _at_work(self) -> ThreadPoolExecutor:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix=self._name)
        return self._thread

    @property
    def _connection(self) -> sa.Connection:
        if self._held is None:
            self._held = self._engine.connect()
        return self._held


class Trips:
    """A transaction on a lane, statement by statement."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane

    async def execute(self, statement: sa.Executable, parameters: Parameters | None = None) -> Found:
        return await self._lane.do(lambda connection: _whole(connection.execute(statement, parameters)))

    async def scalar(self, statement: sa.Executable) -> Any:
        return await self._lane.do(lambda connection: connection.scalar(statement))

    async def batches(self, statement: sa.Executable, size: int) -> AsyncIterator[Sequence[sa.RowMapping]]:
        """What it gives, so many rows at a time."""
        found = await self._lane.do(lambda connection: connection.execute(statement).mappings())
        while rows := await self._lane.do(lambda _connection: found.fetchmany(size)):
            yield rows

    @property
    def dialect(self) -> sa.Dialect:
        return self._lane.dialect


async def batches(
    connection: Connection, statement: sa.Executable, size: int
) -> AsyncIterator[Sequence[sa.RowMapping]]:
    """What the statement gives, so many rows at a time, never all of them in memory."""
    if isinstance(connection, Trips):
        async for rows in connection.batches(statement, size):
            yield rows
    elif isinstance(connection, AsyncConnection):
        async with connection.stream(statement, execution_options={"yield_per": size}) as found:
            async for part in found.mappings().partitions():
                yield part


async def pages(
    connection: Connection, table: sa.Table, size: int, *where: sa.ColumnElement[bool]
) -> AsyncIterator[Sequence[sa.RowMapping]]:
    """A table's rows in the order of its key, so many at a time; what was read may be changed meanwhile."""
    keys = list(table.primary_key)
    ordered = sa.select(table).where(*where).order_by(*keys).limit(size)
    query = ordered
    while rows := (await connection.execute(query)).mappings().all():
        yield rows
        last = [sa.literal(rows[-1][key.name], key.type) for key in keys]
        query = ordered.where(sa.tuple_(*keys) > sa.tuple_(*last))


class Here:
    """A transaction for work that runs in the lane's thread itself."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    async def execute(self, statement: sa.Executable, parameters: Parameters | None = None) -> Found:
        return self._connection.execute(statement, parameters)

    async def scalar(self, statement: sa.Executable) -> Any:
        return self._connection.scalar(statement)

    @property
    def dialect(self) -> sa.Dialect:
        return self._connection.dialect


def _whole(result: Found) -> Found:
    """The result, read to its end, so that nobody need come back for its rows."""
    return cast("Found", result.freeze()()) if result.returns_rows else result


Work = Callable[[Connection], Awaitable[T]]
"""A coroutine of nothing but statements, which may be run again: it changes nothing but the database."""


@dataclass(frozen=True, slots=True)
class Failed:
    """What one of several changes raised."""

    error: Exception


def all_of(connection: sa.Connection, works: Sequence[Work[Any]]) -> list[Any]:
    """Makes these changes in one transaction; what each returned, or Failed where it was left out.

    Raises what spoils the transaction as a whole.
    """
    try:
        with connection.begin():
            if len(works) == 1:
                return [run(connection, works[0])]
            return [_one_of(connection, work) for work in works]
    except sa.exc.OperationalError as error:
        if len(works) == 1 or is_passing(error):
            raise
        # One of them is to blame, and nobody knows which.
        return [_alone(connection, work) for work in works]


def _one_of(connection: sa.Connection, work: Work[Any]) -> Any:
    # SQLAlchemy's own savepoints cost as much as three statements.
    _point(connection, "SAVEPOINT one")
    try:
        outcome = run(connection, work)
    except sa.exc.OperationalError:
        # SQLite may have given up the whole transaction.
        raise
    except Exception as error:  # noqa: BLE001 - it is its caller's
        _point(connection, "ROLLBACK TO one")
        outcome = Failed(error)
    _point(connection, "RELEASE one")
    return outcome


def _point(connection: sa.Connection, statement: str) -> None:
    raw: Any = connection.connection.dbapi_connection
    try:
        raw.execute(statement).close()
    except sqlite3.OperationalError as error:
        raise sa.exc.OperationalError(statement, None, error) from error


def _alone(connection: sa.Connection, work: Work[Any]) -> Any:
    try:
        with connection.begin():
            return run(connection, work)
    except Exception as error:  # noqa: BLE001 - it is its caller's
        return Failed(error)


def run(connection: sa.Connection, work: Work[T]) -> T:
    """What the work returns: it never waits, and each of its statements is done where it stands."""
    coroutine = cast("Coroutine[Any, Any, T]", work(Here(connection)))
    try:
        coroutine.send(None)
    except StopIteration as done:
        return cast("T", done.value)
    coroutine.close()
    raise RuntimeError("a change waited for something besides the database")


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


def is_locked(error: sa.exc.OperationalError) -> bool:
    """Whether another program holds the file."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY


def is_passing(error: sa.exc.OperationalError) -> bool:
    """Whether nothing was changed, and the same may be tried again."""
    return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF in _PASSING
