"""Which processes live, where several share one database."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "processes",
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("shard_count", sa.Integer(), nullable=False),
        sa.Column("shards", sa.Text(), nullable=False),
        sa.Column("alive_until", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_processes")),
    )


def downgrade() -> None:
    op.drop_table("processes")
