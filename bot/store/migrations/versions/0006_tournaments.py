"""Tournaments: their terms, entrants and pairings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0006"
down_revision = "0005"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("organiser_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("system", sa.String(16), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("closes_at", Instant(), nullable=False),
        sa.Column("clock_seconds", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("is_twice", sa.Boolean(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournaments")),
    )
    op.create_index(op.f("ix_tournaments_stage"), "tournaments", ["stage"])
    op.create_index(op.f("ix_tournaments_guild_id_id"), "tournaments", ["guild_id", "id"])
    op.create_table(
        "tournament_entrants",
        sa.Column("tournament_id", _ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.BigInteger()),
        sa.Column("level", sa.String(64)),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("seed", sa.Integer()),
        sa.Column("is_out", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
            name=op.f("fk_tournament_entrants_tournament_id_tournaments"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number", name=op.f("pk_tournament_entrants")),
    )
    for column in ("user_id", "level"):
        op.create_index(
            op.f(f"ix_tournament_entrants_tournament_id_{column}"),
            "tournament_entrants",
            ["tournament_id", column],
            unique=True,
        )
    op.create_index(op.f("ix_tournament_entrants_user_id"), "tournament_entrants", ["user_id"])
    op.create_table(
        "tournament_pairings",
        sa.Column("tournament_id", _ID, nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table", sa.Integer(), nullable=False),
        sa.Column("game", sa.SmallInteger(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer()),
        sa.Column("given", sa.SmallInteger()),
        sa.Column("match_id", _ID),
        sa.ForeignKeyConstraint(
            ["tournament_id"],
            ["tournaments.id"],
            name=op.f("fk_tournament_pairings_tournament_id_tournaments"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_tournament_pairings_match_id_matches")
        ),
        sa.PrimaryKeyConstraint(
            "tournament_id", "round", "table", "game", name=op.f("pk_tournament_pairings")
        ),
    )
    op.create_index(op.f("ix_tournament_pairings_match_id"), "tournament_pairings", ["match_id"], unique=True)


def downgrade() -> None:
    for table in ("tournament_pairings", "tournament_entrants", "tournaments"):
        op.drop_table(table)
