"""When each side of a match last offered a draw or asked for a take-back, which limits how often it may."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0301"
down_revision = "0300"

COLUMNS = ("first_draw_offered", "second_draw_offered", "first_undo_asked", "second_undo_asked")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("matches", sa.Column(name, sa.Integer()))


def downgrade() -> None:
    for name in COLUMNS:
        op.drop_column("matches", name)
