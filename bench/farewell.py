"""A person with ten thousand matches exports their data, then leaves: duration, and delay for others.

`SCALE_FILE` is a database made by `python -m bench.community FILE --busy 10000`; the bench changes it. By
default one of 1,000 people is made first.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

from bench.community import FIRST_ID, make
from bench.fake_discord import percentile
from bench.service import play_on, service_on
from bot.domain.person import Person
from bot.services.match_services import MatchServices
from bot.store.export import export_of
from bot.store.stores import Stores

MATCHES = 10_000
PAUSE_SECONDS = 0.005


async def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(os.environ.get("SCALE_FILE", Path(folder) / "community.db"))
        if not file.exists():
            await make(file, 1_000, 2_000, 50, MATCHES)
        url = f"sqlite+aiosqlite:///{file}"
        stores = await Stores.open(url)
        try:
            async with service_on(stores, 1) as (services, _):
                running = await services.matches.running(FIRST_ID)
                for match in running:
                    await services.playing.resign(match.id, Person(FIRST_ID, "Person 0"))
                print(f"A person of {MATCHES:,} matches, including {len(running)} resigned ones.\n")
                print("| what | seconds | the loop was late by, most | a move of others, p95 and most |")
                print("|---|---|---|---|")
                async with _watched("their data as a file", services):
                    await asyncio.to_thread(export_of, url, FIRST_ID, datetime.now(UTC))
                async with _watched("their deletion", services):
                    await stores.privacy.erase(FIRST_ID)
        finally:
            await stores.close()


@contextlib.asynccontextmanager
async def _watched(title: str, services: MatchServices) -> AsyncIterator[None]:
    """Print the block's duration, the event loop's delay, and the duration of other people's moves."""
    late: list[float] = []
    moves: list[float] = []
    is_over = False
    tasks = [
        asyncio.create_task(_look(late, lambda: is_over)),
        asyncio.create_task(play_on(services, 0, lambda: is_over, moves)),
    ]
    await asyncio.sleep(0.2)
    late.clear()
    began = time.perf_counter()
    yield
    seconds = time.perf_counter() - began
    is_over = True
    await asyncio.gather(*tasks)
    moved = [f"{1000 * value:.0f} ms" for value in (percentile(moves, 0.95), max(moves))]
    print(f"| {title} | {seconds:.2f} | {1000 * max(late):.0f} ms | {' and '.join(moved)} |")


async def _look(late: list[float], is_over: Callable[[], bool]) -> None:
    while not is_over():
        began = time.perf_counter()
        await asyncio.sleep(PAUSE_SECONDS)
        late.append(time.perf_counter() - began - PAUSE_SECONDS)
