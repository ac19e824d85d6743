"""The bot's downtime counts against no clock, invitation or sign-up."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from bot.__main__ import main
from bot.domain.challenge import Challenge
from bot.domain.clock import Clock as MatchClock
from bot.domain.errors import MatchError, Unavailable
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.result import End
from bot.domain.shards import Shards
from bot.services.checked_terms import RATED_CLOCK
from bot.services.ports import Delivered
from bot.services.reconciler import MAX_CONCURRENT_DISPLAYS
from bot.store.outages import Outage
from engine.core import Player
from tests.bot.made_once import database_url, locked
from tests.bot.services.tournaments.evenings import evening
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, Screen, Sitting, paired, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.postgres


async def with_clock(
    table: Sitting, clock_seconds: int | None = 300, between: tuple[Person, Person] = (ADA, BEN)
) -> Match:
    one, other = between
    return await paired(
        table, one.seat, other.seat, "tic-tac-toe", clock_seconds=clock_seconds or RATED_CLOCK
    )


async def test_a_clock_stands_still_while_the_bot_is_away(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table)
        clock.advance(seconds=100)
        await table.services.clocks.beat()
    clock.advance(hours=3)
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.resume()
        await table.services.clocks.tick()
        after = await table.services.matches.match(before.id)
        assert not after.is_over
        assert before.deadline is not None
        assert after.deadline == before.deadline + timedelta(hours=3)
        clock.advance(seconds=199)
        await table.services.clocks.tick()
        assert (await table.services.playing.play(after.id, ADA, 0)).timed_moves[-1].seconds == 299
    assert await asyncio.to_thread(main, ["check"]) == 0, "what is derived was moved alike"


@pytest.mark.parametrize("leap", [{"hours": 3}, {"hours": -1}], ids=["slept", "clock set back"])
async def test_machine_sleep_and_clock_changes_cost_players_no_time(
    file: Path, leap: dict[str, float]
) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table)
        await table.services.clocks.run_once()
        await table.services.clocks.beat()
        clock.advance(**leap)
        await table.services.clocks.beat()
        await table.services.clocks.run_once()
        after = await table.services.matches.match(before.id)
        assert before.deadline is not None
        assert after.deadline == before.deadline + timedelta(**leap)
        for _ in range(13):
            clock.advance(seconds=25)
            await table.services.clocks.run_once()
        assert (await table.services.matches.match(before.id)).is_over, "a look now and then is no sleep"
    assert await asyncio.to_thread(main, ["check"]) == 0


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize("seconds", [12, 600])
async def test_players_lose_no_time_while_the_database_rejects_writes(file: Path, seconds: int) -> None:
    clock = Clock()
    async with sitting(file, clock=clock, busy_seconds=0.01) as table:
        match = await with_clock(table, 10)
        await table.services.clocks.run_once()
        await table.services.clocks.beat()
        with locked(file):
            for _ in range(seconds // 2):
                clock.advance(seconds=2)
                with suppress(Unavailable):
                    await table.services.clocks.run_once()
        clock.advance(seconds=1)
        await table.services.clocks.run_once()
        after = await table.services.playing.play(match.id, ADA, 0)
        assert not after.is_over
    assert await asyncio.to_thread(main, ["check"]) == 0


async def test_a_press_before_the_first_run_after_an_outage_has_lost_no_time(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        match = await with_clock(table)
        await table.services.clocks.beat()
        clock.advance(hours=1)
        assert not (await table.services.playing.play(match.id, ADA, 0)).is_over
        for _ in range(16):
            clock.advance(seconds=20)
            await table.services.clocks.beat()
        with pytest.raises(MatchError, match="time_is_up"):
            await table.services.playing.play(match.id, BEN, 1)
    assert await asyncio.to_thread(main, ["check"]) == 0


async def test_players_lose_no_time_while_no_press_could_arrive(file: Path) -> None:
    clock, is_connected = Clock(), True
    async with sitting(file, clock=clock, hears=lambda: is_connected) as table:
        match = await with_clock(table)
        await table.services.clocks.run_once()
        await table.services.clocks.beat()
        is_connected = False
        for _ in range(360):
            clock.advance(seconds=10)
            await table.services.clocks.run_once()
            await table.services.clocks.beat()
        is_connected = True
        await table.services.clocks.run_once()
        after = await table.services.matches.match(match.id)
        assert match.deadline is not None
        assert after.deadline == match.deadline + timedelta(hours=1)
        is_connected = False
        clock.advance(hours=1)
        await table.services.clocks.beat()
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.resume()
        after = await table.services.matches.match(match.id)
        assert after.deadline == match.deadline + timedelta(hours=2), "nor if the bot ends meanwhile"
    assert await asyncio.to_thread(main, ["check"]) == 0


async def test_an_outage_is_made_up_for_also_where_the_bots_health_is_asked_for_first(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        match = await with_clock(table)
        await table.services.clocks.beat()
    clock.advance(hours=1)
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.beat()
        await table.services.clocks.resume()
        await table.services.clocks.tick()
        assert not (await table.services.matches.match(match.id)).is_over


async def test_a_moved_long_clock_also_moves_in_cached_matches(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table, 3600)
        await table.services.matches.latest(before.id)
        await table.services.clocks.run_once()
        await table.services.clocks.beat()
        clock.advance(seconds=60)
        await table.services.clocks.run_once()
        for _ in range(143):
            clock.advance(seconds=25)
            await table.services.clocks.run_once()
        # 35 s after the old deadline, 25 s before the new one.
        after = await table.services.playing.play(before.id, ADA, 0)
        assert not after.is_over
    assert await asyncio.to_thread(main, ["check"]) == 0


@pytest.mark.slow
async def test_a_clock_moved_by_another_process_forfeits_no_match_here(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as theirs, sitting(file, clock=clock) as ours:
        for process, shard in ((theirs, 0), (ours, 1)):
            process.stores.database.share = Shards(2, frozenset({shard}))
            await process.services.clocks.resume()
        match = await with_clock(theirs, 3600)
        await ours.services.matches.latest(match.id)
        for _ in range(3):
            clock.advance(seconds=20)
            await ours.services.clocks.run_once()
        await theirs.services.clocks.run_once()
        for _ in range(178):
            clock.advance(seconds=20)
            await ours.services.clocks.run_once()
            await theirs.services.clocks.run_once()
        # 20 s after the old deadline, 40 s before the new one.
        assert not (await ours.services.playing.play(match.id, ADA, 0)).is_over


async def test_matches_taken_over_during_a_heartbeat_are_compensated(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        database, outages = table.stores.database, table.stores.outages
        for shard in (0, 1):
            database.share = Shards(2, frozenset({shard}))
            await outages.beat(clock())
        clock.advance(hours=1)
        async with database.writing():
            beating = asyncio.create_task(outages.beat(clock()))
            await asyncio.sleep(0.01)
            database.share = Shards(2, frozenset({0, 1}))
        await beating
        assert await outages.make_up(clock()) == Outage(timedelta(hours=1))


async def test_a_read_before_the_clocks_moved_leaves_no_time_half_moved(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        read = await with_clock(table, 3600)
        await table.services.clocks.beat()
        clock.advance(seconds=60)
        await table.stores.outages.make_up(clock())
        warned = read.warn()
        assert warned is not None
        await table.stores.matches.save(read, warned)
    assert await asyncio.to_thread(main, ["check"]) == 0


@pytest.mark.slow
async def test_a_whole_matchs_clock_stands_still_while_the_bot_is_away(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table, MatchClock(180, 2).number)
        clock.advance(seconds=100)
        await table.services.playing.play(before.id, ADA, 0)
        await table.services.clocks.beat()
    clock.advance(hours=3)
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.resume()
        await table.services.clocks.tick()
        clock.advance(seconds=170)
        after = await table.services.playing.play(before.id, BEN, 1)
        assert (after.time_left(Player.FIRST), after.time_left(Player.SECOND)) == (82, 12)
    assert await asyncio.to_thread(main, ["check"]) == 0


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url(file))
    monkeypatch.setenv("DISCORD_TOKEN", "")


async def test_after_the_outage_the_clock_runs_out_as_ever(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        match = await with_clock(table)
        await table.services.clocks.beat()
    clock.advance(days=2)
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.resume()
        clock.advance(seconds=303)
        await table.services.clocks.tick()
        lost = await table.services.matches.match(match.id)
        assert lost.result is not None
        assert lost.result.end is End.TIME


@pytest.mark.slow
async def test_a_process_that_dies_while_moving_clocks_moves_them_once(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table)
        await table.services.clocks.beat()
    clock.advance(hours=1)
    for _ in range(3):
        async with sitting(file, clock=clock) as table:
            await table.services.clocks.resume()
    async with sitting(file, clock=clock) as table:
        assert before.deadline is not None
        assert (await table.services.matches.match(before.id)).deadline == before.deadline + timedelta(
            hours=1
        )


async def test_without_an_outage_no_clock_is_moved_and_no_board_shown_again(file: Path) -> None:
    clock, screen = Clock(), Screen()
    async with sitting(file, clock=clock) as table:
        before = await with_clock(table)
        clock.advance(seconds=30)
        await with_clock(table, None)
        clock.advance(minutes=4)
        await table.services.clocks.beat()
    clock.advance(seconds=1)
    async with sitting(file, clock=clock, screen=screen) as table:
        await table.services.clocks.resume()
        await table.services.background.drain()
        assert await table.services.matches.match(before.id) == before


async def test_boards_with_a_clock_say_the_new_time(file: Path) -> None:
    clock, screen = Clock(), Screen()
    async with sitting(file, clock=clock) as table:
        clocked = [await with_clock(table) for _ in range(3)]
        await with_clock(table, None)
        clock.advance(minutes=4)
        await table.services.clocks.beat()
    clock.advance(hours=1)
    async with sitting(file, clock=clock, screen=screen) as table:
        await table.services.clocks.resume()
        await table.reconciler.run_once()
        await table.reconciler.drain()
        for match in clocked:
            assert screen.shown[match.id][-1] == await table.services.matches.match(match.id)
            assert screen.shown[match.id][-1].version > match.version


async def test_invitations_and_sign_ups_get_the_time_back_too(file: Path) -> None:
    clock = Clock()
    async with evening(file, clock=clock) as here:
        challenge = await here.table.services.challenges.send(ADA, EVE, terms_of("othello"), HERE)
        signing_up = await here.sign_up(3)
        await here.table.services.clocks.beat()
    clock.advance(hours=9)
    async with evening(file, clock=clock) as here:
        await here.table.services.clocks.tick()
        await here.tick()
        assert (await here.table.services.challenges.find(challenge.id)).is_open
        still = await here.tournaments.tournament(signing_up.id)
        assert still.pairings == ()
        assert still.closes_at == signing_up.closes_at + timedelta(hours=9)


@pytest.mark.sqlite
async def test_a_damaged_instant_keeps_no_other_clock_from_being_moved(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock) as table:
        matches = [await with_clock(table) for _ in range(2)]
        await table.services.clocks.beat()
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.text("UPDATE matches SET turn_started_at = 'noon' WHERE id = 1"))
    clock.advance(hours=1)
    async with sitting(file, clock=clock) as table:
        await table.services.clocks.resume()
        moved = await table.services.matches.match(matches[1].id)
        assert moved.turn_started_at == matches[1].turn_started_at + timedelta(hours=1)


@dataclass
class SlowScreen(Screen):
    """Discord on a bad day: each message takes its time, and one never ends."""

    at_once: int = 0
    most: int = 0
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def show(self, match: Match) -> Delivered:
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await (self.gate.wait() if match.id == 1 else asyncio.sleep(0.05))
        self.at_once -= 1
        return await super().show(match)


@pytest.mark.slow
async def test_a_hundred_expired_clocks_are_shown_a_few_at_a_time(file: Path) -> None:
    clock, screen = Clock(), SlowScreen()
    async with sitting(file, clock=clock, screen=screen) as table:
        pairs = [(Person(2 * number, "A"), Person(2 * number + 1, "B")) for number in range(50, 150)]
        matches = [await with_clock(table, between=pair) for pair in pairs]
        clock.advance(seconds=303)
        await asyncio.wait_for(table.services.clocks.tick(), MAX_TEST_WAIT_SECONDS)
        overs = [(await table.services.matches.match(match.id)).is_over for match in matches]
        assert all(overs), "what is stored waits for no message"
        assert 1 < screen.most <= MAX_CONCURRENT_DISPLAYS
        screen.gate.set()
        await table.services.background.drain()
        while len(screen.shown) < len(matches):
            clock.advance(seconds=2)
            await table.reconciler.run_once()
            await table.reconciler.drain()
        assert set(screen.shown) == {match.id for match in matches}


@dataclass
class Stuck(Screen):
    """A Discord that takes a request for an invitation's message, and never answers."""

    async def show_challenge(self, _challenge: Challenge) -> Delivered:
        await asyncio.Event().wait()
        return Delivered.DELIVERED


async def test_an_expired_invitation_that_cannot_be_shown_delays_no_clock(file: Path) -> None:
    clock = Clock()
    async with sitting(file, clock=clock, screen=Stuck()) as table:
        match = await with_clock(table)
        await table.services.challenges.send(ADA, EVE, terms_of("othello"), HERE)
        clock.advance(minutes=31)
        for _ in range(2):
            await asyncio.wait_for(table.services.clocks.tick(), MAX_TEST_WAIT_SECONDS)
        assert (await table.services.matches.match(match.id)).is_over


async def test_a_short_outage_moves_long_clocks_without_a_word(file: Path) -> None:
    clock, screen = Clock(), Screen()
    async with sitting(file, clock=clock) as table:
        match = await with_clock(table, 259_200)
        await table.reconciler.run_once()
        await table.reconciler.drain()
        await table.services.clocks.beat()
    clock.advance(seconds=20)
    async with sitting(file, clock=clock, screen=screen) as table:
        await table.services.clocks.resume()
        await table.reconciler.run_once()
        await table.reconciler.drain()
        assert screen.shown == {}
        moved = await table.services.matches.match(match.id)
        assert moved.deadline is not None
        assert match.deadline is not None
        assert moved.deadline - match.deadline == timedelta(seconds=20)
