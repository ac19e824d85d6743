"""How much a finished match counts, by the matches counted before it: see `bot.domain.rating_share`."""

from __future__ import annotations

from datetime import timedelta
from functools import cache

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE
from bot.domain.match import Match
from bot.domain.rating_share import (
    EASY_WITHIN,
    EXPERIENCED,
    SAME_OPPONENT_WITHIN,
    Share,
    is_far_weaker,
    weights_of,
)
from bot.store.connection import Connection
from bot.store.history import own_in, rated_sides
from bot.store.ratings import scopes_of
from engine.core import Player


async def read_share(connection: Connection, match: Match, points: tuple[int, int]) -> Share:
    """Return how much `match` counts, which has ended and is not counted yet.

    points: of both sides before the match, in the widest scope that it counts in.
    """
    person = next((player for player in Player if not match.seats[player].is_agent), Player.FIRST)
    met = await _count_met(connection, match, person)
    winner = None if match.result is None else match.result.winner
    if winner is None or match.seats[winner].is_agent:
        return Share(weights_of(match, met=met, easy_wins=0))
    is_easy = is_far_weaker(points[winner], points[winner.other])
    is_easy = is_easy or await _is_inexperienced(connection, match, winner.other)
    wins = await _count_easy_wins(connection, match, winner) if is_easy else 0
    return Share(weights_of(match, met=met, easy_wins=wins), is_easy)


async def _count_met(connection: Connection, match: Match, player: Player) -> int:
    """How often the two sides have met lately."""
    query = _met(_is_everywhere(match), match.seats[player.other].is_agent)
    return await _count(connection, match, player, query, SAME_OPPONENT_WITHIN)


async def _count_easy_wins(connection: Connection, match: Match, player: Player) -> int:
    return await _count(connection, match, player, _easy_wins(_is_everywhere(match)), EASY_WITHIN)


async def _is_inexperienced(connection: Connection, match: Match, player: Player) -> bool:
    """Whether that side is a person with few matches against other opponents."""
    if match.seats[player].is_agent:
        return False
    query = _against_others(_is_everywhere(match), match.seats[player.other].is_agent)
    return await _count(connection, match, player, query) < EXPERIENCED


async def _count(
    connection: Connection,
    match: Match,
    player: Player,
    query: sa.Select[int],
    within: timedelta = timedelta(),
) -> int:
    """Count that side's matches of the game in the widest scope; 0 for an agent.

    within: how long before this match they may have ended.
    """
    seat, other = match.seats[player], match.seats[player.other]
    if seat.user_id is None:
        return 0
    values = {
        **own_in(seat.user_id, scopes_of(match)[0]),
        "game": match.game,
        "after": match.touched_at - within,
        "opponent": other.user_id if other.level is None else other.level,
    }
    return int((await connection.execute(query, values)).scalar_one())


def _is_everywhere(match: Match) -> bool:
    return scopes_of(match)[0] == EVERYWHERE


def _is_opponent(rows: sa.Subquery, *, is_agent: bool) -> sa.ColumnElement[bool]:
    column = rows.c.opponent_level if is_agent else rows.c.opponent_user
    return column == sa.bindparam("opponent")


@cache
def _met(is_everywhere: bool, is_agent: bool) -> sa.Select[int]:
    rows = rated_sides(is_everywhere, "game", "after")
    return sa.select(sa.func.count()).select_from(rows).where(_is_opponent(rows, is_agent=is_agent))


@cache
def _easy_wins(is_everywhere: bool) -> sa.Select[int]:
    rows = rated_sides(is_everywhere, "game", "after")
    return sa.select(sa.func.count()).select_from(rows).where(rows.c.is_easy)


@cache
def _against_others(is_everywhere: bool, is_agent: bool) -> sa.Select[int]:
    """Count no further than EXPERIENCED."""
    rows = rated_sides(is_everywhere, "game")
    is_other = sa.not_(sa.func.coalesce(_is_opponent(rows, is_agent=is_agent), sa.false()))
    found = sa.select(sa.literal(1)).select_from(rows).where(is_other).limit(EXPERIENCED).subquery()
    return sa.select(sa.func.count()).select_from(found)
