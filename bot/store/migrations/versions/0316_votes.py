"""Store the votes of channels, and let a server say whose count."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0316"
down_revision = "0315"


_ID = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    match = sa.ForeignKey("matches.id", ondelete="CASCADE")
    op.create_table(
        "votes",
        sa.Column("match_id", _ID, match, primary_key=True),
        sa.Column("turn", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("move", sa.Integer(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_votes_user_id_match_id", "votes", ["user_id", "match_id"])
    is_voted = sa.text("\"end\" IS NULL AND (first_level = '@votes' OR second_level = '@votes')")
    op.create_index("ix_matches_voted", "matches", ["id"], sqlite_where=is_voted, postgresql_where=is_voted)
    voters = sa.Column("voters", sa.String(16), nullable=False, server_default="everybody")
    op.add_column("server_settings", voters)


def downgrade() -> None:
    op.drop_column("server_settings", "voters")
    op.drop_index("ix_matches_voted", "matches")
    op.drop_table("votes")
