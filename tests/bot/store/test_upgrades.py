"""A database of 0.3.0 is migrated with its data, and backed up before."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.domain.outgoing import Fate
from bot.domain.rating import Record, scale
from bot.store import versions
from bot.store.backup import FOLDER, revision_of
from bot.store.check import Checker
from bot.store.ranking import record_values
from bot.store.ratings import ALL_TIME, board_of, records
from bot.store.recount import scale_fact
from tests.bot.cluster import cluster, is_wanted
from tests.bot.made_once import empty_database_url
from tests.bot.sittings import ADA, sitting
from tests.bot.store.sample import FOLDER as DATA
from tests.bot.store.sample import REVISION, frozen_hashes, load

NEXT = "9999"

NEXT_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{newest}"


def upgrade():
    op.create_table("{table}", sa.Column("id", sa.Integer(), primary_key=True))
"""


def test_neither_the_baseline_nor_its_data_are_edited() -> None:
    """Add a migration instead, which reads the data as they are."""
    frozen = dict(line.split() for line in (DATA / "frozen_migrations.txt").read_text().splitlines())
    assert frozen == frozen_hashes()


def test_a_database_of_the_baseline_is_brought_up_to_date_with_all_that_is_in_it(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    before = load(file)
    assert min(before.values()) > 0, "the sample has a row in every table"

    async def play_on() -> None:
        async with sitting(file) as table:
            async with table.stores.database.reading() as connection:
                for name, rows in before.items() - {("puzzle_posts", before["puzzle_posts"])}:
                    count = await connection.scalar(sa.select(sa.func.count()).select_from(sa.table(name)))
                    # Each game that the sample does not know yet has one fact more.
                    assert (count or 0) >= rows if name == "facts" else count == rows, name
            assert (await Checker(table.stores.database).check()).problems == ()
            posts = await table.stores.outgoing.of("daily")
            assert {note.fate for note in posts} == {Fate.SENDING, Fate.SHOWN, Fate.GIVEN_UP}
            assert [note.message_id is not None for note in posts] == [
                note.fate is Fate.SHOWN for note in posts
            ]
            starts = await table.stores.outgoing.of("start")
            assert {(note.message_id, note.place.channel_id) for note in starts} == {(10**18, 10)}
            running = max(await table.services.matches.running(ADA.user_id), key=lambda match: match.id)
            assert (running.moves[0], len(running.moves)) == (3, 2), "Ada has moved, and Pip has answered"
            won, lost = await table.stores.matches.finished(ADA.user_id, 2)
            assert (won.result, lost.result) != (None, None)
            assert [change.after for change in won.rating_changes] != []
            played = await table.services.playing.play(running.id, ADA, 0, turn=running.turn)
            assert played.moves == (*running.moves, 0)

    asyncio.run(play_on())
    # On PostgreSQL the host makes backups by PostgreSQL's own means.
    assert (tmp_path / FOLDER).exists() is not is_wanted()


def add_migration(folder: Path, monkeypatch: pytest.MonkeyPatch, table: str) -> None:
    """Let the code have one more migration, which makes that table."""
    shutil.copytree(versions.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    newest = versions.revisions()[0]
    made = NEXT_MIGRATION.format(newest=newest, table=table)
    (folder / "versions" / f"{NEXT}_next.py").write_text(made, encoding="utf-8")
    monkeypatch.setattr(versions, "MIGRATIONS", folder)
    versions.revisions.cache_clear()


@pytest.fixture(autouse=True)
def known_revisions() -> Iterator[None]:
    yield
    versions.revisions.cache_clear()


def stored_revision(file: Path) -> str:
    if not is_wanted():
        return revision_of(file)
    name = empty_database_url(file).rsplit("/", 1)[1]
    return str(cluster().execute("SELECT version_num FROM alembic_version", name)[0][0])


def start(file: Path) -> None:
    async def begin() -> None:
        async with sitting(file):
            pass

    asyncio.run(begin())


def test_a_migration_keeps_a_backup_of_the_database_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "discade.db"
    load(file)
    add_migration(tmp_path / "migrations", monkeypatch, "added_later")
    start(file)
    assert stored_revision(file) == NEXT
    # On PostgreSQL the host makes backups by PostgreSQL's own means.
    kept = list((tmp_path / FOLDER).glob("*"))
    assert [revision_of(one) for one in kept] == ([] if is_wanted() else [REVISION])


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "discade.db"
    load(file)
    add_migration(tmp_path / "migrations", monkeypatch, "tournaments")
    with pytest.raises(Exception, match="already exists"):
        start(file)
    assert stored_revision(file) == REVISION
    if not is_wanted():
        assert revision_of(tmp_path / FOLDER / f"discade-before-{NEXT}.db") == REVISION


@pytest.mark.sqlite
@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no limits of files")
def test_a_disk_that_is_full_during_a_migration_leaves_the_database_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = tmp_path / "discade.db", tmp_path / "migrations"
    load(file)
    add_migration(folder, monkeypatch, "added_later")
    env = {**os.environ, "DATABASE_URL": f"sqlite+aiosqlite:///{file}"}
    code = (
        "import sys; from pathlib import Path; from bot.store import versions;"
        f" versions.MIGRATIONS = Path({str(folder)!r});"
        " from bot.__main__ import main; sys.exit(main(['recount']))"
    )
    outcomes = []
    for kilobytes in (1, file.stat().st_size // 2048, None):
        limit = "" if kilobytes is None else f"ulimit -f {kilobytes}; "
        command = ["bash", "-c", f'{limit}exec {sys.executable} -c "$0"', code]
        done = subprocess.run(command, env=env, capture_output=True)
        outcomes.append((done.returncode, revision_of(file)))
        assert b"Traceback" not in done.stderr
    assert outcomes == [(2, REVISION)] * 2 + [(0, NEXT)]


def test_ratings_are_counted_again_after_a_ladder_was_measured_anew(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"

    async def look() -> None:
        async with sitting(file) as table:
            await table.stores.facts.remember(scale_fact("othello"), "another")
            async with table.stores.database.writing() as connection:
                await connection.execute(
                    sa.insert(records).values(
                        season=ALL_TIME,
                        scope=0,
                        game="othello",
                        is_agent=False,
                        player="1",
                        **record_values(Record()),
                    )
                )
        async with sitting(file) as table:
            assert await table.stores.ratings.ranked(board_of(0, "othello"), 1) is None, "no match gives it"
            assert await table.stores.facts.value(scale_fact("othello")) == scale("othello")

    asyncio.run(look())
