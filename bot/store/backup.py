"""Backups of the SQLite file: made while the bot runs, checked, kept for some days, and restored.

SQLite itself makes the copies, on a connection of its own: a file copied during a write is no backup. These
functions block, so call them in a thread.
"""

from __future__ import annotations

import contextlib
import glob
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

from bot.store.ownership import give_to_folders_owner
from bot.store.versions import BUSY_SECONDS, Unusable, check_known, check_writable

FOLDER = "backups"
"""The folder of automatic backups, beside the database."""

ABANDONED_SECONDS = 3600.0
"""The age at which an unfinished copy is deleted: its process was killed."""

_DISPLAYED = {
    "matches": '"end" IS NULL',
    "challenges": "status = 'open'",
    "tournaments": "stage IN ('open', 'running')",
}
"""Tables that messages display, each with the condition that a row still goes on."""

COPIES_KEPT = timedelta(days=30)
"""How long a copy from before a migration or a restore is kept."""

EPOCH = "epoch"
"""The key of a fact that every restore changes: pages may then show newer matches than the stored ones."""

_COMPANIONS = ("-wal", "-shm", "-journal")


def back_up(database: Path, target: Path, *, replace: bool = False) -> None:
    """Copy the database to `target`, checked, readable by its owner only, and without deleted data.

    Raises Unusable, and then there is no new file.
    """
    # Each call has its own unfinished file, since two processes may make the same backup at once.
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    with _one_line_errors(target):
        if target.exists() and not replace:
            raise Unusable(f"{target} exists already: name a new file.")
        _remove_abandoned(target)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with _one_line_errors(database), _connected(database, "ro") as connection:
            connection.execute("VACUUM INTO ?", (str(part),))
        revision_of(part)
        with _one_line_errors(target):
            _flush(part)
            part.replace(target)
            _flush(target.parent)
    finally:
        part.unlink(missing_ok=True)


def _remove_abandoned(target: Path) -> None:
    """Delete unfinished copies of killed processes."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*part"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - part.stat().st_mtime > ABANDONED_SECONDS:
                part.unlink()


def restore(
    database: Path, backup: Path, now: datetime, mend: Callable[[Path], object] = lambda _: None
) -> Path | None:
    """Replace the database by the backup; return the new path of the old database, if there was one.

    mend: is given the copy of the backup before it takes the database's place.
    No bot may use the database. After a crash at any moment there is a whole database in its place. Raises
    Unusable, and then nothing has changed.
    """
    check_known(revision_of(backup), str(backup))
    check_writable(database)
    coming = database.with_name(f".{database.name}.coming")
    with contextlib.suppress(FileNotFoundError):
        coming.unlink()
    aside = None
    try:
        back_up(backup, coming)
        _mark_stale(coming)
        mend(coming)
        give_to_folders_owner(coming)
        if database.exists():
            aside = database.with_name(f"{database.name}.before-restore-{now:%Y%m%dT%H%M%SZ}")
            _keep_old(database, aside)
        # SQLite would apply a log of the old file to the new one.
        for companion in _COMPANIONS:
            database.with_name(database.name + companion).unlink(missing_ok=True)
        coming.replace(database)
        _flush(database.parent)
    finally:
        for left in ("", *_COMPANIONS):
            coming.with_name(coming.name + left).unlink(missing_ok=True)
        # If it was of an older version; the backup itself is still there.
        for copy in (database.parent / FOLDER).glob(f"{glob.escape(coming.stem)}-before-*.db"):
            copy.unlink()
    return aside


def _mark_stale(database: Path) -> None:
    """Mark running matches and the like as stale, since messages and pages changed after the backup."""
    with _one_line_errors(database), _connected(database, "rw") as connection:
        for table, goes_on in _DISPLAYED.items():
            connection.execute(f"UPDATE {table} SET shown_version = -1 WHERE {goes_on}")
        epoch = (EPOCH, secrets.token_hex(8))
        connection.execute("INSERT OR REPLACE INTO facts (key, value) VALUES (?, ?)", epoch)


def revision_of(file: Path) -> str:
    """Check the file and return the version of its schema; raise Unusable."""
    with _one_line_errors(file):
        if not file.is_file():
            raise Unusable(f"There is no file {file}.")
    with _one_line_errors(file), _connected(file, "ro") as connection:
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
    """Makes one backup a day (UTC) beside the database and keeps the newest `kept`."""

    def __init__(self, database: Path, kept: int) -> None:
        self._database = database
        self._kept = kept

    @property
    def folder(self) -> Path:
        return self._database.parent / FOLDER

    def make_due(self, now: datetime) -> Path | None:
        """Make today's backup if there is none, and delete the oldest; raise Unusable.

        Copies from before migrations and restores are deleted after COPIES_KEPT.
        """
        with _one_line_errors(self.folder):
            for copy in self._old_copies():
                if now.timestamp() - copy.stat().st_mtime > COPIES_KEPT.total_seconds():
                    copy.unlink()
            return self._made_due(now) if self._kept else None

    def _old_copies(self) -> Iterator[Path]:
        stem, name = glob.escape(self._database.stem), glob.escape(self._database.name)
        yield from self.folder.glob(f"{stem}-before-*.db")
        yield from self._database.parent.glob(f"{name}.before-restore-*")

    def _made_due(self, now: datetime) -> Path | None:
        today = self.folder / f"{self._database.stem}-{now:%Y-%m-%d}.db"
        if today.exists():
            return None
        make_folder(self.folder)
        # Unfinished files of a killed process.
        for part in self.folder.glob(f".{self._database.stem}-????-??-??.db.*part"):
            part.unlink(missing_ok=True)
        back_up(self._database, today)
        for old in self.made()[: -self._kept]:
            old.unlink(missing_ok=True)
        return today

    def made(self) -> list[Path]:
        """Return the daily backups, the oldest first."""
        return sorted(self.folder.glob(f"{self._database.stem}-????-??-??.db"))


def before_migration(database: Path, to_revision: str) -> Path:
    """Back up the database before it is migrated to that version; raise Unusable."""
    folder = database.parent / FOLDER
    make_folder(folder)
    target = folder / f"{database.stem}-before-{to_revision}.db"
    back_up(database, target, replace=True)
    return target


def make_folder(folder: Path) -> None:
    with _one_line_errors(folder):
        folder.mkdir(mode=0o700, exist_ok=True)


def _keep_old(database: Path, aside: Path) -> None:
    """Copy the old database, file by file if it is too damaged for SQLite."""
    try:
        back_up(database, aside)
    except Unusable:
        for companion in ("", *_COMPANIONS):
            source = database.with_name(database.name + companion)
            if source.is_file():
                copy = aside.with_name(aside.name + companion)
                with _one_line_errors(aside):
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
def _one_line_errors(file: Path) -> Iterator[None]:
    """Raise Unusable, in one line, for errors of the system or of SQLite."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise Unusable(f"{file} cannot be read or written: {said}.") from error


def _flush(path: Path) -> None:
    """Flush a file or a folder to the disk; Windows cannot flush folders."""
    if os.name == "nt" and path.is_dir():
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
