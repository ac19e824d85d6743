"""The migrations: a new database has the tables that the code declares, and can be emptied again."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from bot.store import metadata
from bot.store.versions import MIGRATIONS, migrate


def test_migrations_make_the_tables_that_the_code_declares() -> None:
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        migrate(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert not differences


Shape = dict[str, tuple[bool, list[str], set[str]]]


def shape_of(connection: sa.Connection) -> Shape:
    """By table whether SQLite numbers its rows, its key in order, and its indexes with what they are of."""
    found: Shape = {}
    query = "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'"
    for name, is_without in connection.exec_driver_sql(query).all():
        keys = connection.exec_driver_sql(f"SELECT pk, name FROM pragma_table_info('{name}') WHERE pk").all()
        made = "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL"
        indexes = connection.exec_driver_sql(made, (name,)).scalars()
        plain = {"".join(sql.replace('"', "").replace(f"{name}.", "").lower().split()) for sql in indexes}
        found[name] = (not is_without, [column for _, column in sorted(keys)], plain)
    return found


def test_migrations_make_the_keys_and_indexes_that_the_code_declares() -> None:
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
