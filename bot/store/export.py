"""A person's data as a file: every row that names them, streamed into a ZIP archive, in a thread of its own.

Fifty thousand matches are a million and a half moves. They would hold the loop up for seconds as rows, and
would not fit into a message as they are stored, so the moves of a match stand in one line.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from bot.store.privacy import TRACES, names_of
from bot.store.shared import metadata

FILE_NAME = "discade-my-data.json"
ROWS_AT_ONCE = 500


def export_of(file: Path, user_id: int, now: datetime) -> bytes:
    """A ZIP archive with one JSON file: rows by table, instants in UTC; as the database was at one moment.

    moves: of each match its moves, when the first was made, and the seconds from each to the next.
    """
    address = f"file:{file.resolve().as_uri().removeprefix('file://')}?mode=ro&uri=true"
    engine = sa.create_engine(f"sqlite:///{address}", poolclass=sa.NullPool)
    made = io.BytesIO()
    try:
        with engine.connect() as connection, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            connection.exec_driver_sql("BEGIN")
            with archive.open(FILE_NAME, "w", force_zip64=True) as stream:
                text = io.TextIOWrapper(stream, "utf-8")
                for part in _document(connection, user_id, now):
                    text.write(part)
                text.flush()
                text.detach()
    finally:
        engine.dispose()
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
        yield (",\n" if number else "") + json.dumps(row, ensure_ascii=False)


def _tables(connection: sa.Connection, user_id: int) -> Iterator[tuple[str, Iterable[object]]]:
    for trace in TRACES:
        query = sa.select(metadata.tables[trace.table]).where(names_of(trace, user_id))
        found = connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)).mappings()
        yield trace.table, ({name: _plain(value) for name, value in row.items()} for row in found)
    yield "moves", _moves(connection, user_id)


def _moves(connection: sa.Connection, user_id: int) -> Iterator[dict[str, Any]]:
    """A line a match. Straight from the driver: a million rows as objects would take a minute."""
    found = connection.exec_driver_sql(
        "SELECT match_id, move, at FROM moves WHERE match_id IN"
        " (SELECT id FROM matches WHERE first_user = ? OR second_user = ?) ORDER BY match_id, ply",
        (user_id, user_id),
    )
    for match_id, rows in groupby(found, key=lambda row: row[0]):
        moves, times = zip(*((row[1], row[2]) for row in rows), strict=True)
        instants = [datetime.fromisoformat(time) for time in times]
        yield {
            "match_id": match_id,
            "moves": moves,
            "first_at": instants[0].isoformat(),
            "seconds": [round((later - before).total_seconds(), 1) for before, later in pairwise(instants)],
        }


def _plain(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value
