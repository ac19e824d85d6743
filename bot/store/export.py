"""A person's data as a file: every row that names them, streamed into a ZIP archive, in a thread of its own.

Fifty thousand matches are a million and a half moves. They would hold the loop up for seconds as rows, and
would not fit into a message as they are stored, so the moves of a match stand in one line.
"""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from functools import partial
from itertools import pairwise
from typing import Any

import sqlalchemy as sa

from bot.store import postgres
from bot.store.connection import Connection, run
from bot.store.damage import DAMAGE, Damage
from bot.store.matches import find_plain_turns, is_seated, matches
from bot.store.privacy import TRACES, names_of
from bot.store.rating_steps import LOCAL, SIDES, rating_steps
from bot.store.shared import instant, metadata
from bot.store.turn_codec import PlainTurn
from bot.store.turns import PACKED
from bot.store.versions import BUSY_SECONDS, file_of

FILE_NAME = "discade-my-data.json"
ROWS_AT_ONCE = 500

Reader = Callable[[Any], Any]


def export_of(url: str, user_id: int, now: datetime) -> bytes:
    """A ZIP archive with one JSON file: rows by table, instants in UTC; as the database was at one moment.

    moves: of each match its moves, when the first was made, and the seconds from each to the next.
    """
    file = file_of(url)
    if file is None:
        return asyncio.run(_exported_by_server(url, user_id, now))
    address = f"file:{file.resolve().as_uri().removeprefix('file://')}?mode=ro&uri=true"
    engine = sa.create_engine(f"sqlite:///{address}", poolclass=sa.NullPool)
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN")
            return _exported(connection, user_id, now)
    finally:
        engine.dispose()


async def _exported_by_server(url: str, user_id: int, now: datetime) -> bytes:
    engine = postgres.reader_of(url, BUSY_SECONDS, None, 1)
    try:
        async with engine.connect() as connection:
            return await connection.run_sync(_exported, user_id, now)
    finally:
        await engine.dispose()


def _exported(connection: sa.Connection, user_id: int, now: datetime) -> bytes:
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open(FILE_NAME, "w", force_zip64=True) as stream,
    ):
        text = io.TextIOWrapper(stream, "utf-8")
        for part in _document(connection, user_id, now):
            text.write(part)
        text.flush()
        text.detach()
    return made.getvalue()


def _document(connection: sa.Connection, user_id: int, now: datetime) -> Iterator[str]:
    yield f'{{"exported_at": {json.dumps(now.isoformat())}, "user_id": {user_id}, "tables": {{'
    is_first = True
    for name, rows in _tables(connection, user_id):
        written = _listed(rows)
        head = next(written, None)
        if head is None:
            continue
        yield ("\n" if is_first else ",\n") + f"{json.dumps(name)}: [\n{head}"
        yield from written
        yield "\n]"
        is_first = False
    yield "\n}}\n"


def _listed(rows: Iterable[object]) -> Iterator[str]:
    for number, row in enumerate(rows):
        yield (",\n" if number else "") + _TO_JSON.encode(row)


def _tables(connection: sa.Connection, user_id: int) -> Iterator[tuple[str, Iterable[object]]]:
    for trace in TRACES:
        columns = _columns(metadata.tables[trace.table])
        yield trace.table, _rows(connection, columns, names_of(trace, user_id))
    yield "rating_steps", _steps(connection, user_id)
    yield "moves", _moves(connection, user_id)


def _steps(connection: sa.Connection, user_id: int) -> Iterator[dict[str, Any]]:
    """What each match made of the person's own ratings."""
    for side in SIDES:
        own = [column for column in rating_steps.c if column.name.removeprefix(LOCAL).startswith(side)]
        named = [column.label(column.name.replace(f"{side}_", "")) for column in own]
        query = (
            sa.select(rating_steps.c.match_id, *named)
            .join(matches, matches.c.id == rating_steps.c.match_id)
            .where(matches.c[f"{side}_user"] == user_id)
        )
        found = connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)).mappings()
        yield from (dict(row) for row in found)


def _columns(table: sa.Table) -> list[sa.Column[Any]]:
    """All but the packed moves, which stand in lines of their own."""
    return [column for column in table.columns if column.name not in PACKED]


def _rows(
    connection: sa.Connection, columns: Sequence[sa.Column[Any]], where: sa.ColumnElement[bool]
) -> Iterator[dict[str, Any]]:
    """On SQLite, which keeps whatever it is given, as the driver has them: a damaged value spoils no row."""
    if connection.dialect.name != "sqlite":
        query = sa.select(*columns).where(where).execution_options(yield_per=ROWS_AT_ONCE)
        yield from (dict(row) for row in connection.execute(query).mappings())
        return
    stored = (sa.type_coerce(column, sa.types.NullType()).label(column.name) for column in columns)
    found = connection.execute(sa.select(*stored).where(where).execution_options(yield_per=ROWS_AT_ONCE))
    readers = [(column.name, _reader(column.type, connection.dialect)) for column in columns]
    yield from (_read(readers, row) for row in found)


def _reader(kind: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> Reader | None:
    """Makes a value of that kind of what the driver gives; None where that is the value."""
    own = kind if isinstance(kind, sa.types.TypeDecorator) else kind.dialect_impl(dialect)
    return own.result_processor(dialect, None)


def _read(readers: Iterable[tuple[str, Reader | None]], row: Sequence[Any]) -> dict[str, Any]:
    """The row's values by name, a damaged one as it stands there."""
    made = {}
    for (name, reader), stored in zip(readers, row, strict=True):
        try:
            made[name] = stored if reader is None else reader(stored)
        except DAMAGE:
            made[name] = stored
    return made


def _moves(connection: sa.Connection, user_id: int) -> Iterator[dict[str, Any]]:
    """A line a match, without those whose moves are damaged."""
    query = sa.select(matches.c.id).where(is_seated(user_id)).order_by(matches.c.id)
    numbers = connection.scalars(query).all()
    damage = Damage("match", is_logged=False)
    for start in range(0, len(numbers), ROWS_AT_ONCE):
        batch = numbers[start : start + ROWS_AT_ONCE]
        yield from run(connection, partial(_lines, damage, batch))


async def _lines(damage: Damage, batch: Sequence[int], connection: Connection) -> list[dict[str, Any]]:
    async def read(part: Sequence[int]) -> dict[int, dict[str, Any] | None]:
        found = await find_plain_turns(connection, part)
        return {number: _line(number, turns) if turns else None for number, turns in found.items()}

    return [line for line in await damage.whole(batch, read) if line is not None]


def _line(number: int, turns: Sequence[PlainTurn]) -> dict[str, Any]:
    """Raises one of DAMAGE where the first was made at no time."""
    times = [at for _, _, at in turns]
    return {
        "match_id": number,
        "moves": [move for move, _, _ in turns],
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
