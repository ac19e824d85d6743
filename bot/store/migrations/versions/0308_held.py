"""Store why a coach holds the answer of a match's agent."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0308"
down_revision = "0307"


def upgrade() -> None:
    op.add_column("matches", sa.Column("held", sa.Text()))


def downgrade() -> None:
    op.drop_column("matches", "held")
