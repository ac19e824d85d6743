"""Roles for champions: what servers name, and who holds them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"

ROLES = ("leader_role", "winner_role")


def upgrade() -> None:
    for name in ROLES:
        op.add_column("server_settings", sa.Column(name, sa.BigInteger))
    op.create_table(
        "champion_roles",
        sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("title", sa.String(16), primary_key=True),
        sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("role_id", sa.BigInteger, primary_key=True, autoincrement=False),
    )


def downgrade() -> None:
    op.drop_table("champion_roles")
    for name in ROLES:
        op.drop_column("server_settings", name)
