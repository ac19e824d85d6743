"""Indexes for whoever asks for running matches, or for somebody's last ones, among millions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

IS_RUNNING = sa.text('"end" IS NULL')


def upgrade() -> None:
    for name, column in (("ix_matches_running", "id"), ("ix_matches_running_in", "channel_id")):
        op.create_index(name, "matches", [column], sqlite_where=IS_RUNNING, postgresql_where=IS_RUNNING)
    for column in ("first_user", "second_user"):
        op.create_index(op.f(f"ix_matches_{column}_touched_at"), "matches", [column, "touched_at"])


def downgrade() -> None:
    for name in ("running", "running_in", "first_user_touched_at", "second_user_touched_at"):
        op.drop_index(f"ix_matches_{name}", table_name="matches")
