"""Matches between agents: who began them, and how fast they go."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("matches", sa.Column("pace", sa.String(16), nullable=False, server_default="normal"))
    op.add_column("matches", sa.Column("begun_by", sa.BigInteger()))


def downgrade() -> None:
    # An older bot does not know matches that were stopped.
    op.execute("UPDATE matches SET \"end\" = 'abandoned' WHERE \"end\" = 'stopped'")
    for name in ("begun_by", "pace"):
        op.drop_column("matches", name)
