"""Keep the position that a game from elsewhere begins from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0319"
down_revision = "0318"


def upgrade() -> None:
    op.add_column("imported_games", sa.Column("start", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("imported_games", "start")
