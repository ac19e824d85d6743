"""Let servers join the lobby of open tables, and matches be played between two of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0312"
down_revision = "0311"


def upgrade() -> None:
    op.add_column("server_settings", sa.Column("lobby_channel", sa.BigInteger()))
    op.add_column("server_settings", sa.Column("lobby_name", sa.String(100)))
    op.add_column(
        "challenges", sa.Column("is_table", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.add_column("matches", sa.Column("first_guild", sa.BigInteger()))
    op.add_column("matches", sa.Column("second_guild", sa.BigInteger()))
    op.create_table(
        "never_meet",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("other_user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "shut_out",
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("shut_out")
    op.drop_table("never_meet")
    op.drop_column("matches", "second_guild")
    op.drop_column("matches", "first_guild")
    op.drop_column("challenges", "is_table")
    op.drop_column("server_settings", "lobby_name")
    op.drop_column("server_settings", "lobby_channel")
