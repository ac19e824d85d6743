"""How much a result counts: less the more often the same two have met, or an easy win was had, of late.

Asked in the transaction that ends a match, of the stored histories; the recount asks its own.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.rating_share import (
    EASY_WITHIN,
    EXPERIENCED,
    SAME_OPPONENT_WITHIN,
    Share,
    Weights,
    is_far_weaker,
    weights_of,
)
from bot.store.connection import Connection
from bot.store.facts import facts
from bot.store.players import player_key
from bot.store.rating_steps import OTHER, OWN, SAME
from bot.store.ratings import points_of, scopes_of
from bot.store.spill import Spill
from engine.core import Player

SHARES_SINCE = "fair_since"
"""The fact that says when the last match ended that was counted before there were these rules."""

Points = tuple[int, int]
"""Of both sides before the match, in the widest scope that it counts in."""


async def shares_since(connection: Connection) -> datetime | None:
    """Matches that ended until then keep what they were counted as; None where there are none."""
    value = await connection.scalar(sa.select(facts.c.value).where(facts.c.key == SHARES_SINCE))
    return None if value is None else datetime.fromisoformat(value).replace(tzinfo=UTC)


async def stored_share(connection: Connection, match: Match) -> Share:
    """What `match`, which has just ended and is not counted yet, counts."""
    scope = scopes_of(match)[0]
    points = await points_of(connection, match)
    person = next((player for player in Player if not match.seats[player].is_agent), Player.FIRST)
    met = await _count(connection, match, person, SAME_OPPONENT_WITHIN, *_against(match, person.other))
    winner = _winning_person(match)
    is_easy = winner is not None and (
        is_far_weaker(points[winner], points[winner.other])
        or await _is_inexperienced(connection, scope, match, winner.other)
    )
    wins = 0
    if winner is not None and is_easy:
        wins = await _count(connection, match, winner, EASY_WITHIN, OWN.c.is_easy.is_(True))
    return Share(weights_of(match, met=met, easy_wins=wins), is_easy)


class Meetings:
    """The same from a list of matches, each weighed once, in the order in which they are counted.

    times: when two met, and when somebody won easily, sorted. played: how many matches each player has had.
    """

    def __init__(self, times: Spill[list[float]], played: Spill[int]) -> None:
        self._times = times
        self._played = played

    def weigh(self, match: Match, points: Points, since: datetime | None) -> Share:
        """since: matches that ended until then count in full."""
        scope, *_ = scopes = scopes_of(match)
        first, second = players = [player_key(seat) for seat in match.seats]
        pair = "\t".join(f"{is_agent:d}{player}" for is_agent, player in sorted(players))
        winner = _winning_person(match)
        is_old = since is not None and match.touched_at <= since
        met = self._times.get(f"met\t{scope}\t{match.game}\t{pair}") or []
        is_easy, wins = False, 0
        if winner is not None and not is_old:
            loser = players[winner.other]
            others = (self._played.get(_of(scope, match, loser)) or 0) - len(met)
            is_easy = is_far_weaker(points[winner], points[winner.other]) or (
                not match.seats[winner.other].is_agent and others < EXPERIENCED
            )
            if is_easy:
                easy = self._times.get(f"easy\t{_of(scope, match, players[winner])}") or []
                wins = _later(easy, match, EASY_WITHIN)
        share = Share() if is_old else Share(_weights(match, met, wins), is_easy)
        for one in scopes:
            self._note(f"met\t{one}\t{match.game}\t{pair}", match)
            for key in {_of(one, match, first), _of(one, match, second)}:
                self._played.set(key, 1 + (self._played.get(key) or 0))
            if winner is not None and is_easy:
                self._note(f"easy\t{_of(one, match, players[winner])}", match)
        return share

    def _note(self, key: str, match: Match) -> None:
        times = self._times.get(key) or []
        insort(times, match.touched_at.timestamp())
        self._times.set(key, times)


def _of(scope: int, match: Match, player: tuple[bool, str]) -> str:
    is_agent, key = player
    return f"{scope}\t{match.game}\t{is_agent:d}{key}"


def _weights(match: Match, met: list[float], easy_wins: int) -> Weights:
    return weights_of(match, met=_later(met, match, SAME_OPPONENT_WITHIN), easy_wins=easy_wins)


def _winning_person(match: Match) -> Player | None:
    """The side that has won, if it is a person's; agents do not choose whom they play."""
    winner = None if match.result is None else match.result.winner
    return None if winner is None or match.seats[winner].is_agent else winner


def _later(times: list[float], match: Match, within: timedelta) -> int:
    """How many of the sorted times are of that time before, or later: a clock may be set back."""
    return len(times) - bisect_right(times, (match.touched_at - within).timestamp())


def _against(match: Match, player: Player) -> tuple[sa.ColumnElement[bool], ...]:
    is_agent, key = player_key(match.seats[player])
    return OTHER.c.player == key, OTHER.c.is_agent == is_agent


async def _count(
    connection: Connection,
    match: Match,
    player: Player,
    within: timedelta,
    *where: sa.ColumnElement[bool],
) -> int:
    """That side's matches of the game counted within that time before, of which `where` is true."""
    is_agent, key = player_key(match.seats[player])
    query = (
        sa.select(sa.func.count())
        .select_from(OWN.join(OTHER, sa.and_(*SAME)))
        .where(
            OWN.c.player == key,
            OWN.c.scope == scopes_of(match)[0],
            OWN.c.at > match.touched_at - within,
            OWN.c.is_agent.is_(is_agent),
            OWN.c.game == match.game,
            *where,
        )
    )
    return int((await connection.execute(query)).scalar_one())


async def _is_inexperienced(connection: Connection, scope: int, match: Match, player: Player) -> bool:
    """Whether that side is a person who has hardly played the game with anybody but the other side."""
    seat, (other_is_agent, other) = match.seats[player], player_key(match.seats[player.other])
    if seat.is_agent:
        return False
    met_others = (
        sa.select(sa.literal(1))
        .select_from(OWN.join(OTHER, sa.and_(*SAME)))
        .where(
            OWN.c.player == player_key(seat)[1],
            OWN.c.scope == scope,
            OWN.c.is_agent.is_(False),
            OWN.c.game == match.game,
            sa.or_(OTHER.c.player != other, OTHER.c.is_agent != other_is_agent),
        )
        .limit(EXPERIENCED)
        .subquery()
    )
    found = await connection.execute(sa.select(sa.func.count()).select_from(met_others))
    return int(found.scalar_one()) < EXPERIENCED
