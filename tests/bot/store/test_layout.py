"""A large SQLite file of the version before 0031: ready at once, and right at every moment from then on."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from bench.community import BIG_SERVER, FIRST_ID, make
from bot.domain.challenge import First
from bot.domain.match import Location
from bot.domain.season import Season
from bot.services.packing import Packing
from bot.services.setup_checks import Person
from bot.store.backup import revision_of
from bot.store.check import Checker
from bot.store.copying import copy_everything
from bot.store.database import Database
from bot.store.outages import OutageStore
from bot.store.recount import Recounter
from bot.store.stores import Stores
from bot.store.versions import MIGRATIONS, revisions
from tests.bot.exports import exported
from tests.bot.sittings import Clock, sitting
from tests.bot.store.test_plans import scans_of

pytestmark = pytest.mark.sqlite

LAST = 20_001
"""A match of that number makes a file a large one."""

ONE, OTHER = (Person(FIRST_ID + number, f"Person {number}") for number in (0, 5))
TABLES = ("records", "season_records", "rating_steps", "achievements", "matches")


@pytest.fixture(scope="module")
def communities(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A community as this version stores it, and the same as the version before 0031 had it."""
    folder = tmp_path_factory.mktemp("communities")
    new, old = folder / "new.db", folder / "old.db"
    asyncio.run(make(new, 100, 200, 10))
    with closing(sqlite3.connect(new)) as connection, connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(matches)")][1:]
        columns = ", ".join(f'"{name}"' for name in names)
        last = f'SELECT {LAST}, {columns} FROM matches WHERE "end" IS NULL ORDER BY id LIMIT 1'
        connection.execute(f"INSERT INTO matches (id, {columns}) {last}")
        moves = "SELECT match_id FROM moves ORDER BY match_id LIMIT 1"
        connection.execute(
            f"INSERT INTO moves SELECT {LAST}, ply, move, seconds, at FROM moves WHERE match_id = ({moves})"
        )
    old.write_bytes(new.read_bytes())
    take_back(old, "0030")
    return new, old


@pytest.fixture
def large(communities: tuple[Path, Path], tmp_path: Path) -> Path:
    """The file of the older version."""
    file = tmp_path / "discade.db"
    file.write_bytes(communities[1].read_bytes())
    return file


def take_back(file: Path, revision: str) -> None:
    """Gives the file the schema of an older version."""
    engine = sa.create_engine(f"sqlite:///{file}", poolclass=sa.NullPool)
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, revision)
    engine.dispose()


def url_of(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


async def faults_of(stores: Stores) -> tuple[str, ...]:
    return (await Checker(stores.database).check()).problems


async def all_of(stores: Stores) -> list[object]:
    """What people would see of it."""
    season = Season.of(datetime.now(UTC))
    found: list[object] = []
    for guild_id in (0, BIG_SERVER):
        for game in ("tic-tac-toe", "connect-four"):
            page = await stores.ratings.leaderboard(guild_id, game, is_agent=False, offset=0, limit=50)
            found += [page, await stores.ratings.ranked(guild_id, game, ONE.user_id)]
        found.append(await stores.history.best_win(guild_id, ONE.user_id))
        found.append(await stores.history.steps(guild_id, ONE.user_id))
    found.append(
        await stores.seasons.leaderboard(
            season, BIG_SERVER, "tic-tac-toe", is_agent=False, offset=0, limit=50
        )
    )
    found.append(await stores.history.played(None, ONE.user_id))
    found.append(await stores.matches.finished(ONE.user_id, 50))
    found.append(await stores.matches.running(ONE.user_id))
    found.append(await stores.puzzles.leaderboard(BIG_SERVER, offset=0, limit=50))
    return found


async def test_a_large_file_is_not_written_anew_at_the_start_and_everything_in_it_is_the_same(
    communities: tuple[Path, Path], large: Path
) -> None:
    rows = "SELECT typeof(touched_at), game, count(*) FROM matches GROUP BY 1, 2 ORDER BY 3"
    stores, new = await Stores.open(url_of(large)), await Stores.open(url_of(communities[0]))
    with closing(sqlite3.connect(large)) as connection:
        assert {row[0] for row in connection.execute(rows)} == {"text"}
        assert connection.execute("SELECT count(*) FROM rating_steps").fetchone() != (0,)
    assert await all_of(stores) == await all_of(new)
    assert exported(stores, ONE.user_id) == exported(new, ONE.user_id)
    assert await faults_of(stores) == await faults_of(new) == ()
    for one in (stores, new):
        await one.close()


async def test_people_play_on_in_it_and_all_is_counted(large: Path) -> None:
    clock = Clock()
    clock.now = datetime.now(UTC)
    place = Location(10, BIG_SERVER)
    async with sitting(large, url=url_of(large), clock=clock) as table:
        before = await table.stores.history.steps(0, ONE.user_id)
        challenge = await table.service.challenges.send(ONE, OTHER, "tic-tac-toe", place, first=First.ME)
        match = (await table.service.challenges.accept(challenge.id, OTHER))[1]
        for person, move in zip((ONE, OTHER) * 3, (0, 3, 1, 4, 2), strict=False):
            clock.advance(seconds=5)
            match = await table.service.play(match.id, person, move, turn=match.turn)
        assert match.is_over
        after = await table.stores.history.steps(0, ONE.user_id)
        assert len(after) == len(before) + 1
        assert after[-1].at == clock.now
        last = await table.stores.matches.finished(ONE.user_id, 1)
        assert [one.id for one in last] == [match.id], "what is new is later than what is old"
        outages = OutageStore(table.stores.database)
        running = {one.id: one.touched_at for one in await table.stores.matches.running()}
        await outages.beat(clock.now)
        await outages.make_up(clock.now + timedelta(hours=1))
        moved = {one.id: one.touched_at for one in await table.stores.matches.running()}
        assert running.keys() == moved.keys()
        assert {moved[number] - running[number] for number in running} == {timedelta(hours=1)}
        assert (await Recounter(table.stores.database).check()).wrong == 0
        await table.stores.privacy.erase(ONE.user_id)
        assert (await Recounter(table.stores.database).check()).wrong == 0
        assert await faults_of(table.stores) == ()


async def test_rows_that_are_needed_no_more_go_while_people_play_also_after_a_kill(large: Path) -> None:
    await (await Stores.open(url_of(large))).close()
    left = history_in(large)
    assert left > 100
    for kill in range(2):
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.bot.store.packing_process", url_of(large), "clear"],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            assert [stdout.readline() for _ in range(2 + kill)] == ["packed\n"] * (2 + kill)
            process.send_signal(signal.SIGKILL)
        process.wait()
        before, left = left, history_in(large)
        assert 0 < left < before
    stores = await Stores.open(url_of(large))
    assert await faults_of(stores) == ()
    assert await Packing(stores).clear_all() == left
    assert await Packing(stores).clear_all() == 0
    assert history_in(large) == -1
    assert await faults_of(stores) == ()
    await stores.close()


async def test_killed_during_its_first_start_it_is_as_before_or_brought_up_to_date_and_copied(
    large: Path,
) -> None:
    code = (
        "import asyncio, sys, time; from bot.store.stores import Stores; print('begun', flush=True);"
        " asyncio.run(Stores.open(sys.argv[1])); print('open', flush=True); time.sleep(60)"
    )
    newest, seen = max(revisions()), set()
    for kill in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", code, url_of(large)],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        with process.stdout as stdout:
            assert stdout.readline() == "begun\n"
            if kill < 5:
                await asyncio.sleep(0.05 * (kill + 1))
            else:
                assert stdout.readline() == "open\n"
            process.send_signal(signal.SIGKILL)
        process.wait()
        # What the killed process had written to the log belongs to the file, too.
        with closing(sqlite3.connect(large)) as connection:
            (revision,) = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        seen.add(revision)
        copy = large.parent / "backups" / f"discade-before-{newest}.db"
        assert revision == "0030" or revision_of(copy) == "0030"
    assert newest in seen
    stores = await Stores.open(url_of(large))
    assert await faults_of(stores) == ()
    await stores.close()


def history_in(file: Path) -> int:
    """Rows of the table that 0031 made another of; -1 where it is gone."""
    with closing(sqlite3.connect(file)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'rating_history'").fetchone():
            return -1
        return int(connection.execute("SELECT count(*) FROM rating_history").fetchone()[0])


async def test_copied_to_another_database_it_is_as_any_other(
    communities: tuple[Path, Path], large: Path, tmp_path: Path
) -> None:
    source = await Stores.open(url_of(large))
    target = await Database.open(url_of(tmp_path / "target.db"))
    async with target.writing() as connection:
        await connection.execute(sa.text("DELETE FROM facts"))
    await copy_everything(source.database, target)
    copied = Stores(target)
    assert await all_of(copied) == await all_of(source)
    assert await faults_of(copied) == ()
    with closing(sqlite3.connect(tmp_path / "target.db")) as connection:
        kinds = {row[0] for row in connection.execute("SELECT typeof(touched_at) FROM matches")}
    assert kinds == {"integer"}
    for one in (source, copied):
        await one.close()


async def test_nothing_that_is_asked_of_it_reads_the_whole_of_a_table_that_grows(large: Path) -> None:
    asked: dict[str, object] = {}

    def note(_c: object, _cursor: object, statement: str, parameters: object, *_: object) -> None:
        asked[statement] = parameters

    stores = await Stores.open(url_of(large))
    sa.event.listen(sa.Engine, "before_cursor_execute", note)
    try:
        await all_of(stores)
    finally:
        sa.event.remove(sa.Engine, "before_cursor_execute", note)
    await stores.close()
    with closing(sqlite3.connect(large)) as connection:
        scans = [scan for one, values in asked.items() for scan in scans_of(connection, one, values)]
    assert [scan for scan in scans if "_user_end" not in scan] == [], "that index is of running matches"
