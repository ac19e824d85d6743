"""PostgreSQL behind SQLAlchemy, for who has outgrown one file, and for several processes on one database.

Every change is one SERIALIZABLE transaction, so that what is asked in it still holds when it is kept, as with
SQLite's one writer. Of two that contradict each other PostgreSQL refuses one; it is made again on what the
other has left (postgresql.org, "Serializable Isolation Level"). Only moves are not, most of all changes: each
is stored over the version that it was made from, or not at all, and asks nothing else.
"""

from __future__ import annotations

import random
from contextlib import AbstractAsyncContextManager
from typing import Final, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.store.connection import Work
from bot.store.versions import BUSY_SECONDS, check_known, migrate, name_of, revision_in

T = TypeVar("T")

WRITERS: Final = 4
READERS: Final = 4
"""Connections of one process; PostgreSQL allows 100 in all unless it is told otherwise."""

CONNECT_SECONDS: Final = 5.0

MOST_TRIES: Final = 30
"""How often a change is made again that contradicted others; with the waits between, some three seconds."""

_LONGEST_WAIT_SECONDS = 0.2

_COLLISIONS = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: what both sides wanted cannot be, and one of them begins anew."""

_PASSING_CLASSES = frozenset({"08", "25", "53", "55", "57", "58"})
"""Connections, read-only, resources, locks, operators, the system (postgresql.org, "Error Codes")."""

_MIGRATION_LOCK = 0x444953434144  # "DISCAD", so that no other program's lock is meant


def is_postgres(url: str) -> bool:
    return sa.make_url(url).get_backend_name() == "postgresql"


class Server:
    """The connections of a process to one server: some that write, some that only read."""

    def __init__(self, writer: AsyncEngine, reader: AsyncEngine) -> None:
        self._writer = writer
        self._guarded = writer.execution_options(isolation_level="READ COMMITTED")
        self._reader = reader

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._reader.connect()

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        return self._writer.begin()

    async def ask(self, question: Work[T]) -> T:
        async with self._reader.connect() as connection:
            return await question(connection)

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:
        async with (self._guarded if is_guarded else self._writer).begin() as connection:
            return await work(connection)

    async def empty_log(self) -> None:
        """It sees to its own."""

    async def stored_revision(self) -> str | None:
        """The version of the schema that it has."""
        async with self._reader.connect() as connection:
            return await connection.run_sync(revision_in)

    async def close(self) -> None:
        await self._reader.dispose()
        if self._writer is not self._reader:
            await self._writer.dispose()


async def open_server(url: str, busy_seconds: float, query_seconds: float) -> Server:
    """The database at `url`, its tables made or migrated to this version's; raises Unusable."""
    engine = writer_of(url, busy_seconds)
    try:
        # Not as of the moment before another process migrated.
        async with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
            await connection.run_sync(wait_for_other_migrations)
            stored = await connection.run_sync(revision_in)
            if stored is None or stored != check_known(stored, name_of(url)):
                await connection.run_sync(migrate)
    except BaseException:
        await engine.dispose()
        raise
    return Server(engine, reader_of(url, busy_seconds, query_seconds, READERS))


def open_to_read(url: str) -> Server:
    """The database at `url` for whoever only reads."""
    engine = reader_of(url, BUSY_SECONDS, None, 1)
    return Server(engine, engine)


def writer_of(url: str, busy_seconds: float) -> AsyncEngine:
    """Connections that change something. busy_seconds: how long one waits for a lock, or for its turn."""
    settings = {
        "lock_timeout": _milliseconds(busy_seconds),
        # Whoever reads a whole table contradicts everybody who writes into it, as if all rows were theirs.
        "enable_seqscan": "off",
    }
    return _engine(url, "SERIALIZABLE", WRITERS, busy_seconds, settings)


def reader_of(url: str, busy_seconds: float, query_seconds: float | None, connections: int) -> AsyncEngine:
    """Connections that only read, each transaction as of one moment. query_seconds: None for ever."""
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
        # A server that was started again leaves connections behind that are none.
        pool_pre_ping=True,
        connect_args={"timeout": CONNECT_SECONDS, "server_settings": {**common, **settings}},
    )


def _milliseconds(seconds: float) -> str:
    return str(round(seconds * 1000))


def wait_for_other_migrations(connection: sa.Connection) -> None:
    """Of several processes that start at once one migrates; until its transaction ends, the others wait."""
    connection.execute(sa.text(f"SELECT pg_advisory_xact_lock({_MIGRATION_LOCK})"))


def is_collision(error: BaseException) -> bool:
    """Whether the transaction contradicted another one, and should be made again."""
    return state_of(error) in _COLLISIONS


def is_passing(error: BaseException) -> bool:
    """Whether PostgreSQL complains of something that may be over soon, through no mistake of ours."""
    if isinstance(error, OSError | sa.exc.TimeoutError):  # no connection was to be had, there or in the pool
        return True
    if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
        return True
    state = state_of(error)
    return state in _COLLISIONS or state[:2] in _PASSING_CLASSES


def state_of(error: BaseException) -> str:
    """PostgreSQL's code of five characters, from the driver's error or SQLAlchemy's; "" for none."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")


def trouble(error: BaseException) -> str | None:
    """What it means to the person who runs the bot that the database cannot be opened; None if unknown."""
    if isinstance(error, OSError):
        return "cannot be reached: is PostgreSQL running there, and does DATABASE_URL name its host and port?"
    return next((means for state, means in _TROUBLES if state_of(error).startswith(state)), None)


_TROUBLES = (
    ("28", "refuses us: DATABASE_URL needs a user and the password that PostgreSQL knows."),
    ("3D", "does not exist: make it with `createdb`."),
    ("42501", "is not ours to change: its user must own it, or have CREATE on the schema."),
    ("53300", "has too many connections: raise max_connections, or run fewer processes."),
    ("57P03", "is just starting or stopping: try again in a moment."),
)


def wait_seconds(tries: int) -> float:
    """How long to wait before the next try: longer each time, and each process another time."""
    return float(random.random() * min(_LONGEST_WAIT_SECONDS, 0.002 * 2 ** min(tries, 10)))
