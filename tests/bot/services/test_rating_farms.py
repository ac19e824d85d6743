"""Accounts that work together for a month: how many points one of them can gain at most."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.domain.match import Match, TimedMove
from bot.domain.person import Person
from bot.domain.rating import newcomer
from bot.domain.result import End, Result
from engine.core import Player
from tests.bot.sittings import HERE, Sitting

GAME = "connect-four"
MOVES = (3, 3, 3, 3, 2, 2, 2, 4, 4, 4, 4)
"""A quarter of the board, after which a resignation counts in full."""

DAYS = 30
LEADER = Person(1, "Leader")


async def beats(table: Sitting, winner: Person, loser: Person) -> None:
    """A rated match that the loser gives up, stored in two transactions as at its beginning and end."""
    now = table.clock()
    match = Match.begin(GAME, "6x7x4", (winner.seat, loser.seat), HERE, now)
    begun = await table.stores.matches.add(match)
    moves = tuple(TimedMove(move, 0.0, now) for move in MOVES)
    played = replace(begun, timed_moves=moves, turn=len(MOVES), touched_at=now, version=1)
    await table.stores.matches.save(begun, replace(played, result=Result(Player.FIRST, End.RESIGNATION)))


async def points(table: Sitting, person: Person) -> int:
    board = await table.services.standings.leaderboard(
        GAME, guild_id=20, agents=False, page=1, user_id=person.user_id
    )
    return newcomer(GAME).points if board.own is None else board.own.rating


async def days(table: Sitting, evening: Callable[[int], list[tuple[Person, Person]]]) -> int:
    """Play every day's pairs (winner, loser) for a month; return the leader's points."""
    for day in range(DAYS):
        for winner, loser in evening(day):
            await beats(table, winner, loser)
        table.clock.advance(days=1)
    return await points(table, LEADER)


@pytest.mark.slow
async def test_a_ring_of_five_accounts_gains_under_400_points_in_a_month(table: Sitting) -> None:
    """Four lose to the first every day, and play each other, so that they are no strangers."""
    ring = [Person(number, f"R{number}") for number in range(2, 6)]

    def evening(day: int) -> list[tuple[Person, Person]]:
        among = list(itertools.combinations(ring, 2))
        pairs = [
            (one, other) if (day + index) % 2 else (other, one) for index, (one, other) in enumerate(among)
        ]
        return [*pairs, *((LEADER, one) for one in ring)]

    assert await days(table, evening) <= 1450


@pytest.mark.slow
async def test_losing_on_purpose_first_gains_no_more_later(table: Sitting) -> None:
    """Two accounts lose to all others for half of the month, then one beats everybody."""
    ben = Person(2, "Ben")
    others = [Person(number, f"O{number}") for number in range(3, 8)]

    def evening(day: int) -> list[tuple[Person, Person]]:
        if day < 15:
            return [(other, LEADER) for other in others] + [(other, ben) for other in others]
        return [(LEADER, other) for other in others] + [(LEADER, ben)]

    assert await days(table, evening) <= 1350


async def test_throwaway_accounts_gain_under_450_points_in_a_month(table: Sitting) -> None:
    """Every day three new accounts lose to the leader and are never seen again."""

    def evening(day: int) -> list[tuple[Person, Person]]:
        return [(LEADER, Person(100 + 3 * day + number, f"T{day}-{number}")) for number in range(3)]

    assert await days(table, evening) <= 1500
