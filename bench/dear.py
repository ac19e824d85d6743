"""Three people repeat the dearest questions on a database of 100,000 players: how long moves of others take.

`DEAR_PEOPLE` (default 100000) is how many players there are, `DEAR_SECONDS` (default 15) how long.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from bench import people
from bench.fake_discord import percentile
from bench.service import ADA, BEN, PLACE, NoScreen
from bot.domain.challenge import First
from bot.domain.errors import Unavailable
from bot.search.pool import SearchPool
from bot.services.changes import Changes
from bot.services.match_services import MatchServices
from bot.store.stores import Stores
from engine.agents.roster import Roster

ASKING = 3
GUILD = PLACE.guild_id or 0
SOMEBODY = people.FIRST_ID + 5


async def run() -> None:
    count, seconds = int(os.environ.get("DEAR_PEOPLE", "100000")), float(os.environ.get("DEAR_SECONDS", "15"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bench.db"
        await people.make(file, count, GUILD)
        stores = await Stores.open(f"sqlite+aiosqlite:///{file}")

        def clock() -> datetime:
            return datetime.now(UTC)

        search = SearchPool(1)
        services = MatchServices.build(
            stores, search, Roster(), NoScreen(), Changes(stores, clock),
            clock=clock, rng=Random(1), pace_seconds=0,
        )  # fmt: skip
        print(f"{count:,} players; {ASKING} people ask again and again for {seconds:g} s\n")
        print("| asked | median | p95 | a move of others: median | p95 | moves |\n|---|---|---|---|---|---|")
        for title, question in _questions(services).items():
            print(await _row(title, question, services, seconds), flush=True)
        await services.background.close()
        await search.close()
        await stores.close()


def _questions(services: MatchServices) -> dict[str, Callable[[], Awaitable[object]]]:
    board, profile = services.standings.leaderboard, services.standings.profile
    return {
        "nothing": lambda: asyncio.sleep(0.1),
        "leaderboard, here": lambda: board(
            people.GAME, guild_id=GUILD, agents=False, page=1, user_id=SOMEBODY
        ),
        "leaderboard, everywhere": lambda: board(
            people.GAME, guild_id=None, agents=False, page=1, user_id=SOMEBODY
        ),
        "leaderboard, its last page": lambda: board(
            people.GAME, guild_id=GUILD, agents=False, page=999_999, user_id=SOMEBODY
        ),
        "profile": lambda: profile(SOMEBODY, guild_id=None, reader_id=SOMEBODY + 1),
    }


async def _row(
    title: str, question: Callable[[], Awaitable[object]], services: MatchServices, seconds: float
) -> str:
    until = time.monotonic() + seconds
    asked: list[float] = []

    async def ask() -> None:
        while time.monotonic() < until:
            began = time.perf_counter()
            with suppress(Unavailable):  # given up after its time
                await question()
            asked.append(time.perf_counter() - began)

    asking = [asyncio.create_task(ask()) for _ in range(ASKING)]
    moves = await _moves(services, until)
    await asyncio.gather(*asking)
    if not moves:
        return f"| {title} | – | – | – | – | 0 |"
    figures = (
        percentile(asked, 0.5),
        percentile(asked, 0.95),
        percentile(moves, 0.5),
        percentile(moves, 0.95),
    )
    shown = " | ".join(f"{1000 * figure:.0f} ms" for figure in figures)
    return f"| {title} | {shown} | {len(moves)} |"


async def _moves(services: MatchServices, until: float) -> list[float]:
    """How long each of the moves took that two others made, one in a twentieth of a second."""
    rng, taken = Random(3), []
    while time.monotonic() < until:
        challenge = await services.challenges.send(ADA, BEN, "connect-four", PLACE, first=First.ME)
        match = (await services.challenges.accept(challenge.id, BEN))[1]
        while not match.is_over and time.monotonic() < until:
            person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
            began = time.perf_counter()
            match = await services.playing.play(
                match.id, person, rng.choice(match.state.legal_moves()), turn=match.turn
            )
            taken.append(time.perf_counter() - began)
            await asyncio.sleep(0.05)
        if not match.is_over:
            await services.playing.resign(match.id, ADA)
    return taken
