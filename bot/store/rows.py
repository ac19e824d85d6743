"""One row of a table: made of a value, kept in place of another, or over the version that was read.

Each statement is built once, since SQLAlchemy takes longer to build one than SQLite to run it.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
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
    await connection.execute(_put(table, tuple(key), tuple(values)), {**key, **values})


@lru_cache(maxsize=256)
def _put(table: sa.Table, key: tuple[str, ...], names: tuple[str, ...]) -> sa.Executable:
    insert = upsert(table)
    new = {name: insert.excluded[name] for name in names}
    return insert.on_conflict_do_update(index_elements=list(key), set_=new)


async def update_over(connection: Connection, table: sa.Table, before: Versioned, values: Values) -> None:
    """Stores these columns over the version that was read; raises Conflict where it is there no more."""
    seen = {"seen_id": before.id, "seen_version": before.version}
    changed = await connection.execute(_update_over(table), values | seen)
    if changed.rowcount != 1:
        raise Conflict


@lru_cache(maxsize=64)
def _update_over(table: sa.Table) -> sa.Update:
    is_seen = (table.c.id == sa.bindparam("seen_id"), table.c.version == sa.bindparam("seen_version"))
    return sa.update(table).where(*is_seen)


@lru_cache(maxsize=64)
def at_key(table: sa.Table, names: tuple[str, ...]) -> sa.Select[Any]:
    """The rows in which the columns of these names are what `own_` and the name stand for."""
    return sa.select(table).where(*(table.c[name] == sa.bindparam(f"own_{name}") for name in names))
