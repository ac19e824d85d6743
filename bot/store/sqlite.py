"""One SQLite file: how it is opened, brought up to date, written safely and read at once.

One connection writes, because SQLite has one writer, and two writing connections in WAL mode were unsafe
before SQLite 3.51.3 (sqlite.org, "Write-Ahead Logging", section "The WAL-reset bug"). A few others only read:
in WAL mode nobody who reads waits for the writer, nor for who else reads. Changes that come while the writer
is busy are committed together, by one write to the disk, and each is told of its own end after that.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

import sqlalchemy as sa

from bot.store.backup import before_migration
from bot.store.connection import Connection, Failed, Lane, Trips, Work, all_of, is_locked, run
from bot.store.sqlite_dialect import DRIVER, FileDialect
from bot.store.versions import Unusable, check_file, check_known, file_of, migrate, name_of, revision_in

log = logging.getLogger(__name__)

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

QUICK_READERS = 2
"""Connections kept for questions that are quick and asked by every move, which wait for no slow one."""

MOST_TOGETHER = 64
"""Changes in one transaction, so that nobody waits for too many others."""


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A change that waits for the writer, who waits for it, and since when."""

    work: Work[Any]
    future: asyncio.Future[Any]
    came_at: float

    def settle(self, outcome: Any) -> None:
        if self.future.cancelled():
            return
        if isinstance(outcome, Failed):
            self.future.set_exception(outcome.error)
        else:
            self.future.set_result(outcome)


class SqliteFile:
    """The connections of a process to one file: a lane that writes, and a few that read.

    readers: without them the one that writes reads, too. quick: those for `ask`, or the same.
    """

    def __init__(self, writer: Lane, readers: tuple[Lane, ...] = (), quick: tuple[Lane, ...] = ()) -> None:
        self._writer = writer
        self._readers = (*readers, *quick)
        self._writing = asyncio.Lock()
        self._idle: asyncio.Queue[Lane] = asyncio.Queue()
        self._idle_quick: asyncio.Queue[Lane] = asyncio.Queue() if quick else self._idle
        for lane in readers:
            self._idle.put_nowait(lane)
        for lane in quick:
            self._idle_quick.put_nowait(lane)
        self._waiting: list[_Waiting] = []
        self._locked: tuple[float, sa.exc.OperationalError] | None = None
        self._committing: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[Connection]:
        """A connection that sees what was committed last, and changes nothing."""
        async with self._reader(self._idle) as lane:
            try:
                yield Trips(lane)
            finally:
                lane.do_later(sa.Connection.rollback)

    @asynccontextmanager
    async def _reader(self, idle: asyncio.Queue[Lane]) -> AsyncIterator[Lane]:
        """A lane that nobody else uses meanwhile."""
        if not self._readers:
            async with self._writing:
                yield self._writer
            return
        lane = await idle.get()
        try:
            yield lane
        finally:
            idle.put_nowait(lane)

    async def ask(self, question: Work[T]) -> T:
        """What `question` returns, which changes nothing: all its statements in one trip."""
        async with self._reader(self._idle_quick) as lane:
            return await lane.do(lambda connection: _asked(connection, question))

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[Connection]:
        """A connection whose changes are kept at the end, all of them, or none if it is left by an error."""
        came_at = time.monotonic()
        async with self._writing:
            self._check_unlocked(came_at)
            try:
                await self._writer.do(sa.Connection.begin)
            except sa.exc.OperationalError as error:
                self._note(error)
                raise
            try:
                yield Trips(self._writer)
            except BaseException:
                self._writer.do_later(sa.Connection.rollback)
                raise
            await self._writer.do(_commit)

    async def change(self, work: Work[T], *, is_guarded: bool = False) -> T:  # noqa: ARG002
        """What `work` returns, once what it has changed is kept; nothing is if it raises.

        Changes may share a transaction: each sees those before it, and one that fails spoils no other.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Waiting(work, future, time.monotonic()))
        if self._committing is None:
            self._committing = asyncio.create_task(self._commit_waiting())
        return await future

    async def _commit_waiting(self) -> None:
        try:
            while self._waiting:
                async with self._writing:
                    together, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
                    await self._commit([one for one in together if self._may_begin(one)])
        finally:
            self._committing = None

    async def _commit(self, together: list[_Waiting]) -> None:
        if not together:
            return
        works = [one.work for one in together]
        try:
            outcomes = await self._writer.do(lambda connection: all_of(connection, works))
        except Exception as error:  # noqa: BLE001 - it is that of everybody who waits
            self._note(error)
            outcomes = [Failed(error)] * len(together)
        for one, outcome in zip(together, outcomes, strict=True):
            one.settle(outcome)

    def _may_begin(self, one: _Waiting) -> bool:
        """Whether it need not end as those did that it waited for."""
        try:
            self._check_unlocked(one.came_at)
        except sa.exc.OperationalError as error:
            one.settle(Failed(error))
            return False
        return True

    def _check_unlocked(self, came_at: float) -> None:
        """Raises for whoever waited while somebody else found the file locked by another program.

        Would each wait for that lock in turn, people got no answer at all before Discord gives up.
        """
        if self._locked is not None and self._locked[0] > came_at:
            found = self._locked[1]
            raise sa.exc.OperationalError(found.statement, None, found.orig or found)

    def _note(self, error: Exception) -> None:
        if isinstance(error, sa.exc.OperationalError) and is_locked(error):
            self._locked = time.monotonic(), error

    async def empty_log(self) -> None:
        """Moves what was committed into the file itself, so that the log holds nothing that is deleted.

        While somebody reads what the log has, it stays; it is emptied the next time.
        """
        async with self._writing:
            await self._writer.do(_empty_log)

    async def stored_revision(self) -> str | None:
        """The version of the schema that it has."""
        return await self._writer.do(_revision)

    async def close(self) -> None:
        for lane in (*self._readers, self._writer):
            await lane.close()


async def open_file(url: str, busy_seconds: float, query_seconds: float) -> SqliteFile:
    """The file at `url`, its tables made or migrated to this version's; raises Unusable."""
    writer = await _open_writer(url, busy_seconds)
    # What is in memory belongs to the connection that made it.
    if file_of(url) is None:
        return SqliteFile(writer)
    readers, quick = (
        tuple(_lane_to_read(url, query_seconds) for _ in range(count)) for count in (READERS, QUICK_READERS)
    )
    return SqliteFile(writer, readers, quick)


def open_to_read(url: str) -> SqliteFile:
    """The file at `url` for whoever only reads."""
    return SqliteFile(_lane_to_read(url))


async def _open_writer(url: str, busy_seconds: float) -> Lane:
    def on_connect(raw: sqlite3.Connection, _record: Any) -> None:
        raw.isolation_level = None
        for pragma in (*_PRAGMAS, f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}"):
            raw.execute(pragma).close()

    if (file := file_of(url)) is not None:
        check_file(file)
        _keep_private(file)
    # Taking the write lock at once means that a transaction never fails half-way for want of it.
    engine = _engine(sa.make_url(url), begins_with="BEGIN IMMEDIATE")
    sa.event.listen(engine, "connect", on_connect)
    lane = Lane(engine, "writer")
    try:
        stored = await lane.do(_revision)
        newest = None if stored is None else check_known(stored, name_of(url))
        if stored is None and await lane.do(_has_tables):
            raise Unusable(f"{name_of(url)} is no database of Discade: let DATABASE_URL name another file.")
        is_behind = file is not None and newest is not None and stored != newest
        await lane.do(sa.Connection.begin)
        try:
            await _migrate(lane, file if is_behind else None, newest)
        except BaseException:
            await lane.do(sa.Connection.rollback)
            raise
        await lane.do(_commit)
    except BaseException:
        await lane.close()
        raise
    return lane


def _engine(address: sa.URL, **options: Any) -> sa.Engine:
    """For a lane: it has one connection and keeps it. options: of its dialect."""
    return sa.create_engine(
        address.set(drivername=DRIVER),
        poolclass=sa.StaticPool,
        # A lane uses it in one thread at a time; who closes it may be another.
        connect_args={"check_same_thread": False},
        **options,
    )


def _revision(connection: sa.Connection) -> str | None:
    with connection.begin():
        return revision_in(connection)


def _has_tables(connection: sa.Connection) -> bool:
    with connection.begin():
        return bool(connection.scalar(sa.text("SELECT count(*) FROM sqlite_master")))


def _asked(connection: sa.Connection, question: Work[T]) -> T:
    try:
        return run(connection, question)
    finally:
        connection.rollback()


def _commit(connection: sa.Connection) -> None:
    try:
        connection.commit()
    except BaseException:
        connection.rollback()
        raise


def _empty_log(connection: sa.Connection) -> None:
    raw: Any = connection.connection.dbapi_connection
    raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").close()


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


async def _migrate(lane: Lane, behind: Path | None, newest: str | None) -> None:
    """Brings the tables up to date in the transaction that is open; whoever began it commits it.

    behind: the file if it is of an older version. Meanwhile it is copied as it was: who reads sees nothing of
    what is not committed.
    """
    if behind is None or newest is None:
        await lane.do(migrate)
        return
    megabytes = behind.stat().st_size / 1e6
    log.info("the database is brought up to date, and copied as it was before (%.0f MB)", megabytes)
    copying = asyncio.create_task(asyncio.to_thread(before_migration, behind, newest))
    try:
        await lane.do(migrate)
    finally:
        made = await copying
    log.info("as it was, it is in %s", made)


def _lane_to_read(url: str, query_seconds: float | None = None) -> Lane:
    """A connection that only reads. query_seconds: how long one question may take, None for ever."""
    made = sa.make_url(url)
    path = Path(made.database or "").resolve().as_uri()
    address = made.set(database=path).update_query_dict({"mode": "ro", "uri": "true"})
    engine = _engine(address, query_seconds=query_seconds)

    def on_connect(raw: sqlite3.Connection, _record: Any) -> None:
        raw.isolation_level = None
        raw.execute("PRAGMA busy_timeout = 5000").close()
        cast("FileDialect", engine.dialect).watch(raw)

    sa.event.listen(engine, "connect", on_connect)
    return Lane(engine, "reader")
