"""Medals: the first places of a leaderboard, without pairs of people who only played each other."""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE
from bot.domain.season import MARKED_PLACES, MIN_WINNERS, Season
from bot.store.connection import Connection
from bot.store.history import own_in, rated_sides
from bot.store.ranking import SETTLED
from bot.store.ratings import board_of, records
from bot.store.shared import Values

CANDIDATES = 16
"""Rows at the top of a leaderboard among which medals are given; the first may be such a pair."""


async def read_medals(connection: Connection, scope: int, game: str, season: Season | None) -> dict[str, int]:
    """Return places from 1, by player; equal points share a place.

    There are none where fewer than MIN_WINNERS people have won, and none for people with a provisional
    rating or without a win. season: None for all time.
    """
    is_winner = (board_of(scope, game, season).lists_row, records.c.wins > 0)
    query = (
        sa.select(records.c.player, records.c.points)
        .where(*is_winner, records.c.standing == SETTLED)
        .order_by(records.c.points.desc(), records.c.player)
        .limit(CANDIDATES)
    )
    candidates = (await connection.execute(query)).all()
    if len(candidates) < MIN_WINNERS:
        winners = sa.select(records.c.player).where(*is_winner).limit(MIN_WINNERS)
        if len((await connection.execute(winners)).all()) < MIN_WINNERS:
            return {}
    places: dict[str, int] = {}
    points: list[int] = []
    for row in candidates:
        place = 1 + sum(more > row.points for more in points)
        if place > MARKED_PLACES:
            break
        if not await _is_closed_pair(connection, scope, game, season, row.player):
            places[row.player] = place
            points.append(row.points)
    return places


async def _is_closed_pair(
    connection: Connection, scope: int, game: str, season: Season | None, player: str
) -> bool:
    """Whether the player and one other met no other people, and agents no more often than each other."""
    # Most people have met two others, which is found without counting all their matches.
    if len((await connection.execute(*_query(_two_opponents, scope, game, season, player))).all()) > 1:
        return False
    met = (await connection.execute(*_query(_opponents, scope, game, season, player))).all()
    people = [row for row in met if row.opponent_user is not None]
    if len(people) != 1 or 2 * people[0].matches <= sum(row.matches for row in met):
        return False
    other = str(people[0].opponent_user)
    theirs = (await connection.execute(*_query(_opponents, scope, game, season, other))).all()
    return [str(row.opponent_user) for row in theirs if row.opponent_user is not None] == [player]


def _query(
    build: Any, scope: int, game: str, season: Season | None, player: str
) -> tuple[sa.Select[Any], Values]:
    values = {**own_in(int(player), scope), "game": game}
    if season is None:
        return build(scope == EVERYWHERE, "game"), values
    values |= {"since": season.begins_at, "until": season.ends_at}
    return build(scope == EVERYWHERE, "game", "since", "until"), values


@cache
def _two_opponents(is_everywhere: bool, *conditions: str) -> sa.Select[int]:
    own = rated_sides(is_everywhere, *conditions)
    return sa.select(own.c.opponent_user).distinct().where(own.c.opponent_user.is_not(None)).limit(2)


@cache
def _opponents(is_everywhere: bool, *conditions: str) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere, *conditions)
    opponent = (own.c.opponent_user, own.c.opponent_level)
    return sa.select(*opponent, sa.func.count().label("matches")).group_by(*opponent)
