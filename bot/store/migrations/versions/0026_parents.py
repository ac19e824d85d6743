"""Around which thread is which channel: where a board goes on when its thread is deleted."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"

TABLES = ("matches", "challenges", "tournaments")


def upgrade() -> None:
    for table in TABLES:
        op.add_column(table, sa.Column("parent_id", sa.BigInteger()))


def downgrade() -> None:
    for table in TABLES:
        op.drop_column(table, "parent_id")
