"""The migrations: a new database has the tables that the code declares, and can be emptied again."""

from __future__ import annotations

from datetime import UTC, datetime

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from bot.store.matches import matches
from bot.store.rating_steps import rating_steps
from bot.store.shared import metadata, microseconds
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


MATCH = (
    "INSERT INTO matches (id, game, board, first_user, first_name, {other}, second_name, guild_id,"
    ' channel_id, locale, rated, winner, "end", turn, version, is_local, created_at, turn_started_at,'
    " touched_at)"
    " VALUES (?, ?, '6x7x4', 1, 'Ada', ?, 'Ben', ?, 10, 'de', 1, ?, 'line', 7, 8, ?, ?, ?, ?)"
)
AT = "2026-05-01 12:00:00.000007"


def before(revision: str, connection: sa.Connection) -> Config:
    """A database of that version, on the connection; how Alembic is asked for another."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    return config


def test_moments_are_the_same_before_and_after_they_are_numbers() -> None:
    """To the microsecond; and one that is none stays as it is."""
    made = (AT, "2024-02-29 23:59:59.999999", "noon")
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        config = before("0031", connection)
        for number, at in enumerate(made, start=1):
            values = (number, "othello", 2, 20, 0, 0, at, at, at)
            connection.exec_driver_sql(MATCH.format(other="second_user"), values)
        command.upgrade(config, "0032")
        query = sa.select(matches.c.touched_at).where(matches.c.id < 3).order_by(matches.c.id)
        assert connection.scalars(query).all() == [
            datetime.fromisoformat(at).replace(tzinfo=UTC) for at in made[:2]
        ]
        assert connection.scalars(query.where(matches.c.created_at > datetime(2025, 1, 1, tzinfo=UTC))).all()
        assert connection.scalars(sa.select(matches.c.game, matches.c.board)).first() == "othello"
        command.downgrade(config, "0031")
        kept = "SELECT game, created_at, turn_started_at, touched_at FROM matches ORDER BY id"
        assert connection.exec_driver_sql(kept).all() == [("othello", at, at, at) for at in made]
    engine.dispose()


def test_what_matches_made_of_ratings_is_the_same_in_one_row_and_in_four() -> None:
    """Everywhere and in a server, in one that keeps to itself, in messages; half of it is none."""
    names = "id, match_id, scope, side, game, is_agent, player, score, points, margin, opponent_points, at"
    names += ", is_easy"
    micros = microseconds(datetime.fromisoformat(AT).replace(tzinfo=UTC))
    rows = [
        (11, 1, 0, 0, "othello", 0, "1", 1, 1200, 90, 1100, micros, 1),
        (12, 1, 0, 1, "othello", 0, "2", -1, 1080, 80, 1190, micros, 0),
        (13, 1, 20, 0, "othello", 0, "1", 1, 1220, 91, 1130, micros, 1),
        (14, 1, 20, 1, "othello", 0, "2", -1, 1090, 81, 1195, micros, 0),
        (15, 2, 20, 0, "othello", 0, "1", 0, 1221, 92, 1131, micros, 0),
        (16, 2, 20, 1, "othello", 0, "2", 0, 1091, 82, 1196, micros, 0),
        (17, 3, 0, 0, "othello", 0, "1", -1, 1180, 93, 900, micros, 0),
        (18, 3, 0, 1, "othello", 1, "pip", 1, 950, 83, 1200, micros, 0),
        (19, 4, 0, 0, "othello", 0, "1", -1, 1160, 94, 901, micros, 0),
    ]
    played = [
        ("second_user", 2, 20, 0, 0),
        ("second_user", 2, 20, None, 1),
        ("second_level", "pip", None, 1, 0),
    ]
    engine = sa.create_engine("sqlite://")
    with engine.begin() as connection:
        config = before("0030", connection)
        for number, (other, who, guild_id, winner, is_local) in enumerate([*played, played[-1]], start=1):
            values = (number, "othello", who, guild_id, winner, is_local, AT, AT, AT)
            connection.exec_driver_sql(MATCH.format(other=other), values)
        marks = ", ".join("?" * 13)
        for row in rows:
            connection.exec_driver_sql(f"INSERT INTO rating_history ({names}) VALUES ({marks})", row)
        command.upgrade(config, "0031")
        steps = connection.execute(sa.select(rating_steps).order_by(rating_steps.c.id)).mappings().all()
        assert [(row["id"], row["match_id"], row["is_easy"]) for row in steps] == [
            (11, 1, True), (15, 2, False), (17, 3, False),
        ]  # fmt: skip
        assert [row["local_second_before"] for row in steps] == [1130, None, None]
        command.downgrade(config, "0030")
        found = connection.exec_driver_sql(f"SELECT {names} FROM rating_history ORDER BY id").all()
        assert [row[1:] for row in found] == [row[1:] for row in rows[:-1]]
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
