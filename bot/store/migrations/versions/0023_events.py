"""Tournaments as events of their servers: which servers want them, and which event is whose."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0023"
down_revision = "0022"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column(
        "server_settings", sa.Column("is_scheduling", sa.Boolean(), nullable=False, server_default="0")
    )
    op.create_table(
        "tournament_events",
        sa.Column("tournament_id", _ID, autoincrement=False, nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("ends_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", name=op.f("pk_tournament_events")),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
            name=op.f("fk_tournament_events_tournament_id_tournaments"),
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    op.drop_table("tournament_events")
    op.drop_column("server_settings", "is_scheduling")
