"""Fair play: since when ratings follow its rules, and an index by time for what they ask."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.drop_index(op.f("ix_rating_history_player_scope"), table_name="rating_history")
    op.create_index(op.f("ix_rating_history_player_scope_at"), "rating_history", ["player", "scope", "at"])
    matches = sa.table(
        "matches", sa.column("rated"), sa.column("end"), sa.column("touched_at", sa.DateTime(timezone=True))
    )
    last = op.get_bind().scalar(
        sa.select(sa.func.max(matches.c.touched_at)).where(
            matches.c.rated.is_(sa.true()), matches.c.end.is_not(None)
        )
    )
    if isinstance(last, datetime):
        facts = sa.table("facts", sa.column("key"), sa.column("value"))
        op.execute(sa.insert(facts).values(key="fair_since", value=last.replace(tzinfo=None).isoformat()))


def downgrade() -> None:
    op.drop_index(op.f("ix_rating_history_player_scope_at"), table_name="rating_history")
    op.create_index(op.f("ix_rating_history_player_scope"), "rating_history", ["player", "scope"])
    op.execute("DELETE FROM facts WHERE key = 'fair_since'")
