"""Easy wins, servers that keep to themselves, and who has taken people out of a tournament."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_FLAGS = (("rating_history", "is_easy"), ("matches", "is_local"), ("server_settings", "is_closed"))


def upgrade() -> None:
    for table, name in _FLAGS:
        op.add_column(table, sa.Column(name, sa.Boolean(), nullable=False, server_default="0"))
    op.create_table(
        "tournament_judges",
        sa.Column("tournament_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
            name=op.f("fk_tournament_judges_tournament_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("tournament_id", "user_id", name=op.f("pk_tournament_judges")),
    )
    op.create_index(op.f("ix_tournament_judges_user_id"), "tournament_judges", ["user_id"])


def downgrade() -> None:
    op.drop_table("tournament_judges")
    for table, name in _FLAGS:
        op.drop_column(table, name)
