"""Preferences of people and settings of servers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "preferences",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("theme", sa.String(16)),
        sa.Column("size", sa.String(16)),
        sa.Column("language", sa.String(16)),
        sa.Column("is_called", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_preferences")),
    )
    op.create_table(
        "server_settings",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("language", sa.String(16)),
        sa.Column("play_channels", sa.Text(), nullable=False),
        sa.Column("puzzle_channel", sa.BigInteger()),
        sa.Column("puzzle_hour", sa.Integer(), nullable=False),
        sa.Column("highest_level", sa.Integer()),
        sa.Column("role", sa.BigInteger()),
        sa.PrimaryKeyConstraint("guild_id", name=op.f("pk_server_settings")),
    )


def downgrade() -> None:
    op.drop_table("server_settings")
    op.drop_table("preferences")
