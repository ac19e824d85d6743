"""SQLite beside PostgreSQL: moves a second and a leaderboard's page, with 1, 4 and 16 who write at once.

PostgreSQL is the empty database that BENCH_POSTGRES names (postgresql+asyncpg://…); without it SQLite alone.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path
from random import Random

from bench.service import PLACE, service_on
from bot.domain.challenge import First
from bot.services.match_services import MatchServices
from bot.services.setup_checks import Person
from bot.store.ratings import board_of
from bot.store.stores import Stores

WRITERS = (1, 4, 16)
SECONDS = float(os.environ.get("BENCH_SECONDS", "6"))
PAGES = 40


async def run() -> None:
    print("| database | who write at once | moves a second | move, p95 | leaderboard's page, median |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        addresses = [("SQLite", f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")]
        if server := os.environ.get("BENCH_POSTGRES"):
            addresses.append(("PostgreSQL", server))
        for name, url in addresses:
            stores = await Stores.open(url)
            try:
                async with service_on(stores, 1) as (services, _):
                    for writers in WRITERS:
                        await _measure(name, writers, services, stores)
            finally:
                await stores.close()


async def _measure(name: str, writers: int, services: MatchServices, stores: Stores) -> None:
    seconds: list[float] = []
    until = time.perf_counter() + SECONDS
    began = time.perf_counter()
    await asyncio.gather(*(_play(services, number, until, seconds) for number in range(writers)))
    rate = len(seconds) / (time.perf_counter() - began)
    pages = []
    for _ in range(PAGES):
        before = time.perf_counter()
        await stores.ratings.leaderboard(board_of(20, "connect-four"), offset=0, limit=10)
        pages.append(time.perf_counter() - before)
    late = sorted(seconds)[int(len(seconds) * 0.95)]
    page = sorted(pages)[PAGES // 2]
    print(f"| {name} | {writers} | {rate:,.0f} | {late * 1e3:.1f} ms | {page * 1e3:.1f} ms |")


async def _play(services: MatchServices, number: int, until: float, seconds: list[float]) -> None:
    """Two people of their own play one match after another."""
    one, other = Person(2 * number + 1, f"Ada {number}"), Person(2 * number + 2, f"Ben {number}")
    rng = Random(number)
    while time.perf_counter() < until:
        challenge = await services.challenges.send(one, other, "connect-four", PLACE, first=First.ME)
        match = (await services.challenges.accept(challenge.id, other))[1]
        while not match.is_over:
            person = one if match.seat_to_move.user_id == one.user_id else other
            before = time.perf_counter()
            match = await services.playing.play(
                match.id, person, rng.choice(match.state.legal_moves()), turn=match.turn
            )
            seconds.append(time.perf_counter() - before)
