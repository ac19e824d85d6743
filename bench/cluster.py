"""Reviews and deep levels on 0 to 3 Dask workers of one thread each, and the round-trip cost.

Needs `pip install '.[cluster]'`. Without workers a single thread of the bot searches.
BENCH_SECONDS: duration of each measurement.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from random import Random
from statistics import median

from bench.reviews import played_out
from bot.domain.asker import Asker
from bot.domain.match import Match
from bot.search.dask_client import Cluster
from bot.search.pool import SearchPool
from bot.services.reviews import Reviews
from engine.agents.roster import Roster
from engine.agents.warm import STAGES, prepare
from engine.analysis.searches import ChooseMove, EvaluateState, Memory, NamedSearch
from engine.core import Limit, State
from engine.games import game

WORKERS = (0, 1, 2, 3)
AT_ONCE = 6
SECONDS = float(os.environ.get("BENCH_SECONDS", "10"))
TRIPS, STOPS = 200, 10
ONE = Asker(1, 1)
TICK_SECONDS = 0.002


async def run() -> None:
    if find_spec("distributed") is None:
        print("Not measured: pip install '.[cluster]'")
        return
    for stage in STAGES:
        prepare(stage)
    states, matches = _positions(), [played_out("othello", Random(seed), seed + 1) for seed in range(40)]
    print(f"{AT_ONCE} concurrent calls, {SECONDS:g} s each.\n")
    each = "the bot's processor for each"
    working = ("workers", "reviews an hour", each, "deep choices a second", each)
    waiting = ("way there and back: median", "p95", "an unwanted search ends: median", "longest")
    print(f"| {' | '.join((*working, *waiting, 'loop late: p99', 'longest'))} |\n{'|---' * 11}|")
    for workers in WORKERS:
        async with _pool(workers) as pool:
            late: list[float] = []
            watching = asyncio.create_task(_watch(late))
            reviews, review_work = await _rate(partial(_review, Reviews(pool, later_seconds=0.0), matches))
            moves, move_work = await _rate(partial(_choice, pool, states))
            watching.cancel()
            trips, stops = await _trips(pool), await _stops(pool)
        work = (f"{3600 * reviews:,.0f}", _ms(review_work), f"{moves:.1f}", _ms(move_work))
        way = _ms(median(trips)), _ms(_high(trips, 0.95))
        ends = _ms(median(stops)), _ms(max(stops)), _ms(_high(late, 0.99)), _ms(max(late))
        print(f"| {workers} | {' | '.join((*work, *way, *ends))} |")


def _positions() -> list[State]:
    """Positions from the openings and middle games of Othello."""
    found = []
    for seed in range(40):
        rng, state = Random(seed), game("othello").start()
        for _ in range(8 + seed % 20):
            state = state.play(rng.choice(state.legal_moves()))
        found.append(state)
    return found


async def _review(reviews: Reviews, matches: Sequence[Match], number: int) -> None:
    """Review a match that has no stored review."""
    await reviews.whole(replace(matches[number % len(matches)], id=number, begun_by=number))


async def _choice(pool: SearchPool, states: Sequence[State], number: int) -> None:
    """Choose a move as Runa does, without memory of the match."""
    choice = ChooseMove(None, Roster().level("runa").agent, number, states[number % len(states)])
    await pool.search(
        ("choice", number), Asker(number % AT_ONCE, number % AT_ONCE), choice, Limit(), kind="pattern"
    )


async def _rate(work: Callable[[int], Awaitable[None]]) -> tuple[float, float]:
    """Return calls a second with AT_ONCE concurrent calls, and processor time of this process per call."""
    numbers, done = itertools.count(), 0
    began, spent = time.perf_counter(), time.process_time()

    async def go_on() -> None:
        nonlocal done
        while time.perf_counter() - began < SECONDS:
            await work(next(numbers))
            done += 1

    await asyncio.gather(*(go_on() for _ in range(AT_ONCE)))
    return done / (time.perf_counter() - began), (time.process_time() - spent) / max(done, 1)


async def _trips(pool: SearchPool) -> list[float]:
    """Measure the round trip of a search that takes no time."""
    found, state = [], game("tic-tac-toe").start()
    for number in range(TRIPS):
        began = time.perf_counter()
        await pool.search("trip", ONE, ChooseMove(None, "random", number, state), Limit())
        found.append(time.perf_counter() - began)
    return found


@dataclass(frozen=True, slots=True)
class _Noted(NamedSearch[int]):
    """A one-minute search that records its start and its end."""

    folder: str

    @property
    def answers(self) -> type[int]:
        return int

    def carry_out(self, memory: Memory, limit: Limit) -> int:
        (Path(self.folder) / "began").touch()
        EvaluateState(None, "othello", game("othello").start()).carry_out(
            memory, Limit(seconds=60.0, stop=limit.stop)
        )
        (Path(self.folder) / "ended").touch()
        return 0


async def _stops(pool: SearchPool) -> list[float]:
    """Measure the time from a search's cancellation to its end."""
    found = []
    for _ in range(STOPS):
        with tempfile.TemporaryDirectory() as folder:
            asked = asyncio.create_task(pool.search("noted", ONE, _Noted(None, folder), Limit()))
            await _until((Path(folder) / "began").exists)
            await asyncio.sleep(0.2)
            began = time.perf_counter()
            asked.cancel()
            await _until((Path(folder) / "ended").exists)
            found.append(time.perf_counter() - began)
    return found


async def _watch(late: list[float]) -> None:
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK_SECONDS)
        late.append(time.perf_counter() - began - TICK_SECONDS)


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0.005)


def _high(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[int(len(seconds) * share)]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms"


@asynccontextmanager
async def _pool(workers: int) -> AsyncIterator[SearchPool]:
    """Open a pool of one thread and `workers` Dask workers."""
    if not workers:
        pool = SearchPool(1)
        yield pool
        await pool.close()
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    address = f"tcp://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        one = ("worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", folder)
        commands = [("scheduler", "--host", "127.0.0.1", "--port", port), *([one] * workers)]
        processes = [
            subprocess.Popen(
                (sys.executable, "-m", "dask", *command, "--no-dashboard"),
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1],
            )
            for command in commands
        ]  # fmt: skip
        cluster = Cluster(address, retry_seconds=0.5)
        pool = SearchPool(1, elsewhere=cluster)
        cluster.start()
        try:
            await _until(lambda: cluster.threads == workers)
            yield pool
        finally:
            await pool.close()
            for process in processes:
                process.kill()
                process.wait()
