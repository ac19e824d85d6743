"""The sample databases of version 0.3.0, with a row in every table: how they were made, and are loaded.

They are frozen: every later version must read them as they are, so `python -m tests.bot.store.sample` is not
run again. Only where a later version is frozen besides, it writes that one's files, under its REVISION.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.ext.asyncio import create_async_engine

from bot.domain.terms import First
from bot.store.recount import Recounter
from bot.store.shared import metadata
from bot.store.versions import MIGRATIONS
from tests.bot.cluster import WANTED, in_thread
from tests.bot.made_once import database_url, empty_database_url
from tests.bot.services.test_leaderboards import beats
from tests.bot.services.tournaments.evenings import evening
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, Sitting, sitting, terms_of
from tests.bot.store.sample_play import live

REVISION = "0300"
DIALECTS = ("sqlite", "postgresql")
FOLDER = Path(__file__).parents[2] / "data"
BEGUN_AT = datetime(2026, 3, 20, 4, tzinfo=UTC)
NOW = datetime(2026, 5, 1, 11, tzinfo=UTC)

KNOWN: dict[str, Any] = {
    "game": "connect-four", "board": "6x7x4", "name": "Ada", "fair": "usual", "locale": "de",
    "rating": 1500.0, "deviation": 240.0, "points": 1500, "season": "2026-04", "key": "first-win",
    "theme": "classic", "play_channels": "", "puzzle_hour": 9, "kind": "daily", "puzzle": "4453",
    "line": "3 3", "moves": "", "status": "solved", "system": "swiss", "stage": "over", "told": -1,
    "rounds": 3, "number": 1, "round": 1, "table": 1, "first": 1, "language": "de", "threads": "off",
    "size": None, "start": "othello.r.c.b..pip", "shards": "0", "title": "leader", "board_id": 30,
    "level": None, "second": None, "given": None, "highest_level": None,
}  # fmt: skip
"""Values of the columns of these names in tables that nothing fills by itself."""


def sample_file(dialect: str) -> Path:
    """Return the file with the rows of the sample, as statements."""
    return FOLDER / f"sample_{REVISION}.{dialect}.sql"


def frozen_hashes() -> dict[str, str]:
    """Return the hashes of the baseline migration and of both samples, whatever the line endings."""
    (migration,) = MIGRATIONS.glob(f"versions/{REVISION}_*.py")
    files = {REVISION: migration} | {file.name: file for file in map(sample_file, DIALECTS)}
    return {
        name: hashlib.sha256(file.read_text(encoding="utf-8").encode()).hexdigest()
        for name, file in files.items()
    }


def load(file: Path) -> dict[str, int]:
    """Make a database of the baseline with the sample's rows; return the number of rows by table."""

    async def fill() -> dict[str, int]:
        engine = create_async_engine(empty_database_url(file))
        async with engine.begin() as connection:
            counts = await connection.run_sync(_fill)
        await engine.dispose()
        return counts

    return in_thread(fill())


def _fill(connection: sa.Connection) -> dict[str, int]:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, REVISION)
    for statement in sample_file(connection.dialect.name).read_text(encoding="utf-8").split(";\n"):
        if statement:
            connection.exec_driver_sql(statement)
    counted = sa.select(sa.func.count())
    tables = set(sa.inspect(connection).get_table_names()) - {"alembic_version"}
    return {name: int(connection.scalar(counted.select_from(sa.table(name))) or 0) for name in tables}


async def play(table: Sitting) -> None:
    """Two rated matches that Ada and Ben win, one that goes on after a hint, and an open invitation."""
    await beats(table, ADA, BEN)
    await beats(table, BEN, ADA)
    match = await table.services.starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", HERE)
    table.services.pings.ping(await table.services.playing.play(match.id, ADA, 3, turn=0))
    await table.services.background.drain()
    await table.stores.hints.take(match.id, ADA.user_id, 2, 3)
    await table.services.challenges.send(ADA, EVE, terms_of("othello"), HERE)


async def _make(file: Path) -> list[str]:
    clock = Clock()
    clock.now = BEGUN_AT
    async with evening(file, clock=clock) as found:
        await live(found)
    async with sitting(file) as table:
        await play(table)
        async with table.stores.database.writing() as connection:
            for one in metadata.sorted_tables:
                if not await connection.scalar(sa.select(sa.func.count()).select_from(one)):
                    await connection.execute(
                        sa.insert(one).values({column.name: _value(column) for column in one.columns})
                    )
        await Recounter(table.stores.database).repair()
    engine = create_async_engine(database_url(file))
    async with engine.begin() as connection:
        made = [line for one in metadata.sorted_tables for line in await connection.run_sync(_rows, one)]
    await engine.dispose()
    return made


def _value(column: sa.Column[Any]) -> object:
    stored = column.type
    kind = (stored.impl_instance if isinstance(stored, sa.types.TypeDecorator) else stored).python_type
    known = KNOWN.get(column.name, column)
    if isinstance(known, kind) or known is None:
        return known
    if kind is datetime:
        return NOW
    if kind is date:
        return NOW.date()
    return "2026-05-01" if column.name == "day" else kind(1)


def _rows(connection: sa.Connection, table: sa.Table) -> list[str]:
    """Return statements that insert the rows, with the values as the driver has them."""
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    order = ", ".join(f'"{column.name}"' for column in table.primary_key.columns)
    found = connection.exec_driver_sql(f"SELECT {names} FROM {table.name} ORDER BY {order}").all()
    dialect = connection.dialect.name
    values = ",\n".join(f"({','.join(_literal(one, dialect) for one in row)})" for row in found)
    made = [f"INSERT INTO {table.name} ({names}) VALUES\n{values}"]
    if dialect == "postgresql" and "id" in table.c:
        last = f"(SELECT max(id) FROM {table.name})"
        made.append(f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), {last})")
    return made


def _literal(value: object, dialect: str) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'" if dialect == "sqlite" else f"'\\x{value.hex()}'"
    if isinstance(value, bool | int | float):
        return str(value)
    return "'" + str(value).replace("'", "''") + "'"


def main() -> None:
    """Write the rows of both kinds of database, and the hashes of all that is frozen."""
    for dialect in DIALECTS:
        os.environ[WANTED] = dialect
        with tempfile.TemporaryDirectory() as folder:
            lines = asyncio.run(_make(Path(folder, "sample.db")))
        sample_file(dialect).write_text(";\n".join(lines) + "\n", encoding="utf-8")
    hashes = "".join(f"{name} {value}\n" for name, value in frozen_hashes().items())
    FOLDER.joinpath("frozen_migrations.txt").write_text(hashes, encoding="utf-8")


if __name__ == "__main__":
    main()
