"""Let a server limit the starters of tournaments, and the running boards of a channel."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0309"
down_revision = "0308"


def upgrade() -> None:
    starters = sa.Column("starters", sa.String(16), nullable=False, server_default="everybody")
    op.add_column("server_settings", starters)
    op.add_column("server_settings", sa.Column("most_boards", sa.Integer()))


def downgrade() -> None:
    op.drop_column("server_settings", "most_boards")
    op.drop_column("server_settings", "starters")
