"""Let the warning of the clock come before an offer: the index of stale pings has this order in it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0304"
down_revision = "0303"

CLOCK = " WHEN warned_turn = turn THEN 4 * turn + 3"
OFFERS = " WHEN draw_offer IS NOT NULL THEN 4 * turn + 1 WHEN undo_request IS NOT NULL THEN 4 * turn + 2"


def _index(whens: str) -> None:
    condition = sa.text(
        "channel_id IS NOT NULL AND coalesce(ping_ask, -1) <>"
        f' coalesce(CASE WHEN "end" IS NOT NULL THEN NULL{whens}'
        " WHEN first_level IS NULL AND second_level IS NULL THEN 4 * turn END, -1)"
    )
    op.drop_index("ix_matches_pings", "matches")
    op.create_index("ix_matches_pings", "matches", ["id"], sqlite_where=condition, postgresql_where=condition)


def upgrade() -> None:
    _index(CLOCK + OFFERS)


def downgrade() -> None:
    _index(OFFERS + CLOCK)
