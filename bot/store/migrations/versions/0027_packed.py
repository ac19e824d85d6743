"""Moves of finished matches, packed in their own rows: those of old ones are packed while people play."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from bot.store.turn_codec import unpack

revision = "0027"
down_revision = "0026"

IS_UNPACKED = sa.text('"end" IS NOT NULL AND packed_plies IS NULL')

ROWS_AT_ONCE = 500


def upgrade() -> None:
    op.add_column("matches", sa.Column("packed_plies", sa.SmallInteger()))
    op.add_column("matches", sa.Column("packed_turns", sa.LargeBinary()))
    op.create_index(
        "ix_matches_unpacked", "matches", ["id"], sqlite_where=IS_UNPACKED, postgresql_where=IS_UNPACKED
    )


def downgrade() -> None:
    _take_apart(op.get_bind())
    op.drop_index("ix_matches_unpacked", table_name="matches")
    for name in ("packed_turns", "packed_plies"):
        op.drop_column("matches", name)


def _take_apart(connection: sa.Connection) -> None:
    moves = sa.table(
        "moves",
        *(sa.column(name) for name in ("match_id", "ply", "move", "seconds")),
        sa.column("at", sa.DateTime(timezone=True)),
    )
    query = sa.text(
        "SELECT id, packed_turns FROM matches WHERE id > :last AND packed_turns IS NOT NULL"
        " ORDER BY id LIMIT :most"
    )
    last = 0
    while rows := connection.execute(query, {"last": last, "most": ROWS_AT_ONCE}).all():
        values = [
            {"match_id": number, "ply": ply, "move": turn.move, "seconds": turn.seconds, "at": turn.at}
            for number, packed in rows
            for ply, turn in enumerate(unpack(packed))
        ]
        if values:
            connection.execute(sa.insert(moves), values)
        last = rows[-1][0]
