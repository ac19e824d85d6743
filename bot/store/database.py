"""One SQLite file behind SQLAlchemy: how it is opened, brought up to date and written safely.

One connection, because SQLite has one writer, and two writing connections in WAL mode were unsafe before
SQLite 3.51.3 (sqlite.org, "Write-Ahead Logging", section "The WAL-reset bug").
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

MIGRATIONS = Path(__file__).with_name("migrations")

_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    # A committed move must survive a power cut, not only a killed process.
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA busy_timeout = 5000",
)


async def open_database(url: str) -> AsyncEngine:
    """An engine on the database at `url`, its tables made or migrated to this version's."""
    engine = create_async_engine(url, pool_size=1, max_overflow=0)
    sa.event.listen(engine.sync_engine, "connect", _on_connect)
    sa.event.listen(engine.sync_engine, "begin", _on_begin)
    async with engine.begin() as connection:
        await connection.run_sync(migrate)
    return engine


def migrate(connection: sa.Connection) -> None:
    """Brings the database behind `connection` to the newest migration, in its transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _on_connect(dbapi_connection: Any, _record: Any) -> None:
    # The driver would open transactions by itself, and only at the first write; _on_begin does it instead.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    for pragma in _PRAGMAS:
        cursor.execute(pragma)
    cursor.close()


def _on_begin(connection: sa.Connection) -> None:
    # Taking the write lock at once means that a transaction never fails half-way for want of it.
    connection.exec_driver_sql("BEGIN IMMEDIATE")
