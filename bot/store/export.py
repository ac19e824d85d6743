"""A person's data as a file: every row that names them, streamed into a ZIP archive.

Fifty thousand matches have a million and a half moves. As rows these would block the event loop for seconds
and exceed the size of a message, so the moves of a match are one line.
"""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from bot.store.connection import Connection, batches
from bot.store.damage import DAMAGE, Damage
from bot.store.database import Database
from bot.store.match_rows import is_seated, matches
from bot.store.move_codec import PlainMove
from bot.store.moves import PACKED, read_plain_moves
from bot.store.privacy import TRACES, names_of
from bot.store.rating_steps import LOCAL, SIDES, rating_steps
from bot.store.shared import instant, metadata

FILE_NAME = "discade-my-data.json"
ROWS_AT_ONCE = 500

STRANGE = {
    "matches": ("first_user", "second_user"),
    "challenges": ("opponent_user",),
    "never_meet": ("other_user_id",),
    "name_reports": ("other_user_id", "guild_id"),
}
"""Columns by table with ids of people, and their servers, whose names a person was perhaps never told."""

Reader = Callable[[Any], Any]


def export_of(url: str, user_id: int, now: datetime) -> bytes:
    """Return a ZIP archive with one JSON file: rows by table as of one moment, instants in UTC.

    moves: for each match its moves, the time of the first, and the seconds from each to the next. Blocks;
    call it in a thread without an event loop.
    """
    return asyncio.run(_export(url, user_id, now))


async def _export(url: str, user_id: int, now: datetime) -> bytes:
    database = await Database.open_to_read(url)
    try:
        async with database.reading() as connection:
            return await _archive(connection, user_id, now)
    finally:
        await database.close()


async def _archive(connection: Connection, user_id: int, now: datetime) -> bytes:
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(FILE_NAME, "w", force_zip64=True) as stream,
    ):
        text = io.TextIOWrapper(stream, "utf-8")
        async for part in _document(connection, user_id, now):
            text.write(part)
        text.flush()
        text.detach()
    return made.getvalue()


async def _document(connection: Connection, user_id: int, now: datetime) -> AsyncIterator[str]:
    yield f'{{"exported_at": {json.dumps(now.isoformat())}, "user_id": {user_id}, "tables": {{'
    tables = 0
    for name, rows in _tables(connection, user_id):
        count = 0
        async for row in rows:
            if not count:
                yield (",\n" if tables else "\n") + f"{json.dumps(name)}: ["
            yield (",\n" if count else "\n") + _TO_JSON.encode(row)
            count += 1
        if count:
            yield "\n]"
            tables += 1
    yield "\n}}\n"


def _tables(connection: Connection, user_id: int) -> Iterator[tuple[str, AsyncIterator[object]]]:
    for trace in TRACES:
        columns = _columns(metadata.tables[trace.table])
        rows = _rows(connection, columns, names_of(trace, user_id))
        yield trace.table, _without_strangers(trace.table, rows, user_id) if trace.table in STRANGE else rows
    yield "rating_steps", _steps(connection, user_id)
    yield "moves", _moves(connection, user_id)


async def _without_strangers(
    table: str, rows: AsyncIterator[dict[str, Any]], user_id: int
) -> AsyncIterator[dict[str, Any]]:
    """Yield the rows without the ids of people whom the person met in matches between servers."""
    async for row in rows:
        # Another's list of people never to meet is theirs alone, as are their reports and invitations.
        owner = row["challenger_user"] if row.get("is_table") else row.get("user_id", user_id)
        if owner == user_id:
            is_strange = row.get("first_guild", row.get("is_table", "user_id" in row))
            yield {
                name: None if is_strange and name in STRANGE[table] and value != user_id else value
                for name, value in row.items()
            }


async def _steps(connection: Connection, user_id: int) -> AsyncIterator[dict[str, Any]]:
    """Yield the person's own side of the rating steps."""
    for side in SIDES:
        own = [column for column in rating_steps.c if column.name.removeprefix(LOCAL).startswith(side)]
        named = [column.label(column.name.replace(f"{side}_", "")) for column in own]
        query = (
            sa.select(rating_steps.c.match_id, *named)
            .join(matches, matches.c.id == rating_steps.c.match_id)
            .where(matches.c[f"{side}_user"] == user_id)
        )
        async for rows in batches(connection, query, ROWS_AT_ONCE):
            for row in rows:
                yield dict(row)


def _columns(table: sa.Table) -> list[sa.Column[Any]]:
    """Return all columns but the packed moves, which have lines of their own."""
    return [column for column in table.columns if column.name not in PACKED]


async def _rows(
    connection: Connection, columns: Sequence[sa.Column[Any]], where: sa.ColumnElement[bool]
) -> AsyncIterator[dict[str, Any]]:
    """Yield the rows. On SQLite values are converted one by one, so that a damaged one affects no other."""
    if connection.dialect.name != "sqlite":
        async for rows in batches(connection, sa.select(*columns).where(where), ROWS_AT_ONCE):
            for row in rows:
                yield dict(row)
        return
    stored = (sa.type_coerce(column, sa.types.NullType()).label(column.name) for column in columns)
    readers = [(column.name, _reader(column.type, connection.dialect)) for column in columns]
    async for rows in batches(connection, sa.select(*stored).where(where), ROWS_AT_ONCE):
        for row in rows:
            yield _read(readers, row)


def _reader(kind: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> Reader | None:
    """Return the type's result processor; None if it has none."""
    own = kind if isinstance(kind, sa.types.TypeDecorator) else kind.dialect_impl(dialect)
    return own.result_processor(dialect, None)


def _read(readers: Iterable[tuple[str, Reader | None]], row: sa.RowMapping) -> dict[str, Any]:
    """Return the row's values by name, a damaged one as it is stored."""
    made = {}
    for name, reader in readers:
        stored = row[name]
        try:
            made[name] = stored if reader is None else reader(stored)
        except DAMAGE:
            made[name] = stored
    return made


async def _moves(connection: Connection, user_id: int) -> AsyncIterator[dict[str, Any]]:
    """Yield a line for each match, except those with damaged moves."""
    query = sa.select(matches.c.id).where(is_seated(user_id)).order_by(matches.c.id)
    numbers = (await connection.execute(query)).scalars().all()
    damage = Damage("match", is_logged=False)
    for start in range(0, len(numbers), ROWS_AT_ONCE):
        batch = numbers[start : start + ROWS_AT_ONCE]
        for line in await _lines(damage, batch, connection):
            yield line


async def _lines(damage: Damage, batch: Sequence[int], connection: Connection) -> list[dict[str, Any]]:
    async def read(part: Sequence[int]) -> dict[int, dict[str, Any] | None]:
        columns = (matches.c.id, *(matches.c[name] for name in PACKED))
        rows = (await connection.execute(sa.select(*columns).where(matches.c.id.in_(part)))).all()
        found = await read_plain_moves(connection, rows)
        return {
            number: _line(number, timed_moves) if timed_moves else None
            for number, timed_moves in found.items()
        }

    return [line for line in await damage.whole(batch, read) if line is not None]


def _line(number: int, timed_moves: Sequence[PlainMove]) -> dict[str, Any]:
    """Raise one of DAMAGE if the time of the first move is out of range."""
    times = [at for _, _, at in timed_moves]
    return {
        "match_id": number,
        "moves": [move for move, _, _ in timed_moves],
        "first_at": instant(times[0]).isoformat(),
        "seconds": [round((later - before) / 1e6, 1) for before, later in pairwise(times)],
    }


def _plain(value: object) -> object:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"{type(value).__name__} has no place in the file")


_TO_JSON = json.JSONEncoder(ensure_ascii=False, default=_plain)
