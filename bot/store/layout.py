"""How a SQLite file keeps instants, usual words and people's ids: in few bytes since 0032, before as texts.

A large file that is older is left as it is, since writing its rows anew would keep everybody waiting; whoever
reads and writes it does so as of old, and the types of the columns see to that.
"""

from __future__ import annotations

import sqlite3
from typing import Any

import sqlalchemy as sa

_MARK = "keeps_texts"


def keeps_texts(dialect: sa.Dialect) -> bool:
    """Whether the file on that connection is one of texts."""
    return bool(getattr(dialect, _MARK, False))


def note_layout(dialect: sa.Dialect, raw: Any) -> None:
    """Looks at a file that was just opened or migrated. raw: the driver's connection to it."""
    question = "SELECT type FROM pragma_table_info('records') WHERE name = 'player'"
    try:
        found = raw.execute(question).fetchone()
    except sqlite3.OperationalError as error:
        raise sa.exc.OperationalError(question, None, error) from error
    setattr(dialect, _MARK, found is not None and not str(found[0]).startswith("BIGINT"))
