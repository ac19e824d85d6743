"""What every subject's tables share: metadata, instants, ids, and the error of who came second."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    }
)


class Instant(sa.types.TypeDecorator[datetime]):
    """An aware UTC datetime; SQLite keeps no zone, so it is put on when read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:  # noqa: ARG002
        return None if value is None else value.replace(tzinfo=value.tzinfo or UTC)


def id_column() -> sa.Column[int]:
    """A key that the database counts up by itself."""
    # SQLite numbers rows by itself only where the key is exactly INTEGER.
    return sa.Column(
        "id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True
    )


Values = dict[str, Any]
"""Columns by name."""


class Conflict(Exception):
    """Somebody else was faster since the match or challenge was loaded; nothing was stored."""


def new_id(done: sa.CursorResult[Any]) -> int:
    key = done.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave the new row no id")
    return int(key[0])
