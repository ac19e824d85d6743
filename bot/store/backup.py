"""Copies of the database file: made while the bot runs, looked through, kept a few days, and put back.

Everything here is done by SQLite itself, on a connection of its own: a file copied in the middle of a write
is no backup. Plain functions that take their time; call them in a thread.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from bot.store.ownership import give_to_folders_owner
from bot.store.versions import BUSY_SECONDS, Unusable, check_known

FOLDER = "backups"
"""Where the bot keeps those that it makes by itself: beside the database."""

ABANDONED_SECONDS = 3600.0
"""A copy that nobody has written to for so long is of a process that was killed."""

_SHOWN = {
    "matches": '"end" IS NULL',
    "challenges": "status = 'open'",
    "tournaments": "stage IN ('open', 'running')",
}
"""What messages show, by table, and where it still goes on."""

_COMPANIONS = ("-wal", "-shm", "-journal")


def back_up(database: Path, target: Path, *, replace: bool = False) -> None:
    """Writes what is stored this very moment to `target`, looked through and readable by the owner alone.

    What was deleted before is not in it. Raises Unusable, and then there is no new file.
    """
    # Of its own, since two processes may be asked for the same at once.
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with _complaining(target):
        if target.exists() and not replace:
            raise Unusable(f"{target} exists already: name a new file.")
        _remove_abandoned(target)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with _complaining(database), _connected(database, "ro") as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        revision_of(part)
        with _complaining(target):
            _flush(part)
            part.replace(target)
            _flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _remove_abandoned(target: Path) -> None:
    """Beginnings of it that nobody has gone on with for an hour."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > ABANDONED_SECONDS:
                part.unlink()


def restore(database: Path, backup: Path, now: datetime) -> Path | None:
    """Puts the backup in the place of the database; returns where what stood there is now, if anything did.

    No bot may have the database. At any moment of it, also of a crash, there is a whole database in its
    place. Raises Unusable, and then nothing has changed.
    """
    check_known(revision_of(backup), str(backup))
    coming = database.with_name(f".{database.name}.coming")
    with contextlib.suppress(FileNotFoundError):
        coming.unlink()
    aside = None
    try:
        back_up(backup, coming)
        _doubt_messages(coming)
        give_to_folders_owner(coming)
        if database.exists():
            aside = database.with_name(f"{database.name}.before-restore-{now:%Y%m%dT%H%M%SZ}")
            _set_aside(database, aside)
        # A log of the old file, applied to the new one, would spoil it.
        for companion in _COMPANIONS:
            database.with_name(database.name + companion).unlink(missing_ok=True)
        coming.replace(database)
        _flush(database.parent)
    finally:
        coming.unlink(missing_ok=True)
    return aside


def _doubt_messages(database: Path) -> None:
    """Lets the bot show once more what still goes on, since messages have gone on after the backup."""
    with _complaining(database), _connected(database, "rw") as connection:
        for table, goes_on in _SHOWN.items():
            connection.execute(f"UPDATE {table} SET shown_version = -1 WHERE {goes_on}")


def revision_of(file: Path) -> str:
    """The version of the schema in that file, which is looked through; raises Unusable."""
    with _complaining(file):
        if not file.is_file():
            raise Unusable(f"There is no file {file}.")
    with _complaining(file), _connected(file, "ro") as connection:
        faults = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if faults != "ok":
            raise Unusable(f"{file} is damaged: {faults}.")
        has_version = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
        if connection.execute(has_version).fetchone():
            found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
            if found is not None:
                return str(found[0])
    raise Unusable(f"{file} is no database of Discade.")


class DailyBackups:
    """One backup a day (UTC) in the folder beside the database, and only the newest `kept` of them."""

    def __init__(self, database: Path, kept: int) -> None:
        self._database = database
        self._kept = kept

    @property
    def folder(self) -> Path:
        return self._database.parent / FOLDER

    def make_due(self, now: datetime) -> Path | None:
        """Today's, unless there is one already; removes those too many. Raises Unusable."""
        if not self._kept:
            return None
        with _complaining(self.folder):
            return self._made_due(now)

    def _made_due(self, now: datetime) -> Path | None:
        today = self.folder / f"{self._database.stem}-{now:%Y-%m-%d}.db"
        if today.exists():
            return None
        make_folder(self.folder)
        # Of a process that was killed while it made one.
        for part in self.folder.glob(f".{self._database.stem}-????-??-??.db.*part"):
            part.unlink(missing_ok=True)
        back_up(self._database, today)
        for old in self.made()[: -self._kept]:
            old.unlink(missing_ok=True)
        return today

    def made(self) -> list[Path]:
        """The daily ones, the oldest first."""
        return sorted(self.folder.glob(f"{self._database.stem}-????-??-??.db"))


def before_migration(database: Path, to_revision: str) -> Path:
    """A backup to go back to if the newer version is not wanted after all; raises Unusable."""
    folder = database.parent / FOLDER
    make_folder(folder)
    target = folder / f"{database.stem}-before-{to_revision}.db"
    back_up(database, target, replace=True)
    return target


def make_folder(folder: Path) -> None:
    with _complaining(folder):
        folder.mkdir(mode=0o700, exist_ok=True)


def _set_aside(database: Path, aside: Path) -> None:
    """A copy of what is there, also where it is too damaged for SQLite to copy."""
    try:
        back_up(database, aside)
    except Unusable:
        for companion in ("", *_COMPANIONS):
            source = database.with_name(database.name + companion)
            if source.is_file():
                copy = aside.with_name(aside.name + companion)
                with _complaining(aside):
                    copy.write_bytes(source.read_bytes())
                    copy.chmod(0o600)


@contextlib.contextmanager
def _connected(file: Path, mode: str) -> Iterator[sqlite3.Connection]:
    address = f"{file.resolve().as_uri()}?mode={mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    try:
        yield connection
    finally:
        connection.close()


@contextlib.contextmanager
def _complaining(file: Path) -> Iterator[None]:
    """Says what the system or SQLite has against the file, in one line."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise Unusable(f"{file} cannot be read or written: {said}.") from error


def _flush(path: Path) -> None:
    """Waits until the file, or the folder's list of names, is on the disk; Windows flushes no folders."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
