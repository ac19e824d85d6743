"""Errors of SQLite and PostgreSQL, classified: transient or not, and their text for the host."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
from collections.abc import Iterator

import sqlalchemy as sa

from bot.domain.errors import Unavailable
from bot.store.versions import Unusable, name_of

log = logging.getLogger(__name__)


class Locked(Unusable):
    """Another program holds the file; it may let go."""


_TRANSIENT_CODES = frozenset(
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
"""SQLite's primary result codes (sqlite.org, "Result and Error Codes")."""

_TRANSIENT_CLASSES = frozenset({"08", "25", "53", "55", "57", "58"})
"""Connections, read-only, resources, locks, operators, the system (postgresql.org, "Error Codes")."""

_SERIALIZATION_FAILURES = frozenset({"40001", "40P01"})
"""Serialization failure and deadlock: PostgreSQL has rolled one of two transactions back."""


def is_transient(error: BaseException) -> bool:
    """Whether nothing was changed, and the same transaction may succeed later."""
    if isinstance(error, OSError | sa.exc.TimeoutError):  # the server, or the pool, gave no connection
        return True
    if isinstance(error, sa.exc.DBAPIError) and error.connection_invalidated:
        return True
    state = _state_of(error)
    return (
        _sqlite_code(error) in _TRANSIENT_CODES
        or state in _SERIALIZATION_FAILURES
        or state[:2] in _TRANSIENT_CLASSES
    )


def is_locked(error: BaseException) -> bool:
    """Whether another program holds the SQLite file."""
    return _sqlite_code(error) == sqlite3.SQLITE_BUSY


def is_serialization_failure(error: BaseException) -> bool:
    """Whether PostgreSQL rolled the transaction back in favour of a concurrent one."""
    return _state_of(error) in _SERIALIZATION_FAILURES


def _sqlite_code(error: BaseException) -> int:
    """The primary result code, without the bits that extend it; 0 for another error."""
    return int(getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)) & 0xFF


def _state_of(error: BaseException) -> str:
    """PostgreSQL's SQLSTATE, five characters; "" for another error."""
    return str(getattr(getattr(error, "orig", error), "sqlstate", None) or "")


_SQLITE_ADVICE = (
    ("unable to open", "cannot be opened: its folder must exist, and both must be yours to read and write"),
    ("readonly", "cannot be written: give the user who runs Discade the right to write it and its folder"),
    ("malformed", "is damaged: `python -m bot restore FILE` puts a backup in its place"),
    ("not a database", "is no SQLite database: change DATABASE_URL, or put a backup in its place"),
    ("locked", "is kept locked by another program: end that one"),
    ("disk is full", "cannot grow: the disk is full"),
    ("disk I/O", "cannot be read or written: the disk reports an error"),
)
"""A part of SQLite's message, and the advice for the host."""

_POSTGRES_ADVICE = (
    ("28", "refuses us: DATABASE_URL needs a user and the password that PostgreSQL knows"),
    ("3D", "does not exist: make it with `createdb`"),
    ("42501", "is not ours to change: its user must own it, or have CREATE on the schema"),
    ("53300", "has too many connections: raise max_connections, or run fewer processes"),
    ("57P03", "is just starting or stopping: try again in a moment"),
)
"""The beginning of PostgreSQL's SQLSTATE, and the advice for the host."""


@contextlib.contextmanager
def usable(url: str) -> Iterator[None]:
    """Raise Unusable, with one line for the host, where the database at `url` cannot be used."""
    try:
        yield
    except Exception as error:
        # A store's method has logged the driver's error and raised Unavailable instead.
        cause = (error.__cause__ if isinstance(error, Unavailable) else None) or error
        advice = _advice(cause, is_sqlite=sa.make_url(url).get_backend_name() == "sqlite")
        if advice is None:
            raise
        log.debug("the database failed", exc_info=error)
        raise (Locked if is_locked(cause) else Unusable)(f"{name_of(url)} {advice}.") from error


def _advice(error: BaseException, *, is_sqlite: bool) -> str | None:
    """The advice for the host; None where the error does not come from the database."""
    message = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error)
    if is_sqlite:
        found = (advice for part, advice in _SQLITE_ADVICE if part in message)
    elif isinstance(error, OSError):
        return "cannot be reached: start PostgreSQL there, or correct host and port in DATABASE_URL"
    else:
        found = (advice for state, advice in _POSTGRES_ADVICE if _state_of(error).startswith(state))
    is_ours = isinstance(error, sa.exc.DBAPIError | sqlite3.Error | Unavailable)
    return next(found, f"cannot be used: {message}") if is_ours or _state_of(error) else None
