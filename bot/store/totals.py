"""Totals of achievements: how many have each, and how many could; kept as people and awards come and go.

Made anew by the recount of what boards are made of.
"""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from bot.store.connection import Connection
from bot.store.shared import metadata, upsert

EVERYBODY = ""
"""Stands for an achievement where all are counted who could have one: with a rated match."""

achievement_totals = sa.Table(
    "achievement_totals",
    metadata,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("people", sa.Integer, nullable=False),
)
"""A row of which nobody is left may stay, with 0."""

_INSERT = upsert(achievement_totals)
_ADD = _INSERT.on_conflict_do_update(
    index_elements=["key"], set_={"people": achievement_totals.c.people + _INSERT.excluded.people}
)


async def add_people(connection: Connection, change: Mapping[str, int]) -> None:
    """Counts so many more people, or fewer, of each key."""
    rows = [{"key": key, "people": people} for key, people in sorted(change.items()) if people]
    if rows:
        await connection.execute(_ADD, rows)


async def read_totals(connection: Connection) -> dict[str, int]:
    """How many people there are of each key; those of which there is nobody are left out."""
    rows = (await connection.execute(sa.select(achievement_totals))).all()
    return {row.key: row.people for row in rows if row.people}
