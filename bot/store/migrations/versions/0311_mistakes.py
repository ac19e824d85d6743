"""Store the positions that people train, and from which day on they may be reminded of them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0311"
down_revision = "0310"

_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ATTEMPTS = sa.table("puzzle_attempts", sa.column("kind"))


def upgrade() -> None:
    op.create_table(
        "mistakes",
        sa.Column("id", _ID, primary_key=True, autoincrement=True),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("match_id", sa.BigInteger()),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("played", sa.Integer(), nullable=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("goal", sa.SmallInteger()),
        sa.Column("worth", sa.Float(), nullable=False),
        sa.Column("due_on", sa.Date()),
        sa.Column("answered_on", sa.Date()),
        sa.Column("rights", sa.SmallInteger(), nullable=False),
        sa.Column("key", sa.String(24), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
    )
    op.create_index("ix_mistakes_user_id_key", "mistakes", ["user_id", "key"], unique=True)
    op.add_column("preferences", sa.Column("quiet_until", sa.Date()))
    # Mistakes are no puzzles any more. Tries that were begun stay what they are: tries that do not count.
    op.get_bind().execute(sa.update(_ATTEMPTS).where(_ATTEMPTS.c.kind == "own").values(kind="free"))


def downgrade() -> None:
    op.drop_column("preferences", "quiet_until")
    op.drop_index("ix_mistakes_user_id_key", "mistakes")
    op.drop_table("mistakes")
