"""Keep the position that a game from elsewhere begins from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0319"
down_revision = "0318"


def upgrade() -> None:
    op.add_column("imported_games", sa.Column("start", sa.Text(), nullable=False, server_default=""))


def downgrade() -> None:
    # From the usual start their moves would be wrong, or another game.
    op.execute("DELETE FROM imported_games WHERE start <> ''")
    op.drop_column("imported_games", "start")
