"""For which turn somebody's last hint was, so that asking again costs no other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    op.add_column("hints", sa.Column("turn", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("hints", "turn")
