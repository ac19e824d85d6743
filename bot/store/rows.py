"""One row of a table: made of a value, kept in place of another, or over the version that was read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

import sqlalchemy as sa

from bot.store.connection import Connection
from bot.store.shared import Conflict, Values, upsert


class Versioned(Protocol):
    @property
    def id(self) -> int: ...
    @property
    def version(self) -> int: ...


def values_of(value: object, table: sa.Table, *, but: Collection[str] = ("id",), **others: object) -> Values:
    """The table's columns, from the attributes of the same names.

    but: columns that are not stored with the value. others: what stands in a column instead of an attribute.
    """
    names = (column.name for column in table.columns if column.name not in but)
    return {name: others[name] if name in others else getattr(value, name) for name in names}


def attributes_of(
    row: sa.Row[Any] | sa.RowMapping, *, but: Collection[str] = (), **others: object
) -> dict[str, Any]:
    """The other way round: what a value is made of."""
    columns = row._mapping if isinstance(row, sa.Row) else row
    return {name: found for name, found in columns.items() if name not in but} | others


async def put(connection: Connection, table: sa.Table, key: Values, values: Values) -> None:
    """Stores the row of that key, in place of the one that is there."""
    insert = upsert(table).values(**key, **values)
    await connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=values))


async def update_over(connection: Connection, table: sa.Table, before: Versioned, values: Values) -> None:
    """Stores these columns over the version that was read; raises Conflict where it is there no more."""
    seen = (table.c.id == before.id, table.c.version == before.version)
    changed = await connection.execute(sa.update(table).where(*seen).values(values))
    if changed.rowcount != 1:
        raise Conflict
