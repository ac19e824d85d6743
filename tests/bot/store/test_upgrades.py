"""From every released schema, with data: what was stored is there, goes on, and was backed up before."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.ext.asyncio import create_async_engine

from bot.domain.rating import Record, first_record, newcomer, rate, scale
from bot.store.backup import FOLDER, revision_of
from bot.store.ratings import record_values, records
from bot.store.recount import Recounter, scale_fact
from bot.store.shared import microseconds
from bot.store.versions import MIGRATIONS, revisions
from engine.core import Player, replay
from engine.games import GAMES
from engine.games import game as game_of
from tests.bot.cluster import cluster, in_thread, is_wanted
from tests.bot.made_once import altered, empty_database_url
from tests.bot.sittings import ADA, sitting

NOW = datetime(2026, 5, 1, 11, tzinfo=UTC)
MOVES = (3, 3, 4, 4)

KNOWN: dict[str, Any] = {
    "game": "connect-four", "board": "6x7x4", "first_user": ADA.user_id, "first_name": "Ada",
    "second_level": "pip", "second_name": "Pip", "guild_id": 20, "channel_id": 10, "message_id": 30,
    "locale": "de", "rated": False, "clock_seconds": 86_400, "turn": len(MOVES), "version": 9,
    "challenger_user": 2,
    "challenger_name": "Ben", "status": "open", "first": "me", "scope": 0, "player": "1", "name": "Ada",
    "start": "othello.r.c.b..pip", "fair": "usual", "pace": "normal",
    "is_agent": False, "mu": 25.0, "sigma": 8.0, "rating": 1500.0, "deviation": 240.0,
    "points": 1500, "user_id": 1, "used": 2, "season": "2026-04",
    "score": 1, "side": 0, "key": "first-win", "theme": "classic", "play_channels": "", "puzzle_hour": 9,
    "kind": "daily", "puzzle": "4453", "line": "3 3", "moves": "", "day": date(2026, 4, 30),
    "system": "swiss",
    "stage": "over", "told": -1, "organiser_id": 3, "rounds": 3, "number": 1, "round": 1, "table": 1,
}  # fmt: skip
"""What the columns of these names hold in the rows that are made; the others get something of their type."""

NULL = {"winner", "end", "level", "second_user", "first_level", "draw_offer", "undo_request", "warned_turn",
        "rematch_of", "opponent_user", "opponent_name", "due_at", "packed_plies", "packed_turns"}  # fmt: skip


def value_for(table: sa.Table, column: sa.Column[Any]) -> object:
    if table.name == "tournament_pairings" and column.name == "game":
        return 1
    if table.name == "tournament_pairings" and column.name == "first":
        return 1
    if table.name == "puzzle_bests" and column.name == "day":
        return NOW.date().isoformat()
    if column.name in NULL:
        return None
    if column.name in KNOWN:
        return KNOWN[column.name]
    if column.foreign_keys:
        return 1
    kind = column.type
    if isinstance(kind, sa.DateTime):
        return NOW
    if isinstance(kind, sa.Date):
        return NOW.date()
    if isinstance(kind, sa.Boolean):
        return True
    return "x" if isinstance(kind, sa.String) else 1


COUNTED_ANEW = {
    "records",
    "season_records",
    "rating_history",
    "rating_steps",
    "puzzle_places",
    "tallies",
    "achievement_totals",
}
"""Tables that are derived, most of them from finished matches, of which these databases have none."""

NOW_CALLED = {"notices": "calls"}
"""Tables that were renamed since."""


def filled(file: Path, revision: str) -> dict[str, int]:
    """A database of that schema with a running match and a row in every other table; rows by table."""

    async def fill() -> dict[str, int]:
        engine = create_async_engine(empty_database_url(file))
        async with engine.begin() as connection:
            counts = await connection.run_sync(_fill, revision)
        await engine.dispose()
        return counts

    return in_thread(fill())


def _as_number(connection: sa.Connection, table: str, column: str) -> None:
    """An instant that was written as a text, as SQLite keeps it since 0032."""
    connection.execute(sa.text(f"UPDATE {table} SET {column} = :at"), {"at": microseconds(NOW)})


def _fill(connection: sa.Connection, revision: str) -> dict[str, int]:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)
    metadata = sa.MetaData()
    metadata.reflect(connection)
    tables = [table for table in metadata.sorted_tables if table.name != "alembic_version"]
    for table in tables:
        rows = len(MOVES) if table.name == "moves" else 1
        for number in range(rows):
            values = {column.name: value_for(table, column) for column in table.columns}
            if table.name == "moves":
                values |= {"ply": number, "move": MOVES[number], "at": NOW + timedelta(seconds=number)}
            connection.execute(sa.insert(table).values(values))
        if revision >= "0032" and connection.dialect.name == "sqlite":
            for column in table.columns:
                if isinstance(column.type, sa.DateTime) and column.name != "due_at":
                    _as_number(connection, table.name, column.name)
    counted = sa.select(sa.func.count())
    return {table.name: int(connection.scalar(counted.select_from(table)) or 0) for table in tables}


@pytest.fixture(params=sorted(revisions()))
def revision(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_old_database_is_brought_up_to_date_with_all_that_is_in_it(tmp_path: Path, revision: str) -> None:
    file = tmp_path / "discade.db"
    before = filled(file, revision)

    async def play_on() -> None:
        async with sitting(file) as table:
            async with table.stores.database.reading() as connection:
                for name, rows in before.items():
                    if name in COUNTED_ANEW:
                        continue
                    table_name = NOW_CALLED.get(name, name)
                    count = await connection.scalar(sa.text(f"SELECT count(*) FROM {table_name}"))
                    # What the ratings of each game are counted by are new facts.
                    assert count == rows + len(GAMES) * (name == "facts"), name
            (match,) = await table.service.running(ADA.user_id)
            assert match.moves == MOVES
            assert match.state == replay(game_of(match.game).start(match.board), MOVES)
            played = await table.service.play(match.id, ADA, 0, turn=match.turn)
            assert played.turn == match.turn + 1

    asyncio.run(play_on())
    if is_wanted():  # who runs PostgreSQL keeps its backups by PostgreSQL's own means
        return
    kept = list((tmp_path / FOLDER).glob("*")) if (tmp_path / FOLDER).exists() else []
    if revision == max(revisions()):
        assert kept == [], "nothing was migrated"
    else:
        assert [revision_of(one) for one in kept] == [revision]


def stored_revision(file: Path) -> str:
    name = empty_database_url(file).rsplit("/", 1)[1]
    return str(cluster().execute("SELECT version_num FROM alembic_version", name)[0][0])


def _add_finished(connection: sa.Connection) -> None:
    """Two rated matches of Ada's, which she won against Otto and lost to Una."""
    metadata = sa.MetaData()
    metadata.reflect(connection)
    table, moves = metadata.tables["matches"], metadata.tables["moves"]
    running = dict(connection.execute(sa.select(table)).mappings().one())
    ended = {"rated": True, "end": "resignation", "opening": 0, "turn": 20}
    for number, (level, winner) in enumerate((("otto", 0), ("una", 1)), start=2):
        at = NOW + timedelta(hours=number)
        over = ended | {"id": number, "winner": winner, "second_level": level, "touched_at": at}
        connection.execute(sa.insert(table).values(running | over))
        for ply, move in enumerate(MOVES):
            made = {"match_id": number, "ply": ply, "move": move, "seconds": 1.0, "at": at}
            connection.execute(sa.insert(moves).values(made))


def test_ratings_of_an_older_scale_are_counted_anew_and_those_of_puzzles_go_on(tmp_path: Path) -> None:
    """From the last schema that had no margins: Ada has beaten Otto, and lost to Una."""
    file = tmp_path / "discade.db"
    filled(file, "0010")

    async def finish() -> None:
        engine = create_async_engine(empty_database_url(file))
        async with engine.begin() as connection:
            await connection.run_sync(_add_finished)
        await engine.dispose()

    in_thread(finish())

    async def look() -> None:
        async with sitting(file) as table:
            assert (await Recounter(table.stores.database).check()).differences == ()
            own = await table.stores.ratings.ranked(0, "connect-four", ADA.user_id)
            beaten = rate(newcomer("connect-four"), first_record("connect-four", "otto"), Player.FIRST)[0]
            expected = rate(beaten, first_record("connect-four", "una"), Player.SECOND)[0]
            assert own is not None
            assert (own.record, own.rank) == (expected, None)
            solver = await table.stores.puzzles.record(1)
            assert (solver.points, solver.margin) == (1500, 240), "25 with 8 on the older scale"
            (_, won) = await table.stores.matches.finished(ADA.user_id, 5)
            assert [(change.before, change.after) for change in won.rating_changes] == [
                (newcomer("connect-four").points, beaten.points),
                (first_record("connect-four", "otto").points,) * 2,
            ]

    asyncio.run(look())


def test_a_ladder_measured_anew_moves_everybody_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"

    async def look() -> None:
        async with sitting(file) as table:
            await table.stores.facts.remember(scale_fact("othello"), "another")
            async with table.stores.database.writing() as connection:
                await connection.execute(
                    sa.insert(records).values(
                        scope=0, game="othello", is_agent=False, player="1", **record_values(Record())
                    )
                )
        async with sitting(file) as table:
            assert await table.stores.ratings.ranked(0, "othello", 1) is None, "no match gives it"
            assert await table.stores.facts.value(scale_fact("othello")) == scale("othello")

    asyncio.run(look())


@pytest.mark.sqlite
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no limits of files")
def test_a_disk_that_is_full_during_a_migration_leaves_the_database_as_it_was(
    tmp_path: Path,
) -> None:
    file = tmp_path / "discade.db"
    filled(file, "0026")
    env = {**os.environ, "DATABASE_URL": f"sqlite+aiosqlite:///{file}"}
    command_line = f"{sys.executable} -m bot recount"
    outcomes = []
    for kilobytes in (1, file.stat().st_size // 2048, None):
        limit = "" if kilobytes is None else f"ulimit -f {kilobytes}; "
        done = subprocess.run(["bash", "-c", f"{limit}exec {command_line}"], env=env, capture_output=True)
        outcomes.append((done.returncode, revision_of(file)))
        assert b"Traceback" not in done.stderr
    assert outcomes == [(2, "0026")] * 2 + [(0, max(revisions()))]


def test_a_migration_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    filled(file, "0003")
    altered(file, "CREATE TABLE tournaments (in_the_way INTEGER)")

    async def start() -> None:
        async with sitting(file):
            pass

    with pytest.raises(Exception, match="already exists"):
        asyncio.run(start())

    if is_wanted():
        assert stored_revision(file) == "0003"
        return
    assert revision_of(file) == "0003"
    assert revision_of(tmp_path / FOLDER / f"discade-before-{max(revisions())}.db") == "0003"
