"""Starting without typing: coached matches, what a person began last, what a server lets people share."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("matches", sa.Column("is_coached", sa.Boolean(), nullable=False, server_default="0"))
    op.add_column("preferences", sa.Column("start", sa.String(100)))
    op.add_column(
        "server_settings", sa.Column("is_sharing", sa.Boolean(), nullable=False, server_default="1")
    )
    for name in ("panel_channel", "panel_message"):
        op.add_column("server_settings", sa.Column(name, sa.BigInteger()))


def downgrade() -> None:
    for name in ("panel_message", "panel_channel", "is_sharing"):
        op.drop_column("server_settings", name)
    op.drop_column("preferences", "start")
    op.drop_column("matches", "is_coached")
