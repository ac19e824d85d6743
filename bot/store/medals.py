"""Medals: the first settled places of a board, without people who made up what they have between them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.rating import SETTLED_UNDER
from bot.domain.season import LEAST_WINNERS, MARKED_PLACES, Season
from bot.store.connection import Connection
from bot.store.rank_tallies import EVERYWHERE, SETTLED, is_shown
from bot.store.rated_sides import rated_sides
from bot.store.shared import Values

LOOKED_AT = 16
"""Rows of a board of which the first may have no place."""


def is_settled(table: sa.FromClause) -> sa.ColumnElement[bool]:
    """`Record.is_settled` of a row, whose margin is rounded."""
    return table.c.deviation < SETTLED_UNDER - 0.5


async def medals(
    connection: Connection,
    board: Mapping[str, object],
    table: sa.Table,
    *where: sa.ColumnElement[bool],
    season: Season | None = None,
) -> dict[str, int]:
    """The first places of a board of people, without pairs that kept to themselves: place by player, from 1.

    Nobody whose rating is provisional or who has won nothing has one, and where fewer than LEAST_WINNERS have
    won something nobody has. board: the scope and the game, by column. where: which rows of `table` it has.
    Equal points share a place.
    """
    won = (table.c.is_agent.is_(False), table.c.wins > 0, is_shown(table), *where)
    winners = sa.select(table.c.player).where(*won).limit(LEAST_WINNERS)
    if len((await connection.execute(winners)).all()) < LEAST_WINNERS:
        return {}
    query = (
        sa.select(table.c.player, table.c.points)
        .where(*won, table.c.standing == SETTLED)
        .order_by(table.c.points.desc(), table.c.player)
        .limit(LOOKED_AT)
    )
    places: dict[str, int] = {}
    points: list[int] = []
    for row in (await connection.execute(query)).all():
        place = 1 + sum(more > row.points for more in points)
        if place > MARKED_PLACES:
            break
        if not await _kept_to_one(connection, board, row.player, season):
            places[row.player] = place
            points.append(row.points)
    return places


async def _kept_to_one(
    connection: Connection, board: Mapping[str, object], player: str, season: Season | None
) -> bool:
    """Whether two people made up what they have there between them: they met no other person in its rated
    matches, and agents no more often than one another."""
    if await _met_others(connection, board, player, season):
        return False
    met = await _met(connection, board, player, season)
    people = [(key, matches) for (is_agent, key), matches in met.items() if not is_agent]
    if len(people) != 1 or 2 * people[0][1] <= sum(met.values()):
        return False
    others = await _met(connection, board, people[0][0], season)
    return [key for is_agent, key in others if not is_agent] == [player]


async def _met_others(
    connection: Connection, board: Mapping[str, object], player: str, season: Season | None
) -> bool:
    """Whether they met two people there; who has played ten thousand matches has done so soon."""
    query = _two_others(*_how(board, season))
    return len((await connection.execute(query, _values(board, player, season))).all()) > 1


async def _met(
    connection: Connection, board: Mapping[str, object], player: str, season: Season | None
) -> dict[tuple[bool, str], int]:
    """How many rated matches a person has had against whom: (is_agent, player) of each."""
    query = _others(*_how(board, season))
    return {
        (row.opponent_user is None, str(row.opponent_level or row.opponent_user)): row.matches
        for row in (await connection.execute(query, _values(board, player, season))).all()
    }


def _how(board: Mapping[str, object], season: Season | None) -> tuple[bool, tuple[str, ...]]:
    """What `rated_sides` is asked. board: its scope and its game."""
    return board["scope"] == EVERYWHERE, ("game",) if season is None else ("game", "since", "until")


def _values(board: Mapping[str, object], player: str, season: Season | None) -> Values:
    found = {"own_user": int(player), **board}
    return found if season is None else {**found, "since": season.begins_at, "until": season.ends_at}


@cache
def _two_others(is_everywhere: bool, names: tuple[str, ...]) -> sa.Select[int]:
    own = rated_sides(is_everywhere, *names)
    return sa.select(own.c.opponent_user).distinct().where(own.c.opponent_user.is_not(None)).limit(2)


@cache
def _others(is_everywhere: bool, names: tuple[str, ...]) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere, *names)
    opponent = (own.c.opponent_user, own.c.opponent_level)
    return sa.select(*opponent, sa.func.count().label("matches")).group_by(*opponent)
