"""Puzzles: attempts, ratings of people and puzzles, and the daily posts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0005"
down_revision = "0004"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "puzzle_attempts",
        sa.Column("id", _ID, autoincrement=True, nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("puzzle", sa.String(64), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("goal", sa.SmallInteger(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Date()),
        sa.Column("started_at", Instant(), nullable=False),
        sa.Column("ended_at", Instant()),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_puzzle_attempts")),
    )
    op.create_index(op.f("ix_puzzle_attempts_user_id_puzzle"), "puzzle_attempts", ["user_id", "puzzle"])
    op.create_index(
        op.f("ix_puzzle_attempts_user_id_day"), "puzzle_attempts", ["user_id", "day"], unique=True
    )
    op.create_index(op.f("ix_puzzle_attempts_guild_id_user_id"), "puzzle_attempts", ["guild_id", "user_id"])
    op.create_table(
        "puzzle_solvers",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        *_record_columns(),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_puzzle_solvers")),
    )
    op.create_index(op.f("ix_puzzle_solvers_points"), "puzzle_solvers", ["points"])
    op.create_table(
        "puzzle_records",
        sa.Column("puzzle", sa.String(64), nullable=False),
        *_record_columns(),
        sa.PrimaryKeyConstraint("puzzle", name=op.f("pk_puzzle_records")),
    )
    op.create_table(
        "puzzle_posts",
        sa.Column("guild_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.PrimaryKeyConstraint("guild_id", "day", name=op.f("pk_puzzle_posts")),
    )


def _record_columns() -> list[sa.Column[float] | sa.Column[int]]:
    return [
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best_streak", sa.Integer(), nullable=False),
    ]


def downgrade() -> None:
    for table in ("puzzle_posts", "puzzle_records", "puzzle_solvers", "puzzle_attempts"):
        op.drop_table(table)
