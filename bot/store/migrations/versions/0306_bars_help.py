"""Mark rated matches against agents that bar help; those that run already end under the older rule."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0306"
down_revision = "0305"


def upgrade() -> None:
    op.add_column("matches", sa.Column("bars_help", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_column("matches", "bars_help")
