"""A whole database copied into another, of whichever kind: how a community moves to PostgreSQL, or back."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.connection import Connection, batches
from bot.store.database import Database
from bot.store.shared import metadata
from bot.store.versions import Unusable

ROWS_AT_ONCE = 2_000


async def copy_everything(source: Database, target: Database) -> dict[str, int]:
    """Copies every row as the source was at one moment, all or nothing; returns the number of rows by table.

    target: of this version, and without a row. Raises Unusable where it has one, or where a row of the source
    is damaged and has no place there.
    """
    copied = {}
    async with source.reading() as old, target.writing() as new:
        for table in metadata.sorted_tables:
            if await new.scalar(sa.select(sa.exists(sa.select(sa.literal(1)).select_from(table)))):
                raise Unusable("The database to copy to has something in it: name one that is empty.")
        for table in metadata.sorted_tables:
            try:
                copied[table.name] = await _copy(old, new, table)
            except (sa.exc.SQLAlchemyError, ValueError, TypeError) as error:
                raise Unusable(
                    f"A row of the table {table.name} cannot be copied ({error}): "
                    "`python -m bot check` tells which are damaged."
                ) from error
            await _number_on(new, table)
    return copied


async def _copy(old: Connection, new: Connection, table: sa.Table) -> int:
    count = 0
    # In the order of the key, so that the other side's index grows at its end.
    query = sa.select(table).order_by(*table.primary_key.columns)
    insert = sa.insert(table)
    async for batch in batches(old, query, ROWS_AT_ONCE):
        await new.execute(insert, [dict(row) for row in batch])
        count += len(batch)
    return count


async def _number_on(new: Connection, table: sa.Table) -> None:
    """PostgreSQL counts its rows' numbers apart from them; SQLite goes on from the last by itself."""
    if new.dialect.name != "postgresql" or table.autoincrement_column is None:
        return
    column = table.autoincrement_column
    sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
    last = sa.select(sa.func.coalesce(sa.func.max(column), 0) + 1).scalar_subquery()
    await new.execute(sa.select(sa.func.setval(sequence, last, False)))
