"""A temporary database in which matches are counted again, and compared with the stored rows.

It is a SQLite file, also beside PostgreSQL: a recount needs little memory however many matches there are.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import sqlalchemy as sa

from bot.store.connection import Connection, Parameters
from bot.store.shared import Values, metadata

_PRAGMAS = ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF", "cache_size = -40000")
"""No other process reads the file, and it is not kept. The cache of 40 MB bounds the memory."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that is not stored as it is counted. stored, counted: None where there is no such row."""

    table: sa.Table
    key: Values
    stored: Values | None
    counted: Values | None

    def __str__(self) -> str:
        key = tuple(self.key.values())
        return f"{self.table.name} {key}: stored {self.stored}, counted {self.counted}"


class Scratch:
    """A connection to empty tables, beside which copies of the stored ones can be put.

    It has the methods of `Connection` that counting needs; they do not wait, as nothing else uses the file.
    """

    def __init__(self, tables: Sequence[sa.Table]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="discade-")
        self._engine = sa.create_engine(f"sqlite:///{Path(self._folder.name) / 'recount.db'}")
        self._connection = self._engine.connect()
        for pragma in _PRAGMAS:
            self._connection.exec_driver_sql(f"PRAGMA {pragma}")
        metadata.create_all(self._connection, tables=tables)
        self._stored = {table: _copy_of(table) for table in tables}
        for copy in self._stored.values():
            copy.create(self._connection)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._engine.dispose()
        # A virus scanner may hold the file; the system removes it later.
        with contextlib.suppress(OSError):
            self._folder.cleanup()

    async def execute(
        self, statement: sa.Executable, parameters: Parameters | None = None
    ) -> sa.CursorResult[Any]:
        return self._connection.execute(statement, parameters)

    @property
    def as_connection(self) -> Connection:
        return cast(Connection, self)

    def add(self, table: sa.Table, rows: Iterable[sa.RowMapping]) -> None:
        """Add rows to a table."""
        values = [dict(row) for row in rows]
        if values:
            self._connection.execute(sa.insert(table), values)

    def add_stored(self, table: sa.Table, rows: Iterable[sa.RowMapping]) -> None:
        """Add rows to the copy of the stored table."""
        copy = self._stored[table]
        names = [column.name for column in copy.c]
        self._connection.execute(sa.insert(copy), [{name: row[name] for name in names} for row in rows])

    def counted(self, table: sa.Table, size: int) -> Iterator[list[Values]]:
        """Yield the counted rows in the order of their ids, without the ids, `size` at a time."""
        query = sa.select(*_compared(table)).order_by(table.c.id).execution_options(yield_per=size)
        for rows in self._connection.execute(query).mappings().partitions():
            yield [dict(row) for row in rows]

    def differences(self, table: sa.Table, size: int) -> Iterator[list[Difference]]:
        """Yield the rows in which the table and the stored copy differ, `size` at a time."""
        columns, copy = _compared(table), self._stored[table]
        key = [column.name for column in copy.primary_key]
        has_same_key = sa.and_(*(copy.c[name] == table.c[name] for name in key))
        is_other = sa.or_(*(copy.c[column.name].is_distinct_from(column) for column in columns))
        names = [column.name for column in columns]
        queries = (
            sa.select(*copy.c, *columns)
            .select_from(copy.outerjoin(table, has_same_key))
            .where(sa.or_(table.c[key[0]].is_(None), is_other)),
            sa.select(*copy.c, *columns)
            .select_from(sa.outerjoin(table, copy, has_same_key))
            .where(copy.c[key[0]].is_(None)),
        )
        at_key = names.index(key[0])

        def difference(row: sa.Row[Any]) -> Difference:
            stored, counted = (
                None if side[at_key] is None else dict(zip(names, side, strict=True))
                for side in (row[: len(names)], row[len(names) :])
            )
            found = stored or counted or {}
            return Difference(table, {name: found[name] for name in key}, stored, counted)

        for query in queries:
            found = self._connection.execute(query.execution_options(yield_per=size))
            for rows in found.partitions():
                yield [difference(row) for row in rows]


class _Anything(sa.types.UserDefinedType[Any]):
    """Type of a column that takes any value: a damaged row may have a text in place of a float.

    Keys need their own types, or SQLite would not use their index.
    """

    cache_ok = True

    def get_col_spec(self, **_options: Any) -> str:
        return ""


def _compared(table: sa.Table) -> list[sa.Column[Any]]:
    """The columns that are compared: ids depend on how often rows were written."""
    return [column for column in table.c if column.name != "id"]


def _copy_of(table: sa.Table) -> sa.Table:
    """An empty table for the stored rows, with the same key but without ids and constraints."""
    key = [column.name for column in table.primary_key]
    if key == ["id"]:
        key = ["match_id"] if "match_id" in table.c else []
    columns = (
        sa.Column(
            column.name,
            _Anything() if isinstance(column.type, sa.Float) else column.type,
            primary_key=column.name in key,
            autoincrement=False,
        )
        for column in _compared(table)
    )
    return sa.Table(f"stored_{table.name}", sa.MetaData(), *columns)
