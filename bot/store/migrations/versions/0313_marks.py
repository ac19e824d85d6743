"""Mark the answers to a day's puzzle, and note long outages, which end no run of days."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant, id_column

revision = "0313"
down_revision = "0312"


def upgrade() -> None:
    op.add_column("puzzle_attempts", sa.Column("marks", sa.String(8), nullable=False, server_default=""))
    op.create_index("ix_puzzle_attempts_day_guild_id", "puzzle_attempts", ["day", "guild_id"])
    op.create_table(
        "outages",
        id_column(),
        sa.Column("began_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant(), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("outages")
    op.drop_index("ix_puzzle_attempts_day_guild_id", "puzzle_attempts")
    op.drop_column("puzzle_attempts", "marks")
