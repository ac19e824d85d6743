"""The database behind SQLAlchemy: a SQLite file (`bot.store.sqlite`) or PostgreSQL (`bot.store.postgres`)."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

import sqlalchemy as sa

from bot.domain.errors import Refusal, Unavailable
from bot.domain.shards import Shards
from bot.store import postgres, sqlite
from bot.store.connection import Connection, Parameters, Work, is_passing
from bot.store.shared import Conflict, on_share
from bot.store.versions import BUSY_SECONDS, Unusable, check_known, existing_file, file_of, name_of, usable

log = logging.getLogger(__name__)

P = ParamSpec("P")
T = TypeVar("T")

QUERY_SECONDS = 4.0
"""How long one question may take; the database then gives it up."""

_TURN_SECONDS = 1.0
"""How long a change that contradicted another waits for those that did so before."""


class Backend(Protocol):
    """The connections of one process."""

    def reading(self) -> AbstractAsyncContextManager[Connection]: ...
    def writing(self) -> AbstractAsyncContextManager[Connection]: ...
    async def ask(self, question: Work[T]) -> T: ...
    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T: ...
    async def empty_log(self) -> None: ...
    async def stored_revision(self) -> str | None: ...
    async def close(self) -> None: ...


class Database:
    """What the stores share.

    url: None where it is in memory, or only read. share: whose servers' work this process does by itself;
    None for all.
    """

    def __init__(self, backend: Backend, *, url: str | None = None) -> None:
        self.url = url
        self.share: Shards | None = None
        self.backend = backend
        self.under_way: set[asyncio.Task[Any]] = set()
        self.second_tries = asyncio.Lock()
        self._file = None if url is None else file_of(url)
        self._number = _number_of(self._file)
        self._is_gone = False

    @classmethod
    async def open(
        cls, url: str, *, busy_seconds: float = BUSY_SECONDS, query_seconds: float = QUERY_SECONDS
    ) -> Self:
        """The database at `url`, its tables made or migrated to this version's; raises Unusable."""
        if postgres.is_postgres(url):
            with _reachable(url):
                return cls(await postgres.open_server(url, busy_seconds, query_seconds), url=url)
        with usable(url):
            file = await sqlite.open_file(url, busy_seconds, query_seconds)
        return cls(file, url=None if file_of(url) is None else url)

    @classmethod
    async def open_to_read(cls, url: str) -> Self:
        """The database at `url` for whoever only reads, also while another process writes.

        Nothing is made or migrated: raises Unusable where there is none of this version.
        """
        backend: Backend
        if postgres.is_postgres(url):
            backend = postgres.open_to_read(url)
        else:
            existing_file(url)
            backend = sqlite.open_to_read(url)
        name = name_of(url)
        try:
            with usable(url), _reachable(url):
                stored = await backend.stored_revision()
            if stored is None:
                raise Unusable(f"{name} is no database of Discade: DATABASE_URL must name one.")
            if stored != check_known(stored, name):
                raise Unusable(f"{name} is of an older Discade: start the bot once to bring it up to date.")
        except BaseException:
            await backend.close()
            raise
        return cls(backend)

    @property
    def is_sqlite(self) -> bool:
        return isinstance(self.backend, sqlite.SqliteFile)

    def mine(self, guild_id: sa.ColumnElement[int | None]) -> tuple[sa.ColumnElement[bool], ...]:
        """What is true of servers whose work is this process's; nothing where that is all of them."""
        return on_share(guild_id, self.share)

    def reading(self) -> AbstractAsyncContextManager[Connection]:
        """A connection that sees what was committed last, and changes nothing."""
        return self.backend.reading()

    def writing(self) -> AbstractAsyncContextManager[Connection]:
        """A connection whose changes are kept at the end, all of them, or none if it is left by an error."""
        self._check_there()
        return self.backend.writing()

    async def ask(self, question: Work[T]) -> T:
        """What `question` returns, which changes nothing and waits for nothing but its statements."""
        return await self.backend.ask(question)

    async def numbers(self, query: sa.Select[tuple[int]], values: Parameters) -> Sequence[int]:
        """The numbers that a quick query with these values gives."""

        async def read(connection: Connection) -> Sequence[int]:
            return (await connection.execute(query, values)).scalars().all()

        return await self.ask(read)

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:
        """What `work` returns, once what it has changed is kept; nothing is if it raises.

        It waits for nothing but its statements. Changes may share a transaction: each sees those before it,
        and one that fails spoils no other. is_guarded: each statement says itself of what state it is true.
        """
        self._check_there()
        return await self.backend.change(work, is_guarded=is_guarded)

    def _check_there(self) -> None:
        """Raises Unavailable where the file was moved or deleted: what is written then would be lost."""
        is_gone = self._file is not None and _number_of(self._file) != self._number
        if is_gone and not self._is_gone:
            log.error("%s was moved or deleted: put it back, or end the bot and restore a backup", self._file)
        self._is_gone = is_gone
        if is_gone:
            raise Unavailable("database_unavailable")

    async def empty_log(self) -> None:
        """Moves what was committed into the file itself, so that the log holds nothing that is deleted.

        While somebody reads what the log has, it stays; it is emptied the next time. PostgreSQL sees to its
        own.
        """
        await self.backend.empty_log()

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        while self.under_way:
            await asyncio.wait(tuple(self.under_way))
        await self.backend.close()


def _number_of(file: Path | None) -> tuple[int, int] | None:
    """Which file it is, whatever its name."""
    try:
        found = None if file is None else file.stat()
    except OSError:
        return None
    return None if found is None else (found.st_dev, found.st_ino)


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
        change = functools.partial(method, self, *args, **kwargs)
        task = asyncio.create_task(_made_whole(change, self._database.second_tries))
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


async def _made_whole(change: Callable[[], Coroutine[Any, Any, T]], second_tries: asyncio.Lock) -> T:
    """What the change gives, once it contradicts no other that PostgreSQL made at the same time.

    Those of this process that have failed are tried again one after another: where many matches of a game end
    at once, all count in the same totals, and would go on contradicting each other.
    """
    for tries in range(postgres.MOST_TRIES):
        try:
            async with contextlib.nullcontext() if tries == 0 else _in_turn(second_tries):
                return await change()
        except sa.exc.DBAPIError as error:
            if not postgres.is_collision(error) or tries == postgres.MOST_TRIES - 1:
                raise
        await asyncio.sleep(postgres.wait_seconds(tries))
    raise AssertionError("the last try has returned or raised")


@contextlib.asynccontextmanager
async def _in_turn(lock: asyncio.Lock) -> AsyncIterator[None]:
    """Alone, unless that would take too long: then beside the other."""
    try:
        await asyncio.wait_for(lock.acquire(), _TURN_SECONDS)
    except TimeoutError:
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _note_unseen(task: asyncio.Task[Any]) -> None:
    """What became of a change that nobody waits for any more; that somebody else was faster is no news."""
    error = None if task.cancelled() else task.exception()
    if error is not None and not isinstance(error, (Conflict, Refusal)):
        log.warning("a change that nobody waited for any more failed: %r", error)


def _is_passing(error: Exception) -> bool:
    if isinstance(error, sa.exc.OperationalError) and isinstance(error.orig, sqlite3.Error):
        return is_passing(error)
    return postgres.is_passing(error)


@contextlib.contextmanager
def _reachable(url: str) -> Iterator[None]:
    """Raises Unusable, in one line, where a server cannot be had at all."""
    try:
        yield
    except Exception as error:
        if not postgres.is_postgres(url) or (means := postgres.trouble(error)) is None:
            raise
        raise Unusable(f"{name_of(url)} {means}") from error
