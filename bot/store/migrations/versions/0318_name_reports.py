"""Let people report the names of strangers whom they meet at open tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0318"
down_revision = "0317"


def upgrade() -> None:
    op.create_table(
        "name_reports",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("other_user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("reported_at", Instant(), nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("name_reports")
