"""The theme that a puzzle was asked for by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column("puzzle_attempts", sa.Column("theme", sa.String(24)))


def downgrade() -> None:
    op.drop_column("puzzle_attempts", "theme")
