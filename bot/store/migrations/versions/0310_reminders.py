"""Direct messages to people, and who gets one each day, of which kind."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0310"
down_revision = "0309"


def upgrade() -> None:
    op.add_column("outgoing", sa.Column("user_id", sa.BigInteger()))
    op.create_table(
        "reminders",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("due_at", Instant(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_reminders_due_at", "reminders", ["due_at"])


def downgrade() -> None:
    op.drop_table("reminders")
    op.drop_column("outgoing", "user_id")
