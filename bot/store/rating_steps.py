"""What each match made of its players' ratings: one row a match, written as it is counted.

Who played, what and when stands with the match itself; `bot.store.rated_sides` finds a person's.
"""

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
"""What the columns of each side begin with, as those of matches do."""

LOCAL = "local_"
"""What the columns of a server's ratings begin with where the match counted everywhere, too."""

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
"""The ids grow in the order in which matches were counted.

before: the points that the side had. points, margin: the rating shown after the match. Of a match that counts
in two scopes the columns without LOCAL are those of everywhere; of any other they are those of its only one.
is_easy: it was an easy win of the side that won (`bot.domain.rating_share`).
"""


def step_values(
    match: Match, rated: Sequence[tuple[Sequence[Record], Sequence[Record]]], *, is_easy: bool
) -> Values:
    """The row of a match that has just been rated.

    rated: for each of its scopes, the widest first, both records before and after, by side.
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


_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_CHANGES = sa.select(rating_steps).where(rating_steps.c.match_id.in_(_NUMBERS))


async def changes_of(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[RatingChange, ...]]:
    """By match what it made of both ratings where it was played; nothing of one that was not counted."""
    rows = (await connection.execute(_CHANGES, {"numbers": list(numbers)})).mappings().all()
    return {row["match_id"]: tuple(_change(row, player) for player in Player) for row in rows}


def _change(row: sa.RowMapping, player: Player) -> RatingChange:
    names = [f"{SIDES[player]}_{part}" for part in PARTS]
    here = [row[LOCAL + name] for name in names]
    before, points, margin = [row[name] for name in names] if here[0] is None else here
    return RatingChange(before, points, margin)
