"""What is dear to make and the same for every test: made once in each process."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import sqlalchemy as sa

from bot.i18n import Texts
from bot.store.versions import migrate


@functools.cache
def all_texts() -> Texts:
    """Every language; nothing can change them, so that tests may share them."""
    return Texts.load()


def make_database(file: Path) -> Path:
    """The file, made with all tables and no rows unless it is there already."""
    if not file.exists():
        file.write_bytes(_migrated())
    return file


@functools.cache
def _migrated() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "discade.db")
        engine = sa.create_engine(f"sqlite:///{file}")
        with engine.connect() as connection:
            # As the bot opens its files; what is set here already need not be written for each test.
            connection.exec_driver_sql("PRAGMA journal_mode = WAL")
        with engine.begin() as connection:
            migrate(connection)
        engine.dispose()
        return file.read_bytes()
