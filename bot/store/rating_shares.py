"""How much a result counts: less the more often the same two have met, or an easy win was had, of late.

Asked in the transaction that ends a match, of the matches before it; the recount asks its own.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from datetime import UTC, datetime, timedelta
from functools import cache

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
from bot.store.rank_tallies import EVERYWHERE
from bot.store.rated_sides import person_in, rated_sides
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
    points = await points_of(connection, match)
    person = next((player for player in Player if not match.seats[player].is_agent), Player.FIRST)
    met = await _count_met(connection, match, person)
    winner = _winning_person(match)
    is_easy = winner is not None and (
        is_far_weaker(points[winner], points[winner.other])
        or await _is_inexperienced(connection, match, winner.other)
    )
    wins = await _count_easy(connection, match, winner) if winner is not None and is_easy else 0
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


async def _count_met(connection: Connection, match: Match, player: Player) -> int:
    """How often that side has met the other of late."""
    return await _count(
        connection, match, player, _met(_is_everywhere(match), match.seats[player.other].is_agent),
        SAME_OPPONENT_WITHIN,
    )  # fmt: skip


async def _count_easy(connection: Connection, match: Match, player: Player) -> int:
    """How many easy wins that side has had of late."""
    return await _count(connection, match, player, _easy_wins(_is_everywhere(match)), EASY_WITHIN)


async def _is_inexperienced(connection: Connection, match: Match, player: Player) -> bool:
    """Whether that side is a person who has hardly played the game with anybody but the other side."""
    query = _others(_is_everywhere(match), match.seats[player.other].is_agent)
    is_person = not match.seats[player].is_agent
    return is_person and await _count(connection, match, player, query) < EXPERIENCED


async def _count(
    connection: Connection,
    match: Match,
    player: Player,
    query: sa.Select[int],
    within: timedelta = timedelta(),
) -> int:
    """What the query counts of that side's matches of the game, in the widest scope; 0 of an agent's.

    within: how long before the match they may have ended.
    """
    seat, other = match.seats[player], match.seats[player.other]
    if seat.user_id is None:
        return 0
    values = {
        **person_in(seat.user_id, scopes_of(match)[0]),
        "game": match.game,
        "after": match.touched_at - within,
        "opponent": other.user_id if other.level is None else other.level,
    }
    return int((await connection.execute(query, values)).scalar_one())


def _is_everywhere(match: Match) -> bool:
    return scopes_of(match)[0] == EVERYWHERE


def _opponent(rows: sa.Subquery, *, is_agent: bool) -> sa.ColumnElement[bool]:
    column = rows.c.opponent_level if is_agent else rows.c.opponent_user
    return column == sa.bindparam("opponent")


@cache
def _met(is_everywhere: bool, is_agent: bool) -> sa.Select[int]:
    rows = rated_sides(is_everywhere, "game", "after")
    return sa.select(sa.func.count()).select_from(rows).where(_opponent(rows, is_agent=is_agent))


@cache
def _easy_wins(is_everywhere: bool) -> sa.Select[int]:
    rows = rated_sides(is_everywhere, "game", "after")
    return sa.select(sa.func.count()).select_from(rows).where(rows.c.is_easy)


@cache
def _others(is_everywhere: bool, is_agent: bool) -> sa.Select[int]:
    """No more are counted than it takes."""
    rows = rated_sides(is_everywhere, "game")
    is_other = sa.func.coalesce(_opponent(rows, is_agent=is_agent), sa.false())
    met = sa.select(sa.literal(1)).select_from(rows).where(sa.not_(is_other)).limit(EXPERIENCED).subquery()
    return sa.select(sa.func.count()).select_from(met)
