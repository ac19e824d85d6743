"""Histories in less room: SQLite keeps their moments as numbers, and only people's are found by player."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"

HISTORY = "ix_rating_history_player_scope_at"
NEWS = "ix_achievements_is_told"

COLUMNS = (
    "id, match_id, scope, side, game, is_agent, player, score, points, margin, opponent_points, at, is_easy"
)

# SQLite itself rounds a second's parts to thousandths.
AS_NUMBER = (
    "CAST(strftime('%s', substr(at, 1, 19)) AS INTEGER) * 1000000"
    " + CAST(substr(at || '000000', 21, 6) AS INTEGER)"
)
AS_TEXT = (
    "CASE WHEN typeof(at) = 'integer' THEN"
    " strftime('%Y-%m-%d %H:%M:%S', at / 1000000, 'unixepoch') || printf('.%06d', at % 1000000) END"
)


def upgrade() -> None:
    op.drop_index(HISTORY, table_name="rating_history")
    _rebuild(sa.BigInteger(), AS_NUMBER)
    _index(HISTORY, "rating_history", ["player", "scope", "at"], "is_agent")
    op.drop_index(NEWS, table_name="achievements")
    _index(NEWS, "achievements", ["is_told"], "is_told")


def downgrade() -> None:
    op.drop_index(NEWS, table_name="achievements")
    op.create_index(NEWS, "achievements", ["is_told"])
    op.drop_index(HISTORY, table_name="rating_history")
    _rebuild(sa.DateTime(timezone=True), AS_TEXT)
    op.create_index(HISTORY, "rating_history", ["player", "scope", "at"])


def _index(name: str, table: str, columns: list[str], flag: str) -> None:
    where = sa.column(flag, sa.Boolean()).is_(False)
    op.create_index(name, table, columns, sqlite_where=where, postgresql_where=where)


def _rebuild(at: sa.types.TypeEngine[datetime] | sa.BigInteger, change: str) -> None:
    """The table with its moments in another form; a new one, as old rows would keep their room."""
    if op.get_context().dialect.name != "sqlite":
        return
    op.drop_index("ix_rating_history_match_id_scope_side", table_name="rating_history")
    op.create_table(
        "coming",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("match_id", sa.Integer(), nullable=False),
        sa.Column("scope", sa.BigInteger(), nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("score", sa.SmallInteger(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("margin", sa.Integer(), nullable=False, server_default="350"),
        sa.Column("opponent_points", sa.Integer(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.Column("is_easy", sa.Boolean(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_rating_history_match_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating_history")),
    )
    changed = COLUMNS.replace(" at,", f" coalesce({change}, at),")
    op.execute(f"INSERT INTO coming ({COLUMNS}) SELECT {changed} FROM rating_history ORDER BY id")
    op.drop_table("rating_history")
    op.rename_table("coming", "rating_history")
    op.create_index(
        op.f("ix_rating_history_match_id_scope_side"),
        "rating_history",
        ["match_id", "scope", "side"],
        unique=True,
    )
