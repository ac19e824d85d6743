"""Servers that want boards in threads."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.add_column(
        "server_settings", sa.Column("threads", sa.String(16), nullable=False, server_default="off")
    )


def downgrade() -> None:
    op.drop_column("server_settings", "threads")
