"""The migrations make the tables that the code declares, and files from before the baseline are refused."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from bot.store.backup import restore
from bot.store.shared import metadata
from bot.store.stores import Stores
from bot.store.versions import BEFORE_BASELINE, MIGRATIONS, Unusable, migrate
from tests.bot.made_once import altered, database_url

pytestmark = pytest.mark.postgres


@pytest.mark.slow
def test_migrations_make_the_tables_that_the_code_declares() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert not differences


Shape = dict[str, tuple[bool, list[str], list[str], set[str]]]


def shape_of(connection: sa.Connection) -> Shape:
    """By table whether SQLite numbers its rows, its columns, its key in order, and its indexes."""
    found: Shape = {}
    query = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
    for name, is_without in connection.exec_driver_sql(query).all():
        info = f"SELECT pk, name, type, \"notnull\", dflt_value FROM pragma_table_info('{name}')"
        columns = connection.exec_driver_sql(info).all()
        keys = [column.name for column in sorted(columns, key=lambda column: column.pk) if column.pk]
        made = "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        indexes = connection.exec_driver_sql(made, (name,)).scalars()
        plain = {"".join(sql.replace('"', "").replace(f"{name}.", "").lower().split()) for sql in indexes}
        found[name] = (not is_without, sorted(str(column[1:]) for column in columns), keys, plain)
    return found


@pytest.mark.slow
def test_migrations_make_the_columns_keys_and_indexes_that_the_code_declares() -> None:
    migrated, declared = sa.create_engine("sqlite://"), sa.create_engine("sqlite://")
    with migrated.begin() as connection:
        migrate(connection)
        made = shape_of(connection)
    with declared.begin() as connection:
        metadata.create_all(connection)
        wanted = shape_of(connection)
    for engine in (migrated, declared):
        engine.dispose()
    del made["alembic_version"]
    assert made == wanted
    assert not made["records"][0], "its key is the table"


@pytest.mark.slow
def test_every_migration_can_be_taken_back() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
        left = sa.inspect(connection).get_table_names()
    engine.dispose()
    assert left == ["alembic_version"]


@pytest.mark.parametrize("revision", [min(BEFORE_BASELINE), max(BEFORE_BASELINE)])
async def test_a_database_from_before_the_baseline_is_refused_in_one_line(
    tmp_path: Path, revision: str
) -> None:
    file = tmp_path / "discade.db"
    url = database_url(file)
    altered(file, f"UPDATE alembic_version SET version_num = '{revision}'")
    with pytest.raises(Unusable, match=r"before 0\.3\.0.*166791a.*docs/hosting\.md") as refused:
        await Stores.open(url)
    assert "\n" not in str(refused.value)


@pytest.mark.sqlite
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
async def test_a_file_from_before_the_baseline_is_left_untouched(tmp_path: Path, journal: str) -> None:
    file, backup = tmp_path / "discade.db", tmp_path / "backup.db"
    for path in (file, backup):
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"PRAGMA journal_mode = {journal}")
            connection.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
            connection.execute("INSERT INTO alembic_version VALUES ('0032')")
        path.chmod(0o644)
    before = file.read_bytes()
    with pytest.raises(Unusable, match=r"before 0\.3\.0"):
        await Stores.open(f"sqlite+aiosqlite:///{file}")
    with pytest.raises(Unusable, match=r"before 0\.3\.0"):
        restore(file, backup, datetime(2026, 5, 1, tzinfo=UTC))
    assert file.read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o644
