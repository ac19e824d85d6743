"""Copies a whole database to another, such as from SQLite to PostgreSQL or back."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.connection import Connection, batches
from bot.store.database import Database
from bot.store.shared import metadata
from bot.store.versions import Unusable

ROWS_AT_ONCE = 2_000


async def copy_everything(source: Database, target: Database) -> dict[str, int]:
    """Copy every row as of one moment, all or nothing; return the number of rows by table.

    Raises Unusable if the target is not empty, or if a damaged row of the source cannot be stored there.
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
            await _set_sequence(new, table)
    return copied


async def _copy(old: Connection, new: Connection, table: sa.Table) -> int:
    count = 0
    # In the order of the key, so that the target's index grows at its end.
    query = sa.select(table).order_by(*table.primary_key.columns)
    insert = sa.insert(table)
    async for batch in batches(old, query, ROWS_AT_ONCE):
        await new.execute(insert, [dict(row) for row in batch])
        count += len(batch)
    return count


async def _set_sequence(new: Connection, table: sa.Table) -> None:
    """Set PostgreSQL's sequence after the last id; SQLite needs no sequence."""
    if new.dialect.name != "postgresql" or table.autoincrement_column is None:
        return
    column = table.autoincrement_column
    sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
    last = sa.select(sa.func.coalesce(sa.func.max(column), 0) + 1).scalar_subquery()
    await new.execute(sa.select(sa.func.setval(sequence, last, False)))
