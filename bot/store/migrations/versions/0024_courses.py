"""Storms and streaks of puzzles, and the most that people solved in one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0024"
down_revision = "0023"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "puzzle_courses",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("puzzle", sa.String(64), nullable=False),
        sa.Column("to_beat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("ends_at", Instant()),
        sa.Column("ended_at", Instant()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzle_courses")),
    )
    op.create_index(op.f("ix_puzzle_courses_user_id_kind"), "puzzle_courses", ["user_id", "kind"])
    op.create_table(
        "puzzle_bests",
        sa.Column("scope", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("is_shown", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "kind", "game", "day", "user_id", name=op.f("pk_puzzle_bests")),
    )
    op.create_index(op.f("ix_puzzle_bests_user_id"), "puzzle_bests", ["user_id"])
    op.create_index(
        "ix_puzzle_bests_board",
        "puzzle_bests",
        ["scope", "kind", "game", "day", "is_shown", sa.text("best DESC"), "at"],
    )


def downgrade() -> None:
    op.drop_table("puzzle_bests")
    op.drop_table("puzzle_courses")
