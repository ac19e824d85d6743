"""The migrations: a new database has the tables that the code declares, and can be emptied again."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from bot.store import metadata
from bot.store.rating_steps import rating_history
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


def test_moments_of_histories_are_the_same_before_and_after_they_are_numbers() -> None:
    """To the microsecond; and one that is none stays as it is."""
    made = ("2026-05-01 12:00:00.000007", "2024-02-29 23:59:59.999999", "1969-12-31 23:59:59.500000", "noon")
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, "0028")
        connection.exec_driver_sql("PRAGMA foreign_keys = OFF")
        for number, at in enumerate(made):
            connection.exec_driver_sql(
                "INSERT INTO rating_history (id, match_id, scope, side, game, is_agent, player, score,"
                " points, opponent_points, at) VALUES (?, ?, 0, 0, 'g', 0, '1', 1, 1, 1, ?)",
                (number + 1, number, at),
            )
        command.upgrade(config, "0029")
        query = sa.select(rating_history.c.at).order_by(rating_history.c.id).limit(3)
        assert connection.scalars(query).all() == [
            datetime.fromisoformat(at).replace(tzinfo=UTC) for at in made[:3]
        ]
        assert connection.scalars(query.where(rating_history.c.at > datetime(2025, 1, 1, tzinfo=UTC))).first()
        command.downgrade(config, "0028")
        found = connection.exec_driver_sql("SELECT at FROM rating_history ORDER BY id").scalars().all()
        assert (found[:2], found[3]) == (list(made[:2]), "noon")
    engine.dispose()


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
