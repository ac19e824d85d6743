"""Guesses of the end of matches, the odds of these, and whether a server wants them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0314"
down_revision = "0313"

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _match() -> sa.ForeignKey:
    return sa.ForeignKey("matches.id", ondelete="CASCADE")


def upgrade() -> None:
    op.add_column(
        "server_settings",
        sa.Column("is_predicting", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "predicted_matches",
        sa.Column("match_id", ID, _match(), primary_key=True),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("first", sa.SmallInteger(), nullable=False),
        sa.Column("draw", sa.SmallInteger(), nullable=False),
        sa.Column("second", sa.SmallInteger(), nullable=False),
        sa.Column("is_dropped", sa.Boolean(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "predictions",
        sa.Column("match_id", ID, _match(), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("pick", sa.SmallInteger(), nullable=False),
        sa.Column("chance", sa.SmallInteger(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("made_at", Instant(), nullable=False),
        sa.Column("points", sa.SmallInteger()),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_predictions_guild_id_made_at", "predictions", ["guild_id", "made_at"])
    op.create_index("ix_predictions_user_id", "predictions", ["user_id"])


def downgrade() -> None:
    op.drop_table("predictions")
    op.drop_table("predicted_matches")
    op.drop_column("server_settings", "is_predicting")
