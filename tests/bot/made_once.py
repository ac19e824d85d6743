"""Expensive values that every test shares, made once in each process."""

from __future__ import annotations

import functools
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.util import LRUCache

from bot.i18n import Texts
from bot.store import database
from bot.store.versions import migrate
from tests.bot.cluster import cluster, is_wanted
from tests.working import MAX_TEST_WAIT_SECONDS


def share_compiled_statements() -> None:
    """Let all engines of this process compile each statement once.

    Every test opens engines of its own, and compiling was a tenth of the time of the tests with a database.
    """
    compiled: Any = LRUCache(5000)
    engine_class: Any = sa.Engine
    dialect_class: Any = DefaultDialect
    begin = sa.Engine.__init__

    def begun(engine: sa.Engine, *args: Any, **options: Any) -> None:
        begin(engine, *args, **options)
        engine._compiled_cache = compiled

    def kind(dialect: DefaultDialect) -> tuple[object, ...]:
        return type(dialect), dialect.server_version_info, dialect.paramstyle

    def is_same(dialect: DefaultDialect, other: object) -> bool:
        return dialect is other or (isinstance(other, DefaultDialect) and kind(dialect) == kind(other))

    engine_class.__init__ = begun
    # The dialect is a part of each statement's key in the cache.
    dialect_class.__eq__ = is_same
    dialect_class.__hash__ = lambda dialect: hash(type(dialect))


share_compiled_statements()

# On a busy machine any statement may be late; tests of the limit have one of their own.
database.QUERY_SECONDS = MAX_TEST_WAIT_SECONDS


@functools.cache
def all_texts() -> Texts:
    """Every language; nothing can change them, so that tests may share them."""
    return Texts.load()


def database_url(file: Path) -> str:
    """The address of the database of that file, made with all tables and no rows unless it is there already.

    In the run on PostgreSQL, of a database there that stands for the file.
    """
    if is_wanted():
        return cluster().database(file)
    return f"sqlite+aiosqlite:///{make_database(file)}"


def empty_database_url(file: Path) -> str:
    """The address of the database of that file, without tables if it is not there."""
    return cluster().database(file, is_empty=True) if is_wanted() else f"sqlite+aiosqlite:///{file}"


def altered(file: Path, statement: str) -> None:
    """Changes that database file from a second connection."""
    if is_wanted():
        cluster().execute(statement, database_url(file).rsplit("/", 1)[1])
        return
    with closing(sqlite3.connect(file)) as other, other:
        other.execute(statement)


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another program holds the database of that file for as long as the block takes."""
    if is_wanted():
        with cluster().locked(file):
            yield
        return
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def make_database(file: Path) -> Path:
    """The file, made with all tables and no rows unless it is there already."""
    if not file.exists():
        file.write_bytes(_migrated())
    return file


@functools.cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "discade.db")
        engine = sa.create_engine(f"sqlite:///{file}")
        with engine.connect() as connection:
            # As the bot opens its files; what is set here already need not be written for each test.
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return file.read_bytes()
