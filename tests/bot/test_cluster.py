"""Searches on the workers of a real Dask cluster: processes that are killed, silenced and started again."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.config import Settings, SettingsError
from bot.domain.asker import Asker
from bot.domain.location import Channel
from bot.domain.person import Person
from bot.domain.terms import First
from bot.search import dask_client as cluster_client
from bot.search.dask_client import Cluster
from bot.search.pool import SearchPool
from engine.analysis.searches import ChooseMove, EvaluateState, EvaluateStates, Memory, NamedSearch
from engine.core import EngineError, Limit, replay
from engine.games import game
from tests.bot.certificates import make_certificates
from tests.bot.dask_processes import DEADLINE_SECONDS, ROOT, Long, Processes, Where, needs_dask
from tests.bot.sittings import sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.slow  # importing Dask alone takes four seconds

ADA = Asker(server=20, person=1)
CONNECT_FOUR = game("connect-four").start()


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    """A scheduler and one worker of two threads."""
    needs_dask()
    with Processes(tmp_path_factory.mktemp("dask")) as started:
        started.start_scheduler()
        started.start_workers(1, threads=2)
        yield started


@asynccontextmanager
async def pool_on(address: str, threads: int = 1, *, wait_for: int = 0) -> AsyncIterator[SearchPool]:
    """A pool connected to the cluster, once it has that many threads."""
    needs_dask()
    cluster = Cluster(address, retry_seconds=0.3, look_seconds=0.1)
    pool = SearchPool(threads, elsewhere=cluster)
    cluster.start()
    try:
        await until(lambda: cluster.threads >= wait_for)
        yield pool
    finally:
        await pool.close()


async def until(is_so: Callable[[], bool]) -> None:
    """Raises TimeoutError when it never is."""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not is_so():
            await asyncio.sleep(0.02)


async def test_deep_searches_are_done_by_a_worker_and_come_to_the_same_as_here(processes: Processes) -> None:
    state = replay(CONNECT_FOUR, (3, 3, 2, 3, 4))
    searches: tuple[NamedSearch[Any], ...] = (
        EvaluateState(1, "connect-four", state),
        EvaluateStates(1, "connect-four", (state, state.play(0))),
        ChooseMove(2, "pattern:depth=4", 5, game("othello").start(), "first"),
        ChooseMove(None, "mcts:simulations=100", 5, game("pop-out").start()),
    )
    async with pool_on(processes.address, wait_for=2) as pool:
        assert await pool.search("where", ADA, Where(None), Limit()) == processes.workers[0].pid
        for search in searches:
            here, there = search.carry_out(Memory(), Limit()), await pool.search("s", ADA, search, Limit())
            assert _told(there) == _told(here), search


def _told(found: object) -> object:
    if isinstance(found, tuple):
        return [_told(each) for each in found]
    return getattr(found, "score", None) or getattr(found, "move", None)


async def test_searches_without_a_name_stay_local(processes: Processes) -> None:
    async with pool_on(processes.address, wait_for=2) as pool:
        assert await pool.search("quick", ADA, lambda _: os.getpid(), Limit()) == os.getpid()


async def test_an_error_on_a_worker_reaches_the_caller(processes: Processes) -> None:
    over = replay(CONNECT_FOUR, (0, 1, 0, 1, 0, 1, 0))
    async with pool_on(processes.address, wait_for=2) as pool:
        with pytest.raises(EngineError):
            await pool.search("over", ADA, ChooseMove(1, "perfect", 0, over), Limit())


async def test_a_cancelled_search_ends_on_the_worker_at_once(processes: Processes, tmp_path: Path) -> None:
    async with pool_on(processes.address, wait_for=2) as pool:
        asked = asyncio.create_task(pool.search("long", ADA, Long(None, str(tmp_path)), Limit()))
        await until(lambda: any(tmp_path.glob("began-*")))
        began = time.monotonic()
        asked.cancel()
        await until(lambda: any(tmp_path.glob("ended-*")))
        # Half a second on an idle machine, as python -m bench cluster prints; by itself it takes a hundred.
        assert time.monotonic() - began < MAX_TEST_WAIT_SECONDS


async def test_workers_of_other_code_are_left_out_and_the_log_says_so(
    processes: Processes, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "bot.search")
    async with pool_on(processes.address, wait_for=2):
        pass
    monkeypatch.setattr(cluster_client, "code", lambda: "newer")
    async with pool_on(processes.address) as pool:
        await until(lambda: "another version" in caplog.text)
        assert await pool.search("where", ADA, Where(None), Limit()) == os.getpid()


async def test_a_search_outlives_its_workers(tmp_path: Path) -> None:
    needs_dask()
    with Processes(tmp_path) as processes:
        processes.start_scheduler()
        processes.start_workers(2)
        async with pool_on(processes.address, wait_for=2) as pool:
            asked = asyncio.create_task(pool.search("long", ADA, Long(None, str(tmp_path), 2), Limit()))
            for number in (1, 2):
                await until(lambda number=number: len(list(tmp_path.glob("began-*"))) == number)  # type: ignore[misc]
                pids = {int(note.name.partition("-")[2]) for note in tmp_path.glob("began-*")}
                for worker in processes.workers:
                    if worker.pid in pids and worker.poll() is None:
                        worker.kill()
            assert await asked == os.getpid()
            await until(lambda: pool.threads_elsewhere == 0)


async def test_without_a_scheduler_searches_stay_here_until_it_comes_and_when_it_is_gone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    needs_dask()
    caplog.set_level(logging.INFO, "bot.search")
    with Processes(tmp_path) as processes:
        async with pool_on(processes.address) as pool:
            await until(lambda: "cannot be reached" in caplog.text)
            assert await pool.search("where", ADA, Where(None), Limit()) == os.getpid()
            await asyncio.sleep(1)
            assert caplog.text.count("cannot be reached") == 1

            processes.start_scheduler()
            processes.start_workers(1)
            await until(lambda: pool.threads_elsewhere == 1)
            assert await pool.search("where", ADA, Where(None), Limit()) == processes.workers[0].pid

            asked = asyncio.create_task(pool.search("long", ADA, Long(None, str(tmp_path), 2), Limit()))
            await until(lambda: any(tmp_path.glob("began-*")))
            processes.kill_scheduler()
            assert await asked == os.getpid()
            await until(lambda: caplog.text.count("cannot be reached") == 2)

            processes.start_scheduler()
            processes.start_workers(1)
            await until(lambda: pool.threads_elsewhere == 1)


async def test_a_worker_stops_the_searches_of_a_killed_bot(tmp_path: Path) -> None:
    needs_dask()
    with Processes(tmp_path) as processes:
        processes.start_scheduler()
        processes.start_workers(1)
        code = (
            "import asyncio, sys\n"
            "from tests.bot.test_cluster import ADA, pool_on\n"
            "from tests.bot.dask_processes import Long\n"
            "from engine.core import Limit\n"
            "async def main():\n"
            "    async with pool_on(sys.argv[1], wait_for=1) as pool:\n"
            "        await pool.search('long', ADA, Long(None, sys.argv[2]), Limit())\n"
            "asyncio.run(main())\n"
        )
        bot = subprocess.Popen((sys.executable, "-c", code, processes.address, str(tmp_path)), cwd=ROOT)
        try:
            await until(lambda: any(tmp_path.glob("began-*")))
        finally:
            bot.kill()
            bot.wait()
        began = time.monotonic()
        await until(lambda: any(tmp_path.glob("ended-*")))
        assert time.monotonic() - began < MAX_TEST_WAIT_SECONDS


async def test_a_match_against_a_deep_level_goes_on_when_its_worker_is_killed(tmp_path: Path) -> None:
    needs_dask()
    with Processes(tmp_path) as processes:
        processes.start_scheduler()
        processes.start_workers(1)
        cluster = Cluster(processes.address, retry_seconds=0.3, look_seconds=0.1)
        cluster.start()
        await until(lambda: cluster.threads == 1)
        async with sitting(tmp_path / "match.db", elsewhere=cluster) as table:
            ada = Person(1, "Ada")
            match = await table.services.starting.start(
                ada, terms_of("othello", first=First.ME), "runa", Channel(1, 1)
            )
            for number in range(4):
                match = await table.services.playing.play(match.id, ada, match.state.legal_moves()[0])
                if number == 2:
                    processes.workers[0].kill()
                table.services.pings.ping(match)
                await table.services.background.drain()
                match = await table.services.matches.match(match.id)
                assert not match.awaits_agent
            assert len(match.timed_moves) >= 8


async def test_tls_workers_search_only_for_clients_with_a_known_certificate(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    needs_dask()
    dask = pytest.importorskip("dask")
    caplog.set_level(logging.INFO, "bot.search")
    ours, others = make_certificates(tmp_path / "ours"), make_certificates(tmp_path / "others")
    with Processes(tmp_path, scheme="tls", environ=ours.environ) as processes:
        with dask.config.set(others.config):
            assert Settings.from_env({"DASK_SCHEDULER": processes.address}).scheduler == processes.address
        processes.start_scheduler()
        processes.start_workers(1)
        with dask.config.set(ours.config):
            async with pool_on(processes.address, wait_for=1) as pool:
                assert await pool.search("where", ADA, Where(None), Limit()) == processes.workers[0].pid
        with dask.config.set(others.config):
            async with pool_on(processes.address) as pool:
                await until(lambda: "cannot be reached" in caplog.text)
                assert await pool.search("where", ADA, Where(None), Limit()) == os.getpid()


@pytest.mark.parametrize(
    "address", ["scheduler:8786", "tls://scheduler", "http://scheduler:8786", "tls://a b:1"]
)
def test_an_invalid_scheduler_address_is_named(address: str) -> None:
    with pytest.raises(SettingsError, match="DASK_SCHEDULER must be tls:// or tcp://"):
        Settings.from_env({"DASK_SCHEDULER": address})


def test_tls_without_certificates_is_refused_with_the_names_of_the_settings() -> None:
    needs_dask()
    with pytest.raises(SettingsError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"):
        Settings.from_env({"DASK_SCHEDULER": "tls://scheduler:8786"})


def test_without_a_scheduler_dask_is_not_imported() -> None:
    code = (
        "import asyncio, sys\n"
        "from bot.app import Discade\n"
        "from bot.config import Settings\n"
        "assert Settings.from_env({}).scheduler is None\n"
        "async def make():\n"
        "    Discade(Settings(), is_warm=True)\n"
        "asyncio.run(make())\n"
        "assert not {'dask', 'distributed', 'tornado'} & set(sys.modules)\n"
    )
    subprocess.run((sys.executable, "-c", code), cwd=ROOT, check=True)
