"""Types of the database connection that every store uses, and ways to read many rows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

T = TypeVar("T")

Connection: TypeAlias = AsyncConnection

Parameters = Mapping[str, Any] | Sequence[Mapping[str, Any]]

Work = Callable[[Connection], Awaitable[T]]
"""A coroutine of statements. It may run more than once, so it changes nothing but the database."""


async def batches(
    connection: Connection, statement: sa.Executable, size: int
) -> AsyncIterator[Sequence[sa.RowMapping]]:
    """Yield the rows of a statement, `size` at a time, without holding all of them in memory."""
    async with connection.stream(statement, execution_options={"yield_per": size}) as result:
        async for rows in result.mappings().partitions():
            yield rows


async def pages(
    connection: Connection, table: sa.Table, size: int, *where: sa.ColumnElement[bool]
) -> AsyncIterator[Sequence[sa.RowMapping]]:
    """Yield a table's rows by primary key, `size` at a time; the caller may change the rows it has read."""
    keys = list(table.primary_key)
    ordered = sa.select(table).where(*where).order_by(*keys).limit(size)
    query = ordered
    while rows := (await connection.execute(query)).mappings().all():
        yield rows
        last = [sa.literal(rows[-1][key.name], key.type) for key in keys]
        query = ordered.where(sa.tuple_(*keys) > sa.tuple_(*last))
