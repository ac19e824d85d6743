"""Changes of matches, invitations and tournaments: stored, published, and refused."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Refusal
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.seat import Seat
from bot.domain.terms import First
from bot.domain.tournament.model import System, Tournament
from bot.domain.tournament.rounds import advance
from bot.services.changes import MAX_ATTEMPTS, Changed, retry_conflicts
from bot.store.shared import Conflict
from tests.bot.services.test_changes import between_people
from tests.bot.sittings import ADA, BEN, HERE, Sitting, terms_of

THREAD = Channel(channel_id=11, guild_id=20, message_id=11, parent_id=10)


async def tournament(table: Sitting, place: Channel = HERE) -> Tournament:
    now = table.clock()
    planned = Tournament(
        0, clean("Spring"), 1, "tic-tac-toe", "3x3", System.SWISS, place, now, now + timedelta(hours=1), 60
    )
    return await table.stores.tournaments.add(planned, most=9, is_only_one=False)


def published(table: Sitting, kind: type[Any]) -> list[Changed[Any]]:
    """Every change of that kind from now on."""
    found: list[Changed[Any]] = []
    table.changes.subscribe(kind, found.append)
    return found


async def refused(asked: Awaitable[object]) -> tuple[str, dict[str, str | int]]:
    with pytest.raises(Refusal) as caught:
        await asked
    return caught.value.key, caught.value.params


async def test_a_change_is_tried_eight_times() -> None:
    tries = []

    async def lose() -> None:
        tries.append(1)
        raise Conflict("another change was stored first")

    assert await refused(retry_conflicts(lose)) == ("busy", {})
    assert len(tries) == MAX_ATTEMPTS == 8


# Matches


async def test_each_kind_of_change_has_its_subscribers(table: Sitting) -> None:
    of_matches, of_challenges = published(table, Match), published(table, Challenge)
    sent = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(sent.id, BEN))[1]
    after = await table.changes.of_match(match.id, lambda match, now: match.play(1, 3, now))
    assert of_matches[-1] == Changed(match, after)
    assert {type(change.after) for change in of_matches} == {Match}
    assert {type(change.after) for change in of_challenges} == {Challenge}


async def test_an_unknown_match_is_named(table: Sitting) -> None:
    assert await refused(table.changes.match(77)) == ("unknown_match", {"number": 77})


async def test_running_matches_are_remembered_until_all_are_forgotten(table: Sitting) -> None:
    match = await between_people(table)
    await table.changes.match(match.id)
    assert table.changes.remembered == 1
    table.changes.forget()
    assert table.changes.remembered == 0
    await table.changes.match(match.id)
    assert table.changes.remembered == 1


async def test_hopeless_presses_are_refused_from_memory(table: Sitting) -> None:
    match = await between_people(table)
    table.changes.forget()
    table.changes.admit(match.id, 3, 0)  # not in memory: the database decides
    await table.changes.match(match.id)
    table.changes.admit(match.id, 1, 0)
    table.changes.admit(match.id, 3, 1)  # made at a turn that memory does not know yet
    for user_id, key in ((3, "not_your_match"), (2, "not_your_turn")):
        with pytest.raises(MatchError, match=key):
            table.changes.admit(match.id, user_id, 0)
    await table.services.playing.play(match.id, ADA, 3, turn=0)
    with pytest.raises(MatchError, match="stale"):
        table.changes.admit(match.id, 2, 0)


async def test_a_refusal_of_a_turn_in_memory_is_final(table: Sitting) -> None:
    """A refusal in memory is checked in the database unless it is of a turn that memory knows."""
    match = await between_people(table)
    await table.changes.match(match.id)
    tries: list[Match] = []

    def refuse(before: Match, _now: object) -> Match:
        tries.append(before)
        raise MatchError("stale")

    assert (await refused(table.changes.of_match(match.id, refuse, turn=0)))[0] == "stale"
    assert len(tries) == 1
    assert (await refused(table.changes.of_match(match.id, refuse, turn=1)))[0] == "stale"
    assert len(tries) == 3
    assert (await refused(table.changes.of_match(match.id, refuse)))[0] == "stale"
    assert len(tries) == 5
    table.changes.forget()
    assert (await refused(table.changes.of_match(match.id, refuse)))[0] == "stale"
    assert len(tries) == 6


async def test_a_message_is_attached_now(table: Sitting) -> None:
    match = await between_people(table)
    await table.changes.lose_channel(10)
    table.clock.advance(hours=1)
    there = replace(HERE, message_id=70)
    back = await table.changes.attach(match.id, there)
    assert back.location == there
    assert back.turn_started_at == match.turn_started_at + timedelta(hours=1)
    assert (await table.changes.adopt(match.id, HERE)) is not None, "a place without a message"


async def test_a_match_outside_of_tournaments_has_the_stakes_of_its_ratings(table: Sitting) -> None:
    match = await between_people(table)
    assert await table.changes.stakes(match) == await table.stores.ratings.stakes(match)
    assert not await table.changes.is_in_tournament(match.id)


async def test_matches_and_tournaments_of_a_deleted_thread_move_out(table: Sitting) -> None:
    inside, outside = await between_people(table), await between_people(table)
    await table.changes.attach(inside.id, THREAD)
    away, here = await tournament(table, THREAD), await tournament(table)
    (moved,) = await table.changes.move_out(11, 10)
    assert moved.id == inside.id
    assert moved.location == Channel(10, 20)
    assert (await table.changes.match(outside.id)).location == HERE
    # A thread has the id of the message that it was started from.
    assert (await table.changes.tournament(away.id)).location == Channel(10, 20, message_id=11)
    assert (await table.changes.tournament(here.id)).version == here.version


async def test_clocks_stand_in_a_deleted_channel_and_nowhere_else(table: Sitting) -> None:
    here, played, there = [await between_people(table) for _ in range(3)]
    await table.changes.attach(there.id, replace(HERE, channel_id=12))
    await table.services.playing.play(played.id, ADA, 3, turn=0)
    await table.changes.lose_channel(10)
    table.clock.advance(minutes=5)
    await table.changes.lose_channel(10)  # those that stand already are refused, and so skipped
    stands = [(await table.changes.match(match.id)).stands_since for match in (here, played, there)]
    began = table.clock() - timedelta(minutes=5)
    assert stands == [began, began, None]


# Invitations and tournaments


async def test_an_invitation_is_changed_at_a_time_and_published(table: Sitting) -> None:
    sent = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    changes = published(table, Challenge)
    times = []

    def shown(challenge: Challenge, now: object) -> Challenge:
        times.append(now)
        return challenge.shown_by(71)

    after = await table.changes.of_challenge(sent.id, shown)
    assert times == [table.clock()]
    assert changes == [Changed(sent, after)]
    assert (await table.changes.challenge(sent.id)).location.message_id == 71
    attached = await table.changes.attach_challenge(sent.id, 72)
    assert attached.location.message_id == 72
    assert (await table.changes.challenge(sent.id)).location.message_id == 72
    assert await refused(table.changes.challenge(99)) == ("unknown_challenge", {})


async def test_a_tournament_is_changed_and_published(table: Sitting) -> None:
    made = await tournament(table)
    changes = published(table, Tournament)
    after = await table.changes.of_tournament(made.id, lambda before: before.judged_by(3).shown_by(80))
    assert changes == [Changed(made, after)]
    assert (await table.changes.tournament(made.id)).location.message_id == 80
    assert (await table.changes.attach_tournament(made.id, 81)).location.message_id == 81
    assert (await table.changes.tournament(made.id)).location.message_id == 81
    assert await refused(table.changes.tournament(99)) == ("unknown_tournament", {"number": 99})


async def test_matches_of_a_round_begin_when_it_is_stored(table: Sitting) -> None:
    made = await tournament(table)
    seats = [Seat(f"P{number}", number) for number in (1, 2, 3, 4)]

    def joined(before: Tournament) -> Tournament:
        for seat in seats:
            before = before.join(seat, table.clock())
        return before

    await table.changes.of_tournament(made.id, joined)
    table.clock.advance(minutes=3)
    seeds = {number: number for number in (1, 2, 3, 4)}
    begun = await table.changes.of_tournament(made.id, lambda before: advance(before.start(seeds)))
    match_id = begun.pairings[0].match_id
    assert match_id is not None
    assert await table.changes.is_in_tournament(match_id)
    assert (await table.changes.match(match_id)).created_at == table.clock()
