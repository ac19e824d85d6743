"""Let a server choose the time zone of the hour at which it gets the puzzle of the day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0317"
down_revision = "0316"


def upgrade() -> None:
    op.add_column(
        "server_settings", sa.Column("puzzle_zone", sa.String(40), nullable=False, server_default="UTC")
    )


def downgrade() -> None:
    op.drop_column("server_settings", "puzzle_zone")
