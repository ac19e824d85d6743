"""Keep the games from elsewhere that people brought to review, for 30 days."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0315"
down_revision = "0314"


def upgrade() -> None:
    op.create_table(
        "imported_games",
        sa.Column("id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("side", sa.SmallInteger()),
        sa.Column("first_name", sa.String(100), nullable=False),
        sa.Column("second_name", sa.String(100), nullable=False),
        sa.Column("result", sa.String(8), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
    )
    op.create_index("ix_imported_games_user_id_created_at", "imported_games", ["user_id", "created_at"])
    op.create_index("ix_imported_games_created_at", "imported_games", ["created_at"])


def downgrade() -> None:
    op.drop_table("imported_games")
