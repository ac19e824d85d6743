"""Whether a person was asked if their next match is to be rated."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0303"
down_revision = "0302"


def upgrade() -> None:
    op.add_column(
        "preferences", sa.Column("was_asked", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    op.drop_column("preferences", "was_asked")
