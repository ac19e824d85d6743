"""Three people repeat expensive queries on a large community: duration of other people's moves.

`QUERIES_FILE` is a database made by `python -m bench.community`; the bench changes it. By default one of
2,000 people is made first. `QUERIES_SECONDS` (default 15) is the duration of each query's repetition.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from bench.community import BIG_SERVER, FIRST_ID, make
from bench.fake_discord import percentile
from bench.service import play_on, service_on
from bot.domain.errors import Unavailable
from bot.services.match_services import MatchServices
from bot.store.stores import Stores

ASKING = 3
GAME = "connect-four"
SOMEBODY = FIRST_ID + 5

Question = Callable[[], Awaitable[object]]


async def run() -> None:
    seconds = float(os.environ.get("QUERIES_SECONDS", "15"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(os.environ.get("QUERIES_FILE", Path(folder) / "community.db"))
        if not file.exists():
            await make(file, 2_000, 4_000, 100)
        stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
        try:
            async with service_on(stores, 1) as (services, _):
                print(f"{ASKING} people repeat a query for {seconds:g} s\n")
                print("| query | median | p95 | a move of others: median | p95 | moves |")
                print("|---|---|---|---|---|---|")
                for title, question in _questions(services).items():
                    print(await _row(title, question, services, seconds), flush=True)
        finally:
            await stores.close()


def _questions(services: MatchServices) -> dict[str, Question]:
    def board(guild_id: int | None, page: int) -> Question:
        return lambda: services.standings.leaderboard(
            GAME, guild_id=guild_id, agents=False, page=page, user_id=SOMEBODY
        )

    return {
        "none": lambda: asyncio.sleep(0.1),
        "leaderboard of a server": board(BIG_SERVER, 1),
        "leaderboard of everybody": board(None, 1),
        "last page of a leaderboard": board(BIG_SERVER, 999_999),
        "profile": lambda: services.standings.profile(SOMEBODY, guild_id=None, reader_id=SOMEBODY + 1),
    }


async def _row(title: str, question: Question, services: MatchServices, seconds: float) -> str:
    until = time.monotonic() + seconds
    asked: list[float] = []
    moves: list[float] = []

    async def ask() -> None:
        while time.monotonic() < until:
            began = time.perf_counter()
            with suppress(Unavailable):  # interrupted after its time limit
                await question()
            asked.append(time.perf_counter() - began)

    playing = play_on(services, 0, lambda: time.monotonic() > until, moves, pause_seconds=0.05)
    await asyncio.gather(playing, *(ask() for _ in range(ASKING)))
    figures = (percentile(values, share) for values in (asked, moves) for share in (0.5, 0.95))
    return f"| {title} | {' | '.join(f'{1000 * figure:.0f} ms' for figure in figures)} | {len(moves)} |"
