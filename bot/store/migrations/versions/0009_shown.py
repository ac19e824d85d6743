"""Which version each message shows, and calls that are noted before they are sent."""

from __future__ import annotations

from datetime import timedelta

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_LAST = timedelta(minutes=2)
"""Changes so close to the last one may have been stored and not shown by the version before this one."""


def upgrade() -> None:
    for table in ("matches", "challenges", "tournaments"):
        op.add_column(table, sa.Column("shown_version", sa.Integer(), nullable=False, server_default="-1"))
        op.execute(sa.text(f"UPDATE {table} SET shown_version = version"))
    op.add_column("tournaments", sa.Column("shown_mark", sa.String(64)))
    matches = sa.table(
        "matches", sa.column("touched_at", sa.DateTime(timezone=True)), sa.column("shown_version")
    )
    last = op.get_bind().scalar(sa.select(sa.func.max(matches.c.touched_at)))
    if last is not None:
        late = matches.c.touched_at >= last - _LAST
        op.execute(sa.update(matches).where(late).values(shown_version=-1))
    behind = sa.text(
        "shown_version < version AND (message_id IS NOT NULL OR first_level IS NULL OR second_level IS NULL)"
    )
    op.create_index("ix_matches_behind", "matches", ["id"], sqlite_where=behind, postgresql_where=behind)
    op.create_table(
        "calls",
        sa.Column(
            "id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False
        ),
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("board_id", sa.BigInteger()),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("called_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_done", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_calls_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_calls")),
    )
    op.create_index(op.f("ix_calls_match_id"), "calls", ["match_id"])
    op.execute(
        sa.text(
            "INSERT INTO calls (match_id, channel_id, board_id, message_id, turn, called_at, is_done) "
            "SELECT notices.match_id, notices.channel_id, matches.message_id, notices.message_id, "
            "matches.turn, matches.touched_at, false FROM notices "
            "JOIN matches ON matches.id = notices.match_id"
        )
    )
    op.drop_table("notices")


def downgrade() -> None:
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
    op.execute(
        sa.text(
            "INSERT INTO notices (match_id, channel_id, message_id) "
            "SELECT match_id, channel_id, message_id FROM calls WHERE message_id IS NOT NULL"
        )
    )
    op.drop_table("calls")
    op.drop_index("ix_matches_behind", "matches")
    op.drop_column("tournaments", "shown_mark")
    for table in ("tournaments", "challenges", "matches"):
        op.drop_column(table, "shown_version")
