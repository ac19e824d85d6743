"""Backups: whole, private, made while the bot writes; restoring loses nothing, whatever stood there."""

from __future__ import annotations

import asyncio
import errno
import itertools
import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.result import End
from bot.domain.terms import First
from bot.store.backup import DailyBackups, back_up, restore
from bot.store.forgetting import note_forgotten, was_forgotten
from bot.store.lock import held
from bot.store.stores import Stores
from bot.store.versions import Unusable
from tests.bot.sittings import ADA, BEN, HERE, Clock, Sitting, paired, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.sqlite

NOW = datetime(2026, 11, 22, 3, tzinfo=UTC)


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    monkeypatch.setenv("DISCORD_TOKEN", "")
    return tmp_path / "discade.db"


async def begun(table: Sitting, challenger: Person = ADA, opponent: Person = BEN) -> Match:
    return await paired(table, challenger.seat, opponent.seat, "othello")


async def matches_in(file: Path) -> list[Match]:
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    try:
        return await stores.matches.running()
    finally:
        await stores.close()


async def test_a_backup_made_while_the_bot_runs_holds_all_matches_and_can_be_played_on(
    file: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    async with sitting(file) as table:
        first = await begun(table)
        await asyncio.to_thread(main, ["backup", str(copy)])
        second = await begun(table)
        assert len(await table.services.matches.running(ADA.user_id)) == 2
    assert await matches_in(copy) == [first]
    assert {match.id for match in await matches_in(file)} == {first.id, second.id}


@pytest.mark.slow
async def test_a_backup_made_during_writes_is_of_one_moment(file: Path, tmp_path: Path) -> None:
    async with sitting(file) as table:
        made: list[Match] = []

        async def play() -> None:
            for number in itertools.count(1000, 2):
                people = (Person(user_id, f"P{user_id}") for user_id in (number, number + 1))
                made.append(await begun(table, *people))

        playing = asyncio.create_task(play())
        for number in range(5):
            before = len(made)
            async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
                while len(made) == before:
                    await asyncio.sleep(0.01)
            await asyncio.to_thread(back_up, file, tmp_path / f"{number}.db")
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    counts = [len(await matches_in(tmp_path / f"{number}.db")) for number in range(5)]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


async def test_a_backup_does_not_hold_deleted_data(file: Path, tmp_path: Path) -> None:
    async with sitting(file) as table:
        secretive = Person(5, "Wolpertinger")
        await table.services.starting.start(secretive, terms_of("othello", first=First.ME), "pip", HERE)
        await table.stores.privacy.erase(secretive.user_id)
    back_up(file, tmp_path / "copy.db")
    assert b"Deleted player" in (tmp_path / "copy.db").read_bytes()
    assert b"Wolpertinger" not in (tmp_path / "copy.db").read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
async def test_only_the_owner_can_read_the_database_and_its_backups(file: Path, tmp_path: Path) -> None:
    file.touch(0o644)
    async with sitting(file) as table:
        await begun(table)
        assert await asyncio.to_thread(main, ["backup", str(tmp_path / "copy.db")]) == 0
        made = [file, *tmp_path.glob("discade.db-*"), tmp_path / "copy.db"]
        assert {stat.S_IMODE(one.stat().st_mode) for one in made} == {0o600}


@pytest.mark.slow
def test_a_backup_does_not_overwrite_an_existing_file(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(matches_in(file))
    (tmp_path / "copy.db").write_text("dear")
    assert main(["backup", str(tmp_path / "copy.db")]) == 2
    assert main(["backup", str(tmp_path / "no" / "copy.db")]) == 2
    errors = capsys.readouterr().err
    assert "exists already" in errors
    assert errors.count("\n") == 2
    assert (tmp_path / "copy.db").read_text() == "dear"


def test_two_backups_made_at_once_under_one_name_are_both_whole(file: Path, tmp_path: Path) -> None:
    asyncio.run(matches_in(file))
    target, abandoned = tmp_path / "copy.db", tmp_path / ".copy.db.0a1b2c3d.part"
    abandoned.write_text("half")
    os.utime(abandoned, (0, 0))
    with ThreadPoolExecutor(4) as pool:
        made = [pool.submit(back_up, file, target, replace=True) for _ in range(8)]
    assert [one.exception() for one in made] == [None] * 8
    assert sorted(one.name for one in tmp_path.glob("*copy*")) == ["copy.db"]
    assert restore(tmp_path / "other.db", target, NOW) is None


def test_without_a_database_there_is_nothing_to_back_up_and_none_is_made(file: Path, tmp_path: Path) -> None:
    assert main(["backup", str(tmp_path / "copy.db")]) == 2
    assert not file.exists()


def test_restoring_brings_back_the_backup_and_keeps_the_replaced_database(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def play() -> None:
        async with sitting(file) as table:
            await begun(table)

    asyncio.run(play())
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    asyncio.run(play())

    assert main(["restore", str(tmp_path / "copy.db")]) == 0

    assert len(asyncio.run(matches_in(file))) == 1
    (aside,) = tmp_path.glob("discade.db.before-restore-*")
    assert str(aside) in capsys.readouterr().out
    assert len(asyncio.run(matches_in(aside))) == 2


def test_a_database_too_damaged_to_open_can_be_replaced_and_is_kept(file: Path, tmp_path: Path) -> None:
    asyncio.run(matches_in(file))
    assert main(["backup", str(tmp_path / "copy.db")]) == 0
    file.write_bytes(b"nonsense" * 1000)
    file.with_name("discade.db-wal").write_bytes(b"old log")

    assert main(["restore", str(tmp_path / "copy.db")]) == 0

    assert asyncio.run(matches_in(file)) == []
    assert not file.with_name("discade.db-wal").exists()
    kept = {path.suffix for path in tmp_path.glob("discade.db.before-restore-*")}
    assert any(path.read_bytes().startswith(b"nonsense") for path in tmp_path.glob("*before-restore*")), kept


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "no database of Discade"), (b"diary " * 1000, "not a database"), (None, "There is no file")],
)
def test_a_file_that_is_no_backup_is_refused_and_nothing_changes(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None, reason: str
) -> None:
    asyncio.run(matches_in(file))
    before = file.read_bytes()
    if content is not None:
        (tmp_path / "copy.db").write_bytes(content)
    assert main(["restore", str(tmp_path / "copy.db")]) == 2
    assert reason in capsys.readouterr().err
    assert file.read_bytes() == before


def test_a_backup_of_a_newer_version_is_refused(file: Path, tmp_path: Path) -> None:
    asyncio.run(matches_in(file))
    back_up(file, tmp_path / "copy.db")
    with sqlite3.connect(tmp_path / "copy.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(Unusable, match="newer Discade"):
        restore(file, tmp_path / "copy.db", NOW)


def test_nothing_is_restored_under_a_running_bot(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(matches_in(file))
    back_up(file, tmp_path / "copy.db")
    with held(f"sqlite+aiosqlite:///{file}"):
        assert main(["restore", str(tmp_path / "copy.db")]) == 2
    assert "in use" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
def test_a_database_restored_by_root_belongs_to_the_owner_of_the_folder(file: Path, tmp_path: Path) -> None:
    """A service with a user of its own could else not open it."""
    asyncio.run(matches_in(file))
    back_up(file, tmp_path / "copy.db")
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 12345, 54321)
    target = home / "discade.db"
    for _ in range(2):
        with held(f"sqlite+aiosqlite:///{target}"):
            restore(target, tmp_path / "copy.db", NOW)
        for name in ("discade.db", "discade.db.lock"):
            made = (home / name).stat()
            assert (made.st_uid, made.st_gid, stat.S_IMODE(made.st_mode)) == (12345, 54321, 0o600)


@pytest.mark.skipif(os.name == "nt", reason="Windows locks in another way")
def test_a_folder_without_locks_is_reported_in_one_line_that_names_no_other_bot(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_file: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    asyncio.run(matches_in(file))
    monkeypatch.setattr("fcntl.flock", refuse)
    assert main(["recount"]) == 2
    said = capsys.readouterr().err
    assert "cannot be locked" in said
    assert "another" not in said


@pytest.mark.slow
def test_the_newest_daily_backups_are_kept_and_no_other_file_is_touched(file: Path) -> None:
    asyncio.run(matches_in(file))
    daily = DailyBackups(file, kept=3)
    daily.folder.mkdir()
    (daily.folder / "discade-of-my-own.db").write_text("mine")
    killed = daily.folder / ".discade-2026-11-20.db.part"
    killed.write_text("half")
    for day in range(5):
        now = NOW + timedelta(days=day)
        assert daily.make_due(now) is not None
        assert daily.make_due(now + timedelta(hours=20)) is None, "there is one of that day"
    assert [made.name[8:18] for made in daily.made()] == ["2026-11-24", "2026-11-25", "2026-11-26"]
    assert (daily.folder / "discade-of-my-own.db").exists()
    assert not killed.exists()
    assert DailyBackups(file, kept=0).make_due(NOW + timedelta(days=9)) is None


def test_an_unreadable_folder_of_backups_is_reported_in_one_line(file: Path) -> None:
    """As one that root has made; here the day's name is longer than any may be."""
    database = file.with_name(f"{'a' * 250}.db")
    database.touch()
    file.with_name("backups").mkdir()
    with pytest.raises(Unusable, match="backups cannot be read or written"):
        DailyBackups(database, kept=3).make_due(NOW)
    file.with_name("backups").rmdir()
    file.with_name("backups").write_text("a file")
    with pytest.raises(Unusable, match="backups cannot be read or written"):
        DailyBackups(file, kept=3).make_due(NOW)


def test_an_impossible_file_name_is_reported_in_one_line(file: Path) -> None:
    with pytest.raises(Unusable, match="cannot be read or written"):
        back_up(file, file.with_name("a" * 300))
    with pytest.raises(Unusable, match="cannot be read or written"):
        restore(file, file.with_name("a" * 300), NOW)


async def test_a_restored_backup_forgets_again_the_people_who_were_deleted_after_it_was_made(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    earlier, later = tmp_path / "earlier.db", tmp_path / "later.db"
    wolpertinger = Person(5, "Wolpertinger")
    async with sitting(file) as table:
        match = await begun(table, ADA, wolpertinger)
        await table.services.clocks.beat()
    assert await asyncio.to_thread(main, ["backup", str(earlier)]) == 0
    assert await asyncio.to_thread(main, ["forget", str(wolpertinger.user_id)]) == 0
    clock = Clock()
    clock.now = datetime.now(UTC) + timedelta(hours=1)
    async with sitting(file, clock=clock) as table:  # and they come back
        again = await begun(table, ADA, wolpertinger)
        await table.services.clocks.beat()
    assert await asyncio.to_thread(main, ["backup", str(later)]) == 0

    assert await asyncio.to_thread(main, ["restore", str(later)]) == 0
    assert again.id in {match.id for match in await matches_in(file)}
    assert b"Wolpertinger" in file.read_bytes()

    assert await asyncio.to_thread(main, ["restore", str(earlier)]) == 0
    assert "1 of its people were deleted after it was made" in capsys.readouterr().out
    assert b"Wolpertinger" not in file.read_bytes()
    assert await matches_in(file) == []
    async with sitting(file) as table:
        (ended,) = await table.services.matches.finished(ADA.user_id, 10)
        assert (ended.id, ended.result and ended.result.end) == (match.id, End.RESIGNATION)
    kept = file.with_name("discade.db.forgotten").read_text()
    assert '"5"' not in kept
    assert not list(tmp_path.glob(".discade.db*"))


def test_a_deletion_is_remembered_for_a_year(file: Path) -> None:
    note_forgotten(file, 5, NOW)
    note_forgotten(file, 6, NOW + timedelta(days=365))
    assert was_forgotten(file, NOW)(5)
    assert not was_forgotten(file, NOW + timedelta(days=1))(5)
    note_forgotten(file, 7, NOW + timedelta(days=366))
    assert [was_forgotten(file, None)(user_id) for user_id in (5, 6, 7, 8)] == [False, True, True, False]


@pytest.mark.parametrize("kept", [0, 7])
def test_copies_from_before_a_migration_or_a_restore_are_deleted_after_a_month(
    file: Path, tmp_path: Path, kept: int
) -> None:
    asyncio.run(matches_in(file))
    (tmp_path / "backups").mkdir()
    copies = [
        tmp_path / "backups" / "discade-before-0300.db",
        tmp_path / "discade.db.before-restore-20261101T030000Z",
        tmp_path / "discade.db.before-restore-20261101T030000Z-wal",
    ]
    for days, is_kept in ((29, True), (31, False)):
        for copy in copies:
            copy.touch()
            os.utime(copy, times=((NOW - timedelta(days=days)).timestamp(),) * 2)
        DailyBackups(file, kept).make_due(NOW)
        assert [copy.exists() for copy in copies] == [is_kept] * 3
