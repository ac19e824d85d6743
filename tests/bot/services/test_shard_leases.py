"""Several processes on one PostgreSQL: each works for its own servers and takes over from dead processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest

from bot.domain.errors import Unavailable
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.shards import Shards
from bot.domain.terms import First
from bot.services.settings import SettingsCache
from bot.services.shard_leases import LEASE, ShardLeases
from bot.store.announcements import Listener
from bot.store.identify import IdentifyTurns
from bot.store.lock import InUse
from bot.store.match_rows import matches
from bot.store.shown_versions import ShownBatch
from bot.store.stores import Stores
from tests.bot.cluster import Wire, cluster
from tests.bot.sittings import ADA, BEN, Clock, Sitting, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.postgres

GUILDS = tuple(number << 22 for number in range(1, 4))
"""One on each of shards 1, 2 and 0."""


@pytest.fixture
def url(tmp_path: Path) -> str:
    return cluster().database(tmp_path / "discade.db")


class Process:
    """A part of the bot, connected for one shard of three."""

    def __init__(self, table: Sitting, shard: int, name: str | None = None) -> None:
        self.table, self.shard = table, shard
        self.is_ready = True
        self.later = 0.0
        loop = asyncio.get_running_loop()
        self.leases = ShardLeases(
            table.stores,
            name or f"process {shard}",
            Shards(3, frozenset({shard})),
            time=lambda: loop.time() + self.later,
            clock=table.clock,
            on_more=self._resume,
            on_alone=self._doubt,
            is_ready=lambda: self.is_ready,
        )

    def _doubt(self) -> None:
        self.table.services.pings.doubt()
        self.table.reconciler.wake()

    async def _resume(self) -> None:
        await self.table.services.clocks.resume()

    def works_for(self) -> set[int]:
        return {number for number in range(3) if self.leases.covers(number << 22)}


@asynccontextmanager
async def process(url: str, folder: Path, shard: int, clock: Clock | None = None) -> AsyncIterator[Process]:
    async with sitting(folder / str(shard), url=url, clock=clock) as table:
        yield Process(table, shard)


async def in_each_guild(table: Sitting) -> list[Match]:
    return [
        await table.services.starting.start(
            ADA, terms_of("tic-tac-toe", first=First.OPPONENT, rated=False), "pip", Channel(9, guild)
        )
        for guild in GUILDS
    ]


async def look_until(process: Process, is_so: Callable[[], bool]) -> timedelta:
    """Elapsed time, excluding the runs themselves, which are slow on a busy machine."""
    took = timedelta()
    async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
        while not is_so():
            await process.leases.run_once()
            await asyncio.sleep(0.1)
            took += timedelta(seconds=0.1)
    return took


@pytest.mark.slow
async def test_each_process_wakes_agents_of_its_own_servers_alone(url: str, tmp_path: Path) -> None:
    async with process(url, tmp_path, 1) as one, process(url, tmp_path, 2) as other:
        for each in (one, other, one):
            await each.leases.run_once()
        # Shard 0 has no owner, so its work goes to the first process.
        assert (one.works_for(), other.works_for()) == ({0, 1}, {2})
        async with sitting(tmp_path / "x", url=url) as elsewhere:
            elsewhere.search.hold({"random"})
            begun = await in_each_guild(elsewhere)

        assert await other.table.services.clocks.resume() == 1
        await other.table.services.background.drain()
        stored = [await one.table.services.matches.match(match.id) for match in begun]
        assert [len(match.moves) for match in stored] == [0, 1, 0]

        assert await one.table.services.clocks.resume() == 2
        await one.table.services.background.drain()
        assert all([(await one.table.services.matches.match(match.id)).moves for match in begun])


@pytest.mark.slow
async def test_the_work_of_a_process_that_is_gone_is_taken_over_and_handed_back(
    url: str, tmp_path: Path
) -> None:
    async with process(url, tmp_path, 0) as one:
        async with process(url, tmp_path, 1) as other:
            await other.leases.run_once()
            await one.leases.run_once()
            assert one.works_for() == {0, 2}
            other.table.search.hold({"random"})
            (match, *_) = await in_each_guild(other.table)
        # It is killed before its agent moves.
        assert not (await one.table.services.matches.match(match.id)).moves
        assert await look_until(one, lambda: one.works_for() == {0, 1, 2}) < LEASE + timedelta(seconds=2)
        await one.table.services.background.drain()
        assert len((await one.table.services.matches.match(match.id)).moves) == 1

        async with process(url, tmp_path, 1) as back:
            back.is_ready = False
            await one.leases.run_once()  # it lives, however long the other took to start
            await back.leases.run_once()
            await one.leases.run_once()
            assert (one.works_for(), back.works_for()) == ({0, 1, 2}, set()), "its agents cannot think yet"
            back.is_ready = True
            await back.leases.run_once()
            await one.leases.run_once()
            assert (one.works_for(), back.works_for()) == ({0, 2}, {1})
            await other_edit_comes_last(back, match)
            await back.leases.close()
            await one.leases.run_once()
            assert one.works_for() == {0, 1, 2}, "who ends in order leaves its work at once"


@pytest.mark.slow
async def test_a_second_process_with_one_of_the_shards_is_refused_until_the_first_is_gone(
    url: str, tmp_path: Path
) -> None:
    async with process(url, tmp_path, 1) as one, sitting(tmp_path / "all", url=url) as whole:
        one.is_ready = False  # the first one counts also while it still starts
        await one.leases.claim()
        second, third = Process(one.table, 1, "second"), Process(one.table, 2, "third")
        all_servers = ShardLeases(
            whole.stores,
            "all",
            Shards(1, frozenset({0})),
            time=lambda: 0.0,
            clock=one.table.clock,
            on_more=nothing,
        )
        keeping = asyncio.create_task(keep(one))
        await third.leases.claim()
        for other in (second.leases, all_servers):
            with pytest.raises(InUse, match="process 1, has the same servers"):
                await other.claim()
        keeping.cancel()  # it is killed
        await second.leases.claim()
        assert second.works_for() >= {1}


async def keep(process: Process) -> None:
    while True:
        await process.leases.run_once()
        await asyncio.sleep(0.2)


async def nothing() -> None:
    """Resume no match."""


@pytest.mark.slow
async def test_a_process_that_the_database_does_not_reach_stops_its_work_and_ends_if_another_has_it(
    url: str, tmp_path: Path
) -> None:
    wire = Wire(cluster().port)
    async with wire.opened() as port, sitting(tmp_path / "other", url=url) as table:
        through = url.replace(f":{cluster().port}/", f":{port}/")
        async with process(through, tmp_path, 1) as one:
            await one.leases.claim()
            assert 1 in one.works_for()
            one.table.stores.database.answer_seconds = 0.2
            wire.hang()
            with pytest.raises(Unavailable):
                await one.leases.run_once()
            assert 1 in one.works_for(), "no other process has its work yet"
            one.later += LEASE.total_seconds() + 1
            with pytest.raises(Unavailable):
                await one.leases.run_once()
            assert one.works_for() == set()

            await asyncio.sleep(LEASE.total_seconds())
            await Process(table, 1, "other").leases.claim()
            wire.go_on()
            one.table.stores.database.answer_seconds = MAX_TEST_WAIT_SECONDS
            await one.leases.run_once()
            assert one.works_for() == set()
            assert one.leases.taken.done(), "then the process ends"


@pytest.mark.slow
async def test_a_ping_left_unsent_by_a_dead_process_is_sent_by_another(url: str, tmp_path: Path) -> None:
    async with process(url, tmp_path, 0) as one:
        async with process(url, tmp_path, 1) as other:
            await other.leases.run_once()
            await one.leases.run_once()
            await one.table.reconciler.run_once()
            challenge = await other.table.services.challenges.send(
                ADA, BEN, terms_of("tic-tac-toe", first=First.ME), Channel(9, GUILDS[0])
            )
            match = (await other.table.services.challenges.accept(challenge.id, BEN))[1]
            played = await other.table.services.playing.play(match.id, ADA, 0, turn=0)
            sent = played.moved_to(Channel(9, GUILDS[0], 5), played.touched_at)
            await other.table.stores.matches.save(played, sent)  # and it is killed
        called = one.table.screen.pings
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while not called:
                await one.leases.run_once()
                one.table.clock.advance(seconds=6)
                await one.table.reconciler.run_once()
                await asyncio.sleep(0.1)
        assert [match.turn for match in called.values()] == [1]


async def other_edit_comes_last(process: Process, match: Match) -> None:
    """Boards recorded as shown during a handover are shown once more."""
    stored = await process.table.stores.matches.find(match.id)
    assert stored is not None
    await process.table.stores.matches.save(
        stored, stored.moved_to(Channel(9, GUILDS[0], message_id=5), stored.touched_at)
    )
    await process.table.stores.shown.mark(ShownBatch(boards={match.id: 99}))
    assert match.id not in {one.match_id for one in (await process.table.stores.shown.stale_boards(9))}
    async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
        while match.id not in {one.match_id for one in (await process.table.stores.shown.stale_boards(9))}:
            await process.leases.run_once()
            await asyncio.sleep(0.2)


@pytest.mark.slow
async def test_a_clock_stands_still_only_for_the_servers_whose_process_was_away(
    url: str, tmp_path: Path
) -> None:
    clock = Clock()

    async def with_clock(process: Process, guild_id: int) -> Match:
        challenge = await process.table.services.challenges.send(
            ADA,
            BEN,
            # Casual, since two rated ones of the same people do not begin side by side.
            terms_of("tic-tac-toe", first=First.ME, clock_seconds=300, rated=False),
            Channel(9, guild_id),
        )
        return (await process.table.services.challenges.accept(challenge.id, BEN))[1]

    async with process(url, tmp_path, 1, clock) as one, process(url, tmp_path, 2, clock) as other:
        ours, theirs = await with_clock(one, GUILDS[0]), await with_clock(other, GUILDS[1])
        await one.table.services.clocks.beat()
        await other.table.services.clocks.beat()
        for _ in range(3):
            clock.advance(seconds=20)
            await other.table.services.clocks.beat()
        await one.table.services.clocks.resume()
        deadlines = [(await one.table.services.matches.match(match.id)).deadline for match in (ours, theirs)]
        assert ours.deadline is not None
        assert deadlines == [ours.deadline + timedelta(seconds=60), theirs.deadline]


async def test_settings_changed_in_one_process_are_known_in_all_at_once(url: str) -> None:
    one, other = await Stores.open(url), await Stores.open(url)
    here, there = [await SettingsCache.load(stores.preferences) for stores in (one, other)]
    hearing = asyncio.Event()

    async def on_gap() -> None:
        await there.read_all_again()
        hearing.set()

    listening = asyncio.create_task(Listener(url, there.read_again, on_gap).run())
    try:
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            await hearing.wait()
        settings, wishes = ServerSettings(language="de", puzzle_hour=7), Preferences(is_called=False)
        await here.save(900, settings)
        await here.prefer(ADA.user_id, wishes)
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while there.server(900) != settings or there.person(ADA.user_id) != wishes:
                await asyncio.sleep(0.01)
        await one.privacy.erase(ADA.user_id)
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while there.person(ADA.user_id) != Preferences():
                await asyncio.sleep(0.01)

        hearing.clear()
        cluster().execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
            f" AND datname = '{url.rsplit('/', 1)[1]}'"
        )
        with suppress(Exception):
            await here.save(901, settings)
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            await hearing.wait()
        assert there.server(901) == here.server(901), "after a gap everything is read again"
    finally:
        listening.cancel()
        await asyncio.gather(one.close(), other.close())


async def test_processes_identify_one_after_another(url: str) -> None:
    turns = [IdentifyTurns(url, seconds=1.0) for _ in range(3)]
    loop = asyncio.get_running_loop()
    times: list[float] = []

    async def identify(one: IdentifyTurns, bucket: int) -> None:
        await one.wait(bucket)
        times.append(loop.time())

    await asyncio.gather(*(identify(one, 0) for one in turns))
    gaps = [later - before for before, later in zip(sorted(times), sorted(times)[1:], strict=False)]
    assert all(gap > 0.5 for gap in gaps), "one may have been told of its turn late"
    await asyncio.gather(*(one.close() for one in turns))


async def test_other_buckets_and_dead_processes_do_not_delay_identifying(url: str) -> None:
    one, other = (IdentifyTurns(url, seconds=600.0) for _ in range(2))
    await one.wait(0)
    await asyncio.wait_for(other.wait(1), MAX_TEST_WAIT_SECONDS)
    waiting = asyncio.create_task(other.wait(0))
    await one.close()
    await asyncio.wait_for(waiting, MAX_TEST_WAIT_SECONDS)
    await other.close()


async def test_a_process_cut_off_does_not_delay_identifying(url: str) -> None:
    wire = Wire(cluster().port)
    async with wire.opened() as port:
        one = IdentifyTurns(url.replace(f":{cluster().port}/", f":{port}/"), seconds=0.5)
        other = IdentifyTurns(url, seconds=0.5)
        await one.wait(0)
        wire.hang()
        await asyncio.wait_for(other.wait(0), MAX_TEST_WAIT_SECONDS)
        await other.close()
    await one.close()


async def test_a_single_process_does_all_work_without_coordination(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:

        async def resume() -> None:
            raise AssertionError("there is nothing to take over")

        leases = ShardLeases(table.stores, "alone", None, time=lambda: 0.0, clock=table.clock, on_more=resume)
        await leases.run_once()
        assert leases.covers(None)
        assert all(leases.covers(guild) for guild in GUILDS)
        assert table.stores.database.mine(matches.c.guild_id) == ()
