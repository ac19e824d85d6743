"""One SQLite file behind SQLAlchemy: how it is opened, brought up to date and written safely.

One connection, because SQLite has one writer, and two writing connections in WAL mode were unsafe before
SQLite 3.51.3 (sqlite.org, "Write-Ahead Logging", section "The WAL-reset bug").
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

if TYPE_CHECKING:
    from alembic.config import Config

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

MIGRATIONS = Path(__file__).with_name("migrations")

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # A committed move must survive a power cut, not only a killed process.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
)

BUSY_SECONDS = 5.0
"""How long a transaction waits while another process holds the file, before it fails."""


class Unusable(Exception):
    """The database cannot be used; the message is one line for the person who runs the bot."""


def file_of(url: str) -> Path | None:
    """The file behind the address; None for a database in memory."""
    name = sa.make_url(url).database
    return None if not name or name == ":memory:" else Path(name)


def existing_file(url: str) -> Path:
    """The file behind the address; raises Unusable where there is none."""
    file = file_of(url)
    if file is None or not file.exists():
        raise Unusable(f"There is no database {file or url}: DATABASE_URL must name one that exists.")
    return file


class Database:
    """The one connection of a process, shared by the stores; who wants it waits for its turn."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self.under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> Self:
        """The database at `url`, its tables made or migrated to this version's; raises Unusable."""
        with usable(url):
            return cls(await _open_engine(url, busy_seconds))

    @classmethod
    async def open_to_read(cls, url: str) -> Self:
        """The database at `url` for whoever only reads, also while another process writes.

        Nothing is made or migrated: raises Unusable where there is none of this version.
        """
        file = existing_file(url)
        engine = create_async_engine(_read_only(url), pool_size=1, max_overflow=0)
        sa.event.listen(engine.sync_engine, "connect", _on_connect_to_read)
        sa.event.listen(engine.sync_engine, "begin", _on_begin_to_read)
        try:
            with usable(url):
                async with engine.connect() as connection:
                    stored = await connection.run_sync(_revision)
            if stored is None:
                raise Unusable(f"{file} is no database of Discade: DATABASE_URL must name one.")
            if stored != _check_known(stored, file):
                raise Unusable(f"{file} is of an older Discade: start the bot once to bring it up to date.")
        except BaseException:
            await engine.dispose()
            raise
        return cls(engine)

    def reading(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection whose changes are thrown away at the end."""
        return self._engine.connect()

    def writing(self) -> AbstractAsyncContextManager[AsyncConnection]:
        """A connection whose changes are kept at the end, all of them, or none if it is left by an error."""
        return self._engine.begin()

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        while self.under_way:
            await asyncio.wait(tuple(self.under_way))
        await self._engine.dispose()


class _OnDatabase(Protocol):
    _database: Database


S = TypeVar("S", bound=_OnDatabase)


def uncancellable(
    method: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], Coroutine[Any, Any, T]]:
    """Runs a store's method to its end even when whoever asked is cancelled meanwhile.

    A transaction that was cut off would cost its connection, and a search that is no longer wanted, or the
    bot's end, cancels at any moment.
    """

    @functools.wraps(method)
    async def run(self: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.create_task(method(self, *args, **kwargs))
        self._database.under_way.add(task)
        task.add_done_callback(self._database.under_way.discard)
        return await asyncio.shield(task)

    return run


async def _open_engine(url: str, busy_seconds: float) -> AsyncEngine:
    def on_connect(dbapi_connection: Any, _record: Any) -> None:
        _prepare(dbapi_connection, busy_seconds)

    engine = create_async_engine(url, pool_size=1, max_overflow=0)
    sa.event.listen(engine.sync_engine, "connect", on_connect)
    sa.event.listen(engine.sync_engine, "begin", _on_begin)
    try:
        async with engine.begin() as connection:
            stored = await connection.run_sync(_revision)
            if stored is not None:
                _check_known(stored, file_of(url))
            await connection.run_sync(migrate)
    except BaseException:
        await engine.dispose()
        raise
    return engine


_TROUBLES = (
    ("unable to open", "cannot be opened: its folder must exist, and both must be yours to read and write"),
    ("readonly", "cannot be written: give the user who runs Discade the right to write it and its folder"),
    ("malformed", "is damaged: `python -m bot restore FILE` puts a backup in its place"),
    ("not a database", "is no SQLite database: change DATABASE_URL, or put a backup in its place"),
    ("locked", "is kept locked by another program: end that one"),
    ("disk is full", "cannot grow: the disk is full"),
    ("disk I/O", "cannot be read or written: the disk reports an error"),
)
"""What SQLite says, and what that means to the person who runs the bot."""


@contextlib.contextmanager
def usable(url: str) -> Iterator[None]:
    """Raises Unusable, in one line, for what SQLite complains of inside."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        log.debug("the database failed", exc_info=error)
        said = str(error.orig)
        found = (means for part, means in _TROUBLES if part in said)
        raise Unusable(f"{file_of(url) or url} {next(found, f'cannot be used: {said}')}.") from error


def _check_known(stored: str, file: Path | None) -> str:
    """The newest version of the schema; raises Unusable where the stored one is newer than this code."""
    newest, *older = revisions()
    if stored != newest and stored not in older:
        raise Unusable(f"{file} was used by a newer Discade than this one: update this one.")
    return newest


def migrate(connection: sa.Connection) -> None:
    """Brings the database behind `connection` to the newest migration, in its transaction."""
    from alembic import command

    config = _alembic()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revisions() -> tuple[str, ...]:
    """Every version of the schema that this code knows, the newest first."""
    from alembic.script import ScriptDirectory

    return tuple(script.revision for script in ScriptDirectory.from_config(_alembic()).walk_revisions())


def _alembic() -> Config:
    from alembic.config import Config

    config = Config()
    # Its options are of configparser, where a percent sign in a path would begin something.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def _revision(connection: sa.Connection) -> str | None:
    """The version of the schema that is stored, or None for a database that has none of ours."""
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()


def _read_only(url: str) -> sa.URL:
    made = sa.make_url(url)
    path = Path(made.database or "").resolve().as_uri()
    return made.set(database=path).update_query_dict({"mode": "ro", "uri": "true"})


def _on_connect_to_read(dbapi_connection: Any, _record: Any) -> None:
    dbapi_connection.isolation_level = None
    dbapi_connection.execute("PRAGMA busy_timeout = 5000").close()


def _on_begin_to_read(connection: sa.Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _prepare(dbapi_connection: Any, busy_seconds: float) -> None:
    # The driver would open transactions by itself, and only at the first write; _on_begin does it instead.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    for pragma in (*_PRAGMAS, f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}"):
        cursor.execute(pragma)
    cursor.close()


def _on_begin(connection: sa.Connection) -> None:
    # Taking the write lock at once means that a transaction never fails half-way for want of it.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
