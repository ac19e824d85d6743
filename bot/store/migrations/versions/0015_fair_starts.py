"""How matches begin: as usual, with the pie rule, or after a balanced opening."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    for table in ("matches", "challenges"):
        op.add_column(table, sa.Column("fair", sa.String(16), nullable=False, server_default="usual"))


def downgrade() -> None:
    for table in ("challenges", "matches"):
        op.drop_column(table, "fair")
