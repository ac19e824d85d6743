"""What every table is made of: the metadata that they share, instants, and ids."""

from __future__ import annotations

from datetime import UTC, datetime

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
