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
