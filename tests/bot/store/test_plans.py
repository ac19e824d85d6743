"""SQLite's query plans: no query of people who play scans a table that grows."""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.course import CourseKind
from bot.domain.person import Person
from bot.domain.preferences import Preferences
from bot.domain.season import Season
from bot.domain.terms import First
from bot.services.courses import Courses
from bot.store.export import export_of
from tests.bot.made_once import database_url
from tests.bot.services.test_leaderboards import beats
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, sitting, terms_of

GROWING = {
    "accuracies", "achievements", "hints", "matches", "moves", "players", "preferences", "puzzle_attempts",
    "puzzle_bests", "puzzle_courses",
    "puzzle_places", "puzzle_solvers", "rating_steps", "records", "votes",
    "above", "other", "own",
}  # fmt: skip

SMALL = r"USING (?:COVERING )?INDEX ix_matches_(?:running|behind|pings|voted)"

pytestmark = pytest.mark.sqlite

Asked = dict[str, Any]


@pytest.fixture
def asked() -> Iterator[Asked]:
    """Every statement that any database was asked meanwhile, with its values."""
    found: Asked = {}

    def note(_c: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        found[statement] = parameters[0] if many else parameters

    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    yield found
    sa.event.remove(sa.Engine, "before_cursor_execute", note)


@pytest.mark.slow
async def test_a_move_changes_only_the_columns_it_must(asked: Asked, tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        challenge = await table.services.challenges.send(
            ADA, BEN, terms_of("connect-four", first=First.ME), HERE
        )
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        asked.clear()
        table.clock.advance(seconds=3)
        await table.services.playing.play(match.id, ADA, 3, turn=0)
    (update,) = (statement for statement in asked if statement.startswith("UPDATE matches SET"))
    changed = re.findall(r"(\w+)=", update.partition(" WHERE")[0])
    assert (
        {"turn", "version"} <= set(changed) <= {"turn", "version", "turn_started_at", "touched_at", "due_at"}
    )


async def _evening(table: Sitting) -> None:
    """Play matches, and look at leaderboards, profiles and puzzles."""
    for winner, loser in ((ADA, BEN), (BEN, EVE), (EVE, ADA)):
        await beats(table, winner, loser)
    await table.stores.preferences.save_preferences(ADA.user_id, Preferences(is_listed=True))
    standings, season = table.services.standings, Season.of(table.clock.now)
    for guild_id, month in ((None, None), (20, None), (20, season)):
        for page in (1, 2):
            await standings.leaderboard(
                "connect-four", guild_id=guild_id, agents=False, page=page, user_id=1, season=month
            )
    for guild_id in (None, 20):
        await standings.profile(ADA.user_id, guild_id=guild_id, reader_id=BEN.user_id)
        await table.stores.puzzles.leaderboard(guild_id, offset=0, limit=10)
        await table.stores.puzzles.ranked(guild_id, ADA.user_id)
    courses = Courses(table.stores, clock=table.clock, rng=Random(1))
    storm = await courses.begin(Person(ADA.user_id, "Ada"), 20, CourseKind.STORM, None)
    await courses.answer(storm.id, Person(ADA.user_id, "Ada"), 0, (await courses.puzzle(storm)).best)
    await courses.bests(ADA.user_id)
    for guild_id in (None, 20):
        await courses.page(guild_id, None, ADA.user_id, is_today=True)
    await table.services.matches.running(ADA.user_id)
    await table.stores.tournaments.count_watched(10)
    await table.stores.shown.stale_boards(10)
    await table.stores.challenges.stale(10)
    await table.stores.pings.stale(10)
    await table.stores.pings.of(1)
    await table.services.clocks.tick()
    await table.services.clocks.resume()


def plan_of(connection: sqlite3.Connection, statement: str, values: Any) -> list[str]:
    """SQLite's steps."""
    return [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", values)]


def scans_of(connection: sqlite3.Connection, statement: str, values: Any) -> list[str]:
    """The steps that read a whole table; an index of running matches, or those behind, is none.

    The least or the greatest of something without an index is a search by name alone, as is the greatest id,
    by which SQLite keeps the rows.
    """
    if statement.startswith("SELECT max(matches.id)"):
        return []
    if not re.match(r"\s*(SELECT|UPDATE|DELETE|WITH)\b", statement):
        return []
    return [
        step
        for step in plan_of(connection, statement, values)
        if (step.startswith("SCAN") or "USING" not in step)
        and step.split()[-1 if len(step.split()) == 1 else 1] in GROWING
        and not re.search(SMALL, step)
    ]


LARGE = (
    ("records", "ix_records_board", "5907412 252 120 60 20 20 10 2 1"),
    ("records", "records", "6631882 8 5 3 2 1"),
    ("puzzle_places", "ix_puzzle_places_board", "1500000 75 75 2 1"),
    ("puzzle_places", "puzzle_places", "2000000 2 1"),
)
"""SQLite's statistics of these tables with a million people (`ANALYZE`)."""


def _as_if_large(connection: sqlite3.Connection) -> None:
    connection.execute("ANALYZE")
    connection.execute("DELETE FROM sqlite_stat1")
    connection.executemany("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?, ?, ?)", LARGE)
    connection.commit()
    connection.execute("ANALYZE sqlite_schema")


async def _leave(table: Sitting, file: Path) -> None:
    """Export and delete a person's data, and delete messages and an invitation."""
    await asyncio.to_thread(export_of, database_url(file), ADA.user_id, table.clock.now)
    await table.services.challenges.send(EVE, BEN, terms_of("connect-four"), HERE)
    await table.stores.shown.matches_on(HERE.channel_id, 70)
    await table.stores.shown.running_places(None)
    await table.stores.shown.running_places([20, 21])
    table.clock.advance(hours=2)
    await table.stores.privacy.erase(ADA.user_id)
    await table.stores.privacy.forget_invitations(table.clock.now)


@pytest.mark.slow
async def test_no_query_of_an_evening_scans_a_growing_table(tmp_path: Path, asked: Asked) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file) as table:
        asked.clear()
        await _evening(table)
        await _leave(table, file)
        statements = dict(asked)

    with closing(sqlite3.connect(file)) as connection:
        assert scans_of(connection, "SELECT count(*) FROM moves AS other", ()), "a scan is found"
        scans = {
            f"{scan}: {statement}"
            for statement, values in statements.items()
            for scan in scans_of(connection, statement, values)
        }

        (running,) = (one for one in statements if "count(*)" in one and '"end" IS NULL AND (' in one)
        plan = plan_of(connection, running, statements[running])

    assert {"ix_matches_first_user_end", "ix_matches_second_user_end"} <= set(" ".join(plan).split()), (
        "of somebody's matches only those that run are read"
    )
    assert len(statements) > 40
    assert not scans, "\n\n".join(sorted(scans))


async def test_the_poll_of_a_room_loads_the_open_invitations_of_its_channel_alone(
    tmp_path: Path, asked: Asked
) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file) as table:
        for channel in (HERE, replace(HERE, channel_id=11), replace(HERE, channel_id=12)):
            await table.services.challenges.send(ADA, None, terms_of("connect-four"), channel)
        asked.clear()
        (invitation,) = await table.services.challenges.in_channel(HERE.channel_id)
        statements = dict(asked)

    (loaded,) = (values for statement, values in statements.items() if "challenger_name" in statement)
    assert loaded == (invitation.id,)
    with closing(sqlite3.connect(file)) as connection:
        for statement, values in statements.items():
            steps = plan_of(connection, statement, values)
            assert not any(step.startswith("SCAN") for step in steps), statement


@pytest.mark.slow
async def test_a_leaderboard_of_millions_is_read_along_its_index(tmp_path: Path, asked: Asked) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file) as table:
        asked.clear()
        await _evening(table)
        statements = {one: values for one, values in asked.items() if "standing = ?" in one}

    with closing(sqlite3.connect(file)) as connection:
        _as_if_large(connection)
        for statement, values in statements.items():
            plan = plan_of(connection, statement, values)
            boards = [step for step in plan if re.search("ix_.*_board", step)]
            assert all("standing=?" in step for step in boards), f"{boards}: {statement}"
    assert len(statements) > 3
