"""PostgreSQL through SQLAlchemy and asyncpg, for a bot that has outgrown one file or one process.

Every change is one SERIALIZABLE transaction, so that its queries still hold when it commits, as with SQLite's
one writer. Of two that contradict each other PostgreSQL rolls one back, and it is made again on the other's
result (postgresql.org, "Serializable Isolation Level"). Moves, most of all changes, do without: each replaces
the version of the match that it was made from, or fails, and reads nothing else.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from itertools import islice
from typing import Any, Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.domain.backoff import growing_pauses
from bot.store.connection import Work
from bot.store.database_errors import is_serialization_failure
from bot.store.versions import check_known, migrate, name_of, revision_in

T = TypeVar("T")

WRITERS: Final = 4
"""Connections of one process that write; PostgreSQL allows 100 in all unless it is told otherwise."""

CONNECT_SECONDS: Final = 5.0

COMMAND_SECONDS: Final = 120.0
"""After this a connection without an answer is given up; a recount's statements take long."""

MOST_TRIES = 30
"""How often a change is made on serialization failures; with the waits between, some three seconds."""

_LONGEST_WAIT_SECONDS = 0.2

_TURN_SECONDS = 1.0
"""The limit of a retry's wait for the other retries of this process."""

_MIGRATION_LOCK = 0x444953434144  # "DISCAD", so that no other program's lock is meant


def is_postgres(url: str) -> bool:
    return sa.make_url(url).get_backend_name() == "postgresql"


class SerializableWriter:
    """Writes through a few connections, a transaction for each change."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._guarded = engine.execution_options(isolation_level="READ COMMITTED")

    def transaction(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """Commit the changes of the block, or none if it raises."""
        return self._engine.begin()

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:
        """Return what `work` returns, once its changes are committed.

        is_guarded: it replaces a version, and reads nothing else.
        """
        async with (self._guarded if is_guarded else self._engine).begin() as connection:
            return await work(connection)

    async def checkpoint(self) -> None:
        """Do nothing: PostgreSQL keeps its log by itself."""

    async def close(self) -> None:
        await self._engine.dispose()


async def serialized(change: Callable[[], Coroutine[Any, Any, T]], retries: asyncio.Lock) -> T:
    """Run `change`, retrying on serialization failures.

    The retries of one process take turns: where many matches of a game end at once, all count in the same
    totals, and would go on failing because of one another.
    """
    for tries, pause in enumerate(islice(growing_pauses(0.002, _LONGEST_WAIT_SECONDS), MOST_TRIES)):
        try:
            async with contextlib.nullcontext() if tries == 0 else _in_turn(retries):
                return await change()
        except sa.exc.DBAPIError as error:
            if not is_serialization_failure(error) or tries == MOST_TRIES - 1:
                raise
        # Longer each time, and random, so that processes do not meet again.
        await asyncio.sleep(random.random() * pause)
    raise AssertionError("the last try has returned or raised")


@contextlib.asynccontextmanager
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


async def open_writer(url: str, busy_seconds: float) -> SerializableWriter:
    """The connections that write to `url`, its tables made or migrated; raises Unusable.

    busy_seconds: the limit of a wait for a lock, or for a connection.
    """
    settings = {
        "lock_timeout": _milliseconds(busy_seconds),
        # A transaction that scans a whole table contradicts every other one that writes into it.
        "enable_seqscan": "off",
    }
    writer = SerializableWriter(_engine(url, "SERIALIZABLE", WRITERS, busy_seconds, settings))
    try:
        # A serializable transaction would not see what another process migrates while this one waits.
        await writer.change(lambda connection: connection.run_sync(_migrate, name_of(url)), is_guarded=True)
    except BaseException:
        await writer.close()
        raise
    return writer


def reader_of(url: str, connections: int, busy_seconds: float, query_seconds: float | None) -> AsyncEngine:
    """Connections that only read, each transaction as of one moment. query_seconds: None for no limit."""
    settings = {"default_transaction_read_only": "on"}
    if query_seconds is not None:
        settings["statement_timeout"] = _milliseconds(query_seconds)
    return _engine(url, "REPEATABLE READ", connections, busy_seconds, settings)


def _engine(
    url: str, isolation: str, connections: int, busy_seconds: float, settings: dict[str, str]
) -> AsyncEngine:
    common = {"application_name": "discade", "timezone": "UTC"}
    return create_async_engine(
        url,
        isolation_level=isolation,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=busy_seconds,
        # After a restart of the server the connections to it are dead.
        pool_pre_ping=True,
        connect_args={
            "timeout": CONNECT_SECONDS,
            "command_timeout": COMMAND_SECONDS,
            # SQLAlchemy keeps the statements that matter; a timer for each of the driver's serves nothing.
            "max_cached_statement_lifetime": 0,
            "server_settings": {**common, **settings},
        },
    )


def _milliseconds(seconds: float) -> str:
    return str(round(seconds * 1000))


def _migrate(connection: sa.Connection, name: str) -> None:
    # Of several processes that start at once one migrates; the others wait for the end of its transaction.
    connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))
    stored = revision_in(connection)
    if stored is None or stored != check_known(stored, name):
        migrate(connection)
