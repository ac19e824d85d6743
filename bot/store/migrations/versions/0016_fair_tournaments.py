"""Tournaments whose matches begin after balanced openings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("tournaments", sa.Column("fair", sa.String(16), nullable=False, server_default="usual"))


def downgrade() -> None:
    op.drop_column("tournaments", "fair")
