"""Whether boards of everywhere may name a person: a choice, off until it is made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("preferences", sa.Column("is_listed", sa.Boolean(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("preferences", "is_listed")
