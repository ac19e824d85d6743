"""How much a result counts: less the more often the same two have met, or an easy win was had, of late.

Asked in the transaction that ends a match, of the histories of everywhere; the recount asks its own.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.match import Match
from bot.domain.rating import EASY_WITHIN, FAR, SAME_OPPONENT_WITHIN, is_easy, weight_of
from bot.domain.season import Season
from bot.store.facts import facts
from bot.store.history import rating_history
from bot.store.players import player_key
from bot.store.ratings import EVERYWHERE, points_of
from engine.core import Player

FAIR_SINCE = "fair_since"
"""The fact that says when the last match ended that was counted before there were these rules."""

Points = tuple[int, int]
"""Of both sides, everywhere, before the match."""


async def fair_since(connection: AsyncConnection) -> datetime | None:
    """Matches that ended until then keep what they were counted as; None where there are none."""
    value = await connection.scalar(sa.select(facts.c.value).where(facts.c.key == FAIR_SINCE))
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)


async def stored_weight(connection: AsyncConnection, match: Match) -> float:
    """What `match`, which has just ended and is not counted yet, counts, from 0 to 1."""
    points = await points_of(connection, match)
    person = next((player for player in Player if not match.seats[player].is_agent), Player.FIRST)
    met = await _count(connection, match, person, SAME_OPPONENT_WITHIN, *_against(match, person.other))
    winner = _easy_winner(match, points)
    if winner is None:
        return weight_of(met, 0)
    return weight_of(met, await _count(connection, match, winner, EASY_WITHIN, *_EASY))


class Meetings:
    """The same from a list of matches, each weighed once, in the order in which they are counted."""

    def __init__(self) -> None:
        self._met: defaultdict[object, list[datetime]] = defaultdict(list)
        self._easy: defaultdict[object, list[datetime]] = defaultdict(list)

    def weigh(self, match: Match, points: Points) -> float:
        keys = [player_key(seat) for seat in match.seats]
        met = self._met[match.game, frozenset(keys)]
        known = _later(met, match, SAME_OPPONENT_WITHIN)
        insort(met, match.touched_at)
        winner = _easy_winner(match, points)
        if winner is None:
            return weight_of(known, 0)
        easy = self._easy[match.game, keys[winner]]
        wins = _later(easy, match, EASY_WITHIN)
        insort(easy, match.touched_at)
        return weight_of(known, wins)


async def kept_to_one(
    connection: AsyncConnection, season: Season, scope: int, game: str, player: str
) -> bool:
    """Whether two people made up that season of theirs between them: they met no other person in that
    server's rated matches of the game, and agents no more often than one another."""
    met = await _met(connection, season, scope, game, player)
    people = [(key, matches) for (is_agent, key), matches in met.items() if not is_agent]
    if len(people) != 1 or 2 * people[0][1] <= sum(met.values()):
        return False
    others = await _met(connection, season, scope, game, people[0][0])
    return [key for is_agent, key in others if not is_agent] == [player]


async def _met(
    connection: AsyncConnection, season: Season, scope: int, game: str, player: str
) -> dict[tuple[bool, str], int]:
    """How many rated matches a person has had against whom: (is_agent, player) of each."""
    query = (
        sa.select(_OTHER.c.is_agent, _OTHER.c.player, sa.func.count().label("matches"))
        .select_from(_OWN.join(_OTHER, sa.and_(*_SAME)))
        .where(
            _OWN.c.player == player,
            _OWN.c.scope == scope,
            _OWN.c.at >= season.begins_at,
            _OWN.c.at < season.ends_at,
            _OWN.c.is_agent.is_(False),
            _OWN.c.game == game,
        )
        .group_by(_OTHER.c.is_agent, _OTHER.c.player)
    )
    return {(row.is_agent, row.player): row.matches for row in (await connection.execute(query)).all()}


def _easy_winner(match: Match, points: Points) -> Player | None:
    """The person who has won as was to be expected; agents do not choose whom they play."""
    winner = None if match.result is None else match.result.winner
    if winner is None or match.seats[winner].is_agent or not is_easy(points[winner], points[winner.other]):
        return None
    return winner


def _later(times: Sequence[datetime], match: Match, within: timedelta) -> int:
    """How many of the sorted times are of that time before, or later: a clock may be set back."""
    return len(times) - bisect_right(times, match.touched_at - within)


_OWN, _OTHER = rating_history.alias("own"), rating_history.alias("other")

_SAME = (
    _OTHER.c.match_id == _OWN.c.match_id,
    _OTHER.c.scope == _OWN.c.scope,
    _OTHER.c.side == 1 - _OWN.c.side,
)
"""The two rows of a match."""

_EASY = (_OWN.c.score == 1, _OTHER.c.opponent_points - _OWN.c.opponent_points >= FAR)
"""Each row keeps the other side's points before the match."""


def _against(match: Match, player: Player) -> tuple[sa.ColumnElement[bool], ...]:
    is_agent, key = player_key(match.seats[player])
    return _OTHER.c.player == key, _OTHER.c.is_agent == is_agent


async def _count(
    connection: AsyncConnection,
    match: Match,
    player: Player,
    within: timedelta,
    *where: sa.ColumnElement[bool],
) -> int:
    """That side's matches of the game counted within that time before, of which `where` is true."""
    is_agent, key = player_key(match.seats[player])
    query = (
        sa.select(sa.func.count())
        .select_from(_OWN.join(_OTHER, sa.and_(*_SAME)))
        .where(
            _OWN.c.player == key,
            _OWN.c.scope == EVERYWHERE,
            _OWN.c.at > match.touched_at - within,
            _OWN.c.is_agent == is_agent,
            _OWN.c.game == match.game,
            *where,
        )
    )
    return int((await connection.execute(query)).scalar_one())
