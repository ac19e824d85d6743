"""SQLAlchemy's dialect for our SQLite files: how a transaction begins, and how long a question may take.

SQLAlchemy's events could say both, and would cost each statement four walks through lists of listeners.
"""

from __future__ import annotations

import sqlite3
import time
from typing import Any

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

DRIVER = "sqlite+discade"
"""What URLs begin with whose engine is to have this dialect."""

_STEPS = 20_000
"""Steps of SQLite's virtual machine between two looks at the clock: about a millisecond."""


class FileDialect(SQLiteDialect_pysqlite):
    """begins_with: the statement. query_seconds: how long one statement may take, None for ever."""

    supports_statement_cache = True

    def __init__(
        self, begins_with: str = "BEGIN", query_seconds: float | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self._begins_with = begins_with
        self._query_seconds = query_seconds
        self._give_up_at = float("inf")

    def watch(self, raw: sqlite3.Connection) -> None:
        """Lets the driver's connection give up what takes too long."""
        if self._query_seconds is not None:
            raw.set_progress_handler(lambda: time.monotonic() > self._give_up_at, _STEPS)

    def do_begin(self, dbapi_connection: Any) -> None:
        # The driver would open transactions by itself, at the first write.
        dbapi_connection.dbapi_connection.execute(self._begins_with).close()

    def do_execute(self, cursor: Any, statement: Any, parameters: Any, context: Any = None) -> None:  # noqa: ARG002
        if self._query_seconds is not None:
            self._give_up_at = time.monotonic() + self._query_seconds
        cursor.execute(statement, parameters)


registry.register(DRIVER.replace("+", "."), __name__, FileDialect.__name__)
