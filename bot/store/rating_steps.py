"""Rating steps: both players' ratings before and after each counted match, one row a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from bot.domain.match import Match, RatingChange
from bot.domain.rating import Record
from bot.store.connection import Connection
from bot.store.shared import Values, id_column, metadata
from engine.core import Player

SIDES = ("first", "second")
"""Prefixes of each side's columns, as in the table of matches."""

LOCAL = "local_"
"""Prefix of the columns of a server's ratings, used when the match counted across all servers as well."""

PARTS = ("before", "points", "margin")

rating_steps = sa.Table(
    "rating_steps",
    metadata,
    id_column(),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), nullable=False),
    *(sa.Column(f"{side}_{part}", sa.Integer, nullable=False) for side in SIDES for part in PARTS),
    *(sa.Column(f"{LOCAL}{side}_{part}", sa.Integer) for side in SIDES for part in PARTS),
    sa.Column("is_easy", sa.Boolean, nullable=False),
    sa.Index(None, "match_id", unique=True),
)
"""id: grows in the order in which matches were counted. before: the side's points before the match. points,
margin: its rating afterwards. is_easy: whether it was an easy win (`bot.domain.rating_share`).

The columns without LOCAL are of the widest scope that the match counts in.
"""


def step_values(
    match: Match, rated: Sequence[tuple[Sequence[Record], Sequence[Record]]], *, is_easy: bool
) -> Values:
    """Return the row of a match.

    rated: the records before and after, both by side, for each of its scopes, the widest first.
    """
    found: Values = {"match_id": match.id, "is_easy": is_easy}
    for number, scope in enumerate(("", LOCAL)):
        for player, side in enumerate(SIDES):
            values: Sequence[int | None] = (None,) * len(PARTS)
            if number < len(rated):
                before, after = (records[player] for records in rated[number])
                values = (before.points, after.points, after.margin)
            found |= {f"{scope}{side}_{part}": value for part, value in zip(PARTS, values, strict=True)}
    return found


_INSERT = sa.insert(rating_steps)


async def add_step(connection: Connection, values: Values) -> None:
    await connection.execute(_INSERT, [values])


_MATCH_IDS: sa.BindParameter[Any] = sa.bindparam("match_ids", expanding=True)
_CHANGES = sa.select(rating_steps).where(rating_steps.c.match_id.in_(_MATCH_IDS))


async def changes_of(connection: Connection, match_ids: Sequence[int]) -> dict[int, tuple[RatingChange, ...]]:
    """Return both rating changes of each match where it was played; matches not counted are missing."""
    rows = (await connection.execute(_CHANGES, {"match_ids": list(match_ids)})).mappings().all()
    return {row["match_id"]: tuple(_change(row, player) for player in Player) for row in rows}


def _change(row: sa.RowMapping, player: Player) -> RatingChange:
    names = [f"{SIDES[player]}_{part}" for part in PARTS]
    local = [row[LOCAL + name] for name in names]
    before, points, margin = [row[name] for name in names] if local[0] is None else local
    return RatingChange(before, points, margin)
