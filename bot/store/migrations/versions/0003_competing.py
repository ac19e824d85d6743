"""Competing: rating histories, seasons, achievements, and what the engine finds in finished matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0003"
down_revision = "0002"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_rating_history()
    _create_season_records()
    _create_achievements()


def _create_rating_history() -> None:
    op.create_table(
        "rating_history",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("scope", sa.BigInteger(), nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("score", sa.SmallInteger(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("opponent_points", sa.Integer(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_rating_history_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_history")),
    )
    op.create_index(
        op.f("ix_rating_history_match_id_scope_side"),
        "rating_history",
        ["match_id", "scope", "side"],
        unique=True,
    )
    op.create_index(op.f("ix_rating_history_player_scope"), "rating_history", ["player", "scope"])


def _create_season_records() -> None:
    op.create_table(
        "season_records",
        sa.Column("season", sa.String(7), nullable=False),
        sa.Column("scope", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best_streak", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "season", "scope", "game", "is_agent", "player", name=op.f("pk_season_records")
        ),
    )
    op.create_index(
        op.f("ix_season_records_scope_game_season_is_agent_points"),
        "season_records",
        ["scope", "game", "season", "is_agent", "points"],
    )
    op.create_index(op.f("ix_season_records_player"), "season_records", ["player"])


def _create_achievements() -> None:
    op.create_table(
        "achievements",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("key", sa.String(32), nullable=False),
        sa.Column("match_id", _ID),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("is_told", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_achievements_match_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("user_id", "key", name=op.f("pk_achievements")),
    )
    op.create_index(op.f("ix_achievements_is_told"), "achievements", ["is_told"])
    op.create_index(op.f("ix_achievements_key"), "achievements", ["key"])
    op.create_table(
        "due_reviews",
        sa.Column("match_id", _ID, nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_due_reviews_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_due_reviews")),
    )
    op.create_table(
        "accuracies",
        sa.Column("match_id", _ID, nullable=False),
        sa.Column("side", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("accuracy", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_accuracies_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "side", name=op.f("pk_accuracies")),
    )
    op.create_index(op.f("ix_accuracies_user_id"), "accuracies", ["user_id"])


def downgrade() -> None:
    for table in ("accuracies", "due_reviews", "achievements", "season_records", "rating_history"):
        op.drop_table(table)
