"""Moves a second through service and store, with 1, 4 and 12 writers.

Databases: SQLite, and the empty PostgreSQL named by BENCH_POSTGRES (postgresql+asyncpg://...). BENCH_SECONDS
(default 6) is the duration of each row.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from bench.fake_discord import percentile
from bot.domain.challenge import Challenge
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import Terms
from bot.search.pool import SearchPool
from bot.services.changes import Changes
from bot.services.match_services import MatchServices
from bot.services.ports import Delivered
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.store.ratings import board_of
from bot.store.stores import Stores
from engine.agents.roster import Roster

PLACE = Channel(channel_id=10, guild_id=20)
WRITERS = (1, 4, 12)
SECONDS = float(os.environ.get("BENCH_SECONDS", "6"))
PAGES = 40


class NoScreen:
    """A display that accepts everything and shows nothing."""

    async def show(self, match: Match) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED

    async def recover(self, match: Match) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED

    def wants_ping(self, match: Match) -> bool:  # noqa: ARG002
        return False

    def ping_places(self, match: Match) -> Sequence[Channel]:
        return (match.channel,)

    async def ping(self, match: Match) -> int | Delivered:  # noqa: ARG002
        return Delivered.GONE

    async def find_pings(self, *_match: object) -> Mapping[int, bool]:
        return {}

    async def delete_ping(self, *_message: int) -> Delivered:
        return Delivered.DELIVERED

    async def show_challenge(self, challenge: Challenge) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED


@asynccontextmanager
async def service_on(stores: Stores, threads: int) -> AsyncIterator[tuple[MatchServices, SearchPool]]:
    """Open a service and its search pool on these stores."""
    search = SearchPool(threads)

    def clock() -> datetime:
        return datetime.now(UTC)

    services = MatchServices.build(
        stores, search, Roster(), await SettingsCache.load(stores.preferences), NoScreen(),
        Changes(stores, clock), ShownVersions(stores.shown),
        clock=clock, rng=Random(1), pace_seconds=0,
    )  # fmt: skip
    try:
        yield services, search
    finally:
        await services.background.close()
        await search.close()


async def run() -> None:
    print("| database | writers | moves a second | processor a move | move, p95 | leaderboard, median |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        addresses = [("SQLite", f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")]
        if server := os.environ.get("BENCH_POSTGRES"):
            addresses.append(("PostgreSQL", server))
        for name, url in addresses:
            stores = await Stores.open(url)
            try:
                async with service_on(stores, 1) as (services, _):
                    for writers in WRITERS:
                        print(f"| {name} | {writers} | {await _row(writers, services, stores)} |", flush=True)
            finally:
                await stores.close()


async def _row(writers: int, services: MatchServices, stores: Stores) -> str:
    until, taken = time.perf_counter() + SECONDS, list[float]()
    began, used = time.perf_counter(), time.process_time()
    await asyncio.gather(
        *(play_on(services, number, lambda: time.perf_counter() > until, taken) for number in range(writers))
    )
    rate = len(taken) / (time.perf_counter() - began)
    used = (time.process_time() - used) / len(taken)
    pages = []
    for _ in range(PAGES):
        before = time.perf_counter()
        await stores.ratings.leaderboard(board_of(20, "connect-four"), offset=0, limit=10)
        pages.append(time.perf_counter() - before)
    late, page = percentile(taken, 0.95), percentile(pages, 0.5)
    return f"{rate:,.0f} | {used * 1e3:.1f} ms | {late * 1e3:.1f} ms | {page * 1e3:.1f} ms"


async def play_on(
    services: MatchServices, number: int, is_over: Callable[[], bool], taken: list[float]
) -> None:
    """Let two people play one rated match after another; append the seconds of each move to `taken`."""
    pair = Person(2 * number + 1, f"Ada {number}"), Person(2 * number + 2, f"Ben {number}")
    rng = Random(number)
    while not is_over():
        challenge = await services.challenges.send(*pair, Terms("connect-four", "6x7x4"), PLACE)
        match = (await services.challenges.accept(challenge.id, pair[1]))[1]
        while not match.is_over and not is_over():
            person = pair[match.seat_to_move.user_id != pair[0].user_id]
            move = rng.choice(match.state.legal_moves())
            began = time.perf_counter()
            match = await services.playing.play(match.id, person, move, turn=match.turn)
            taken.append(time.perf_counter() - began)
            await asyncio.sleep(0)
        if not match.is_over:
            await services.playing.resign(match.id, pair[0])
