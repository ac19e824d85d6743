"""What each match made of its players' ratings: a row for each seat and scope, written as it is counted."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from bot.domain.match import Match, RatingChange
from bot.domain.rating import Record
from bot.store.connection import Connection
from bot.store.players import player_key
from bot.store.shared import ShortInstant, Values, id_column, metadata
from engine.core import Player

rating_history = sa.Table(
    "rating_history",
    metadata,
    id_column(),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), nullable=False),
    sa.Column("scope", sa.BigInteger, nullable=False),
    sa.Column("side", sa.SmallInteger, nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("is_agent", sa.Boolean, nullable=False),
    sa.Column("player", sa.String(64), nullable=False),
    sa.Column("score", sa.SmallInteger, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("margin", sa.Integer, nullable=False, server_default="350"),
    sa.Column("opponent_points", sa.Integer, nullable=False),
    sa.Column("at", ShortInstant, nullable=False),
    sa.Column("is_easy", sa.Boolean, nullable=False, server_default="0"),
    sa.Index(None, "match_id", "scope", "side", unique=True),
)
"""What a match made of each side's rating. The ids grow in the order in which matches were counted.

score: 1 won, 0 drawn, -1 lost. points, margin: the rating shown after the match; opponent_points: the
other side's before it. is_easy: it was an easy win of this side (`bot.domain.rating_share`).
"""

_IS_PERSON = rating_history.c.is_agent.is_(False)

# Nobody asks for the matches of an agent. Whoever asks for a person's has to say that it is one.
sa.Index(
    "ix_rating_history_player_scope_at",
    rating_history.c.player,
    rating_history.c.scope,
    rating_history.c.at,
    sqlite_where=_IS_PERSON,
    postgresql_where=_IS_PERSON,
)

OWN, OTHER = rating_history.alias("own"), rating_history.alias("other")

SAME = (
    OTHER.c.match_id == OWN.c.match_id,
    OTHER.c.scope == OWN.c.scope,
    OTHER.c.side == 1 - OWN.c.side,
)
"""They are the two sides of one match, in one scope."""


def history_values(
    match: Match, scope: int, before: Sequence[Record], after: Sequence[Record], *, is_easy: bool
) -> list[Values]:
    """The rows of a match that has just been rated, by side; raises ValueError for one without result."""
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    found = []
    for player in Player:
        is_agent, key = player_key(match.seats[player])
        winner = match.result.winner
        found.append(
            {
                "match_id": match.id,
                "scope": scope,
                "side": player.value,
                "game": match.game,
                "is_agent": is_agent,
                "player": key,
                "score": 0 if winner is None else 1 if winner is player else -1,
                "points": after[player].points,
                "margin": after[player].margin,
                "opponent_points": before[player.other].points,
                "at": match.touched_at,
                "is_easy": is_easy and winner is player,
            }
        )
    return found


async def add_history(connection: Connection, values: Sequence[Values]) -> None:
    await connection.execute(sa.insert(rating_history), list(values))


async def changes_of(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[RatingChange, ...]]:
    """By match what it made of both ratings where it was played; nothing of one that was not counted."""
    table = rating_history
    query = sa.select(table).where(table.c.match_id.in_(numbers)).order_by(table.c.match_id, table.c.scope)
    # A server's scope comes after that of everywhere, and takes its place.
    rows = {(row.match_id, row.side): row for row in (await connection.execute(query)).all()}
    return {
        number: tuple(
            RatingChange(
                rows[number, 1 - side].opponent_points, rows[number, side].points, rows[number, side].margin
            )
            for side in (0, 1)
        )
        for number in numbers
        if (number, 0) in rows and (number, 1) in rows
    }
