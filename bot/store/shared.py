"""Shared by all tables: metadata, column types, partial indexes, conditions on shards, and Conflict."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal

from bot.domain.names import LONGEST_NAME, tidy
from bot.domain.shards import Shards

upsert = insert
"""PostgreSQL's insert, which SQLAlchemy also compiles for SQLite; the reverse does not work."""

SENDING_FOR = timedelta(minutes=1)
"""How long after it is stored a message may still be on its way: a request waits up to 30 s in the queue."""

_EPOCH, _MICROSECOND = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)


def microseconds(at: datetime) -> int:
    """Return the microseconds since 1970, in UTC."""
    return (at - _EPOCH) // _MICROSECOND


def instant(count: int) -> datetime:
    """Return the instant of `microseconds`; raise OverflowError for a number out of range."""
    return _EPOCH + timedelta(microseconds=count)


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite stores microseconds since 1970, in a third of the space of a text."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        is_sqlite = dialect.name == "sqlite"
        return dialect.type_descriptor(sa.BigInteger() if is_sqlite else sa.DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> Any:
        if value is None or dialect.name != "sqlite":
            return None if value is None else value.astimezone(UTC)
        return microseconds(value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> datetime | None:
        if value is None or dialect.name != "sqlite":
            return None if value is None else value.astimezone(UTC)
        try:
            return instant(value)
        except (OverflowError, TypeError) as error:
            raise ValueError(f"{value!r} is no instant") from error


class ShownName(sa.types.TypeDecorator[str]):
    """A name that somebody chose; cleaned on reading too, since older versions stored names as they came."""

    impl = sa.String(LONGEST_NAME)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else tidy(str(value))


class PlayerKey(sa.types.TypeDecorator[str]):
    """A person's id or a level's key, as text; SQLite stores digits as a number, in half the space.

    SQLite converts a text of digits to a number when it compares, since the column is declared as one.
    """

    impl = sa.String(64)
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        is_sqlite = dialect.name == "sqlite"
        return dialect.type_descriptor(sa.BigInteger() if is_sqlite else sa.String(64))

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return value

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else str(value)


_CODES = {
    "connect-four": "c", "othello": "o", "tic-tac-toe": "t", "gomoku": "g", "pop-out": "p", "puzzles": "z",
    "3x3": "3", "6x7x4": "6", "8x8": "8", "en-US": "e", "usual": "u", "normal": "n",
}  # fmt: skip
"""Released codes never change. A word without a code, such as a new game's key, is stored as it is."""

_WORDS = {code: word for word, code in _CODES.items()}


class Word(sa.types.TypeDecorator[str]):
    """A text that SQLite stores as one letter if it is frequent. It can be compared, but not sorted."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None or dialect.name != "sqlite":
            return value
        return _CODES.get(value) or (f"={value}" if len(value) == 1 else value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        if not isinstance(value, str) or dialect.name != "sqlite":
            return value
        return _WORDS.get(value) or (value[1:] if len(value) == 2 and value[0] == "=" else value)


class IsInstant(sa.ColumnElement[bool]):
    """The condition that a column of instants holds one: SQLite would store anything there."""

    inherit_cache = True
    type = sa.Boolean()

    def __init__(self, column: sa.ColumnElement[datetime]) -> None:
        self.column = column

    _traverse_internals = [("column", InternalTraversal.dp_clauseelement)]  # noqa: RUF012


@compiles(IsInstant)
def _is_in_range(element: IsInstant, compiler: SQLCompiler, **options: Any) -> str:
    column = compiler.process(element.column, **options)
    # Up to the end of the year 9999. SQLite sorts texts after all numbers.
    return f"{column} BETWEEN 0 AND 253402300799999999"


@compiles(IsInstant, "postgresql")
def _is_always_one(_element: IsInstant, _compiler: SQLCompiler, **_options: Any) -> str:
    return "true"


def partial_index(
    name: str,
    where: sa.ColumnElement[bool] | sa.TextClause,
    *columns: sa.ColumnElement[Any],
    unique: bool = False,
) -> None:
    """Declare an index, on the columns' table, of the rows for which `where` is true."""
    sa.Index(name, *columns, unique=unique, sqlite_where=where, postgresql_where=where)


def id_column() -> sa.Column[int]:
    """Return a key that the database counts up."""
    # SQLite numbers rows by itself only where the key is exactly INTEGER.
    return sa.Column(
        "id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True
    )


def is_on(guild_id: sa.ColumnElement[int | None], shards: Shards) -> sa.ColumnElement[bool]:
    """Return the condition that the server is on one of the shards, by the rule of `Shards.covers`."""
    shard = sa.func.coalesce(guild_id, 0).bitwise_rshift(sa.literal(22, sa.Integer)) % shards.count
    return shard.in_(sorted(shards.numbers))


def on_share(
    guild_id: sa.ColumnElement[int | None], share: Shards | None
) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions of servers on these shards; none if all servers are on them."""
    return () if share is None else (is_on(guild_id, share),)


Values = dict[str, Any]
"""Columns by name."""


class Conflict(Exception):
    """The row was changed since it was loaded; nothing was stored."""


def new_id(done: sa.CursorResult[Any]) -> int:
    key = done.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave the new row no id")
    return int(key[0])
