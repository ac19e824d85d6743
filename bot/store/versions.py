"""The database's address, and the version of its schema."""

from __future__ import annotations

import contextlib
import functools
import os
import sqlite3
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

if TYPE_CHECKING:
    from alembic.config import Config

MIGRATIONS = Path(__file__).with_name("migrations")

_WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH

BUSY_SECONDS = 5.0
"""How long a transaction waits while another process holds the file, before it fails."""


BEFORE_BASELINE = frozenset(f"{number:04}" for number in range(1, 33))
"""Versions of the schema before the baseline of 0.3.0."""


class Unusable(Exception):
    """The database cannot be used; the message is one line for the person who runs the bot."""


def file_of(url: str) -> Path | None:
    """The file behind the address; None for a database in memory or on a server."""
    address = sa.make_url(url)
    if address.get_backend_name() != "sqlite" or not address.database or address.database == ":memory:":
        return None
    return Path(address.database)


def name_of(url: str) -> str:
    """How a person is told which database is meant: the file, or the server's address without a password."""
    return str(file_of(url) or sa.make_url(url).render_as_string(hide_password=True))


def existing_file(url: str) -> Path:
    """The file behind the address; raises Unusable where there is none."""
    file = file_of(url)
    if file is None or not file.exists():
        raise Unusable(f"There is no database {name_of(url)}: DATABASE_URL must name one that exists.")
    check_file(file)
    return file


def check_file(file: Path) -> None:
    """Raise Unusable for a folder, a pipe, and a database from before 0.3.0, which is not changed.

    To open a pipe would block. A damaged file is left to the connection that opens it to write.
    """
    if not file.exists():
        return
    if not file.is_file():
        raise Unusable(f"{file} cannot be opened: it is no file.")
    with contextlib.suppress(sqlite3.Error):
        reader = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True, timeout=0)
        with contextlib.closing(reader):
            for (stored,) in reader.execute("SELECT version_num FROM alembic_version"):
                _check_not_before_baseline(stored, str(file))


def check_writable(file: Path) -> None:
    """Raise Unusable for a file marked as read-only, which root or its owner could write nevertheless."""
    with contextlib.suppress(FileNotFoundError):
        if not file.stat().st_mode & _WRITABLE or not os.access(file, os.W_OK):
            raise Unusable(f"{file} cannot be written: it is read-only for the user who runs Discade.")


def check_known(stored: str, name: str) -> str:
    """Return the newest version of the schema; raise Unusable if this code cannot read the stored one."""
    _check_not_before_baseline(stored, name)
    newest, *older = revisions()
    if stored != newest and stored not in older:
        raise Unusable(f"{name} was used by a newer Discade than this one: update this one.")
    return newest


def _check_not_before_baseline(stored: str, name: str) -> None:
    if stored in BEFORE_BASELINE:
        raise Unusable(
            f"{name} was made by a version before 0.3.0 and is left as it is: to keep it, copy it with commit"
            ' 166791a, the last that reads it (docs/hosting.md, "Databases from before 0.3.0").'
        )


def migrate(connection: sa.Connection) -> None:
    """Brings the database behind `connection` to the newest migration, in its transaction."""
    from alembic import command

    config = _alembic()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@functools.cache
def revisions() -> tuple[str, ...]:
    """Every version of the schema that this code knows, the newest first."""
    from alembic.script import ScriptDirectory

    return tuple(script.revision for script in ScriptDirectory.from_config(_alembic()).walk_revisions())


def _alembic() -> Config:
    from alembic.config import Config

    config = Config()
    # Its options are of configparser, where a percent sign in a path would begin something.
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config


def revision_in(connection: sa.Connection) -> str | None:
    """The version of the schema that is stored, or None for a database that has none of ours."""
    from alembic.migration import MigrationContext

    return MigrationContext.configure(connection).get_current_revision()
