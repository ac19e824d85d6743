"""Note until when the clock of a match whose board was deleted stands at most."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0307"
down_revision = "0306"

INSTANT = sa.DateTime(timezone=True).with_variant(sa.BigInteger(), "sqlite")
"""SQLite stores microseconds since 1970."""


def upgrade() -> None:
    op.add_column("matches", sa.Column("stands_until", INSTANT))


def downgrade() -> None:
    op.drop_column("matches", "stands_until")
