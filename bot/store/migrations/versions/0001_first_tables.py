"""The first tables: matches, moves, challenges, records, players, notices, facts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "facts",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_facts")),
    )
    op.create_table(
        "matches",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("board", sa.String(length=16), nullable=False),
        sa.Column("first_user", sa.BigInteger(), nullable=True),
        sa.Column("first_level", sa.String(length=64), nullable=True),
        sa.Column("first_name", sa.String(length=100), nullable=False),
        sa.Column("second_user", sa.BigInteger(), nullable=True),
        sa.Column("second_level", sa.String(length=64), nullable=True),
        sa.Column("second_name", sa.String(length=100), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock_seconds", sa.Integer(), nullable=True),
        sa.Column("draw_offer", sa.SmallInteger(), nullable=True),
        sa.Column("undo_request", sa.SmallInteger(), nullable=True),
        sa.Column("warned_turn", sa.Integer(), nullable=True),
        sa.Column("winner", sa.SmallInteger(), nullable=True),
        sa.Column("end", sa.String(length=16), nullable=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rematch_of", sa.BigInteger(), nullable=True),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("turn_started_at", Instant(), nullable=False),
        sa.Column("touched_at", Instant(), nullable=False),
        sa.Column("due_at", Instant(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
    )
    op.create_index(op.f("ix_matches_due_at"), "matches", ["due_at"], unique=False)
    op.create_index(op.f("ix_matches_first_user_end"), "matches", ["first_user", "end"], unique=False)
    op.create_index(op.f("ix_matches_rematch_of"), "matches", ["rematch_of"], unique=True)
    op.create_index(op.f("ix_matches_second_user_end"), "matches", ["second_user", "end"], unique=False)
    op.create_table(
        "players",
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.PrimaryKeyConstraint("is_agent", "player", name=op.f("pk_players")),
    )
    op.create_table(
        "records",
        sa.Column("scope", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(length=64), nullable=False),
        sa.Column("mu", sa.Float(), nullable=False),
        sa.Column("sigma", sa.Float(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best_streak", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("scope", "game", "is_agent", "player", name=op.f("pk_records")),
    )
    op.create_index(
        op.f("ix_records_scope_game_is_agent_points"),
        "records",
        ["scope", "game", "is_agent", "points"],
        unique=False,
    )
    op.create_table(
        "challenges",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("challenger_user", sa.BigInteger(), nullable=False),
        sa.Column("challenger_name", sa.String(length=100), nullable=False),
        sa.Column("opponent_user", sa.BigInteger(), nullable=True),
        sa.Column("opponent_name", sa.String(length=100), nullable=True),
        sa.Column("game", sa.String(length=32), nullable=False),
        sa.Column("board", sa.String(length=16), nullable=False),
        sa.Column("first", sa.String(length=16), nullable=False),
        sa.Column("guild_id", sa.BigInteger(), nullable=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=True),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock_seconds", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("rematch_of", sa.BigInteger(), nullable=True),
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("expires_at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["matches.id"], name=op.f("fk_challenges_match_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenges")),
    )
    op.create_index(op.f("ix_challenges_rematch_of"), "challenges", ["rematch_of"], unique=False)
    op.create_index(
        op.f("ix_challenges_status_expires_at"), "challenges", ["status", "expires_at"], unique=False
    )
    op.create_table(
        "moves",
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("move", sa.SmallInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_moves_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "ply", name=op.f("pk_moves")),
    )
    op.create_table(
        "notices",
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_notices_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("match_id", "message_id", name=op.f("pk_notices")),
    )


def downgrade() -> None:
    op.drop_table("notices")
    op.drop_table("moves")
    op.drop_index(op.f("ix_challenges_status_expires_at"), table_name="challenges")
    op.drop_index(op.f("ix_challenges_rematch_of"), table_name="challenges")
    op.drop_table("challenges")
    op.drop_index(op.f("ix_records_scope_game_is_agent_points"), table_name="records")
    op.drop_table("records")
    op.drop_table("players")
    op.drop_index(op.f("ix_matches_second_user_end"), table_name="matches")
    op.drop_index(op.f("ix_matches_rematch_of"), table_name="matches")
    op.drop_index(op.f("ix_matches_first_user_end"), table_name="matches")
    op.drop_index(op.f("ix_matches_due_at"), table_name="matches")
    op.drop_table("matches")
    op.drop_table("facts")
