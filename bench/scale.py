"""What people ask most, on communities of growing size: median, p95 and p99 of each answer, in milliseconds.

`SCALE_FILES` are databases that `python -m bench.community` has made, with spaces between them; without
it one of 1,000 and one of 10,000 people is made first. `SCALE_TIMES` (default 60) is how often each is asked.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import sqlalchemy as sa

from bench.community import BIG_SERVER, FIRST_ID, make
from bench.fake_discord import percentile
from bench.service import service_on
from bot.domain.challenge import First
from bot.domain.errors import SetupError
from bot.domain.match import Location
from bot.domain.season import Season
from bot.services import MatchService, Person
from bot.store import Stores

TIMES = int(os.environ.get("SCALE_TIMES", "60"))
GAME = "tic-tac-toe"
Question = Callable[[int], Awaitable[object]]
"""Asked with the number of the person who asks."""


async def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(name) for name in os.environ.get("SCALE_FILES", "").split()]
        if not files:
            for people in (1_000, 10_000):
                files.append(Path(folder) / f"{people}.db")
                await make(files[-1], people, 2 * people, people // 20)
        for file in files:
            await _measure(file)


async def _measure(file: Path) -> None:
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    rng = Random(2)
    try:
        people = await _count(stores, "puzzle_solvers")
        played = await _count(stores, "matches")
        print(f"\n### {people:,} people, {played:,} matches, {file.stat().st_size / 1e6:,.0f} MB\n")
        print("| asked | median | p95 | p99 |\n|---|---|---|---|")
        async with service_on(stores, 1) as (service, _):
            for title, question in {**_boards(service), **_others(service, stores)}.items():
                taken = []
                for _ in range(TIMES):
                    person = rng.randrange(people)
                    began = time.perf_counter()
                    await question(person)
                    taken.append(1000 * (time.perf_counter() - began))
                print(f"| {title} |" + "".join(f" {percentile(taken, q):.1f} |" for q in (0.5, 0.95, 0.99)))
            for title, taken in (await _moves(service, rng)).items():
                print(f"| {title} |" + "".join(f" {percentile(taken, q):.1f} |" for q in (0.5, 0.95, 0.99)))
            began = time.perf_counter()
            waiting = await service.resume()
            seconds = time.perf_counter() - began
            print(f"\nResumed after {seconds:.2f} s; {waiting:,} matches wait for an agent.")
    finally:
        await stores.close()


async def _count(stores: Stores, table: str) -> int:
    async with stores.database.reading() as connection:
        return int(await connection.scalar(sa.text(f"SELECT count(*) FROM {table}")))


def _boards(service: MatchService) -> dict[str, Question]:
    standings = service.standings

    def page(number: int, guild_id: int | None, season: Season | None = None) -> Question:
        return lambda person: standings.leaderboard(
            GAME, guild_id=guild_id, agents=False, page=number, user_id=FIRST_ID + person, season=season
        )

    async def middle(person: int) -> object:
        first = await standings.leaderboard(
            GAME, guild_id=None, agents=False, page=1, user_id=FIRST_ID + person
        )
        return await standings.leaderboard(
            GAME, guild_id=None, agents=False, page=first.pages // 2, user_id=FIRST_ID + person
        )

    return {
        "leaderboard of everywhere, first page": page(1, None),
        "leaderboard of everywhere, first page and the middle one": middle,
        "leaderboard of everywhere, last page": page(10**9, None),
        "leaderboard of the biggest server, ever": page(1, BIG_SERVER),
        "leaderboard of the biggest server, this month": page(1, BIG_SERVER, standings.season),
        "leaderboard of the biggest server, last page": page(10**9, BIG_SERVER),
    }


def _others(service: MatchService, stores: Stores) -> dict[str, Question]:
    async def rarity(person: int) -> object:
        await stores.achievements.awards(FIRST_ID + person)
        return await stores.achievements.totals()

    async def puzzles(person: int) -> object:
        return (
            await stores.puzzles.ranked(None, FIRST_ID + person),
            await stores.puzzles.leaderboard(BIG_SERVER, offset=0, limit=10),
        )

    return {
        "own rank everywhere": lambda n: stores.ratings.ranked(0, GAME, FIRST_ID + n),
        "profile, everywhere, somebody else's": lambda n: service.standings.profile(
            FIRST_ID + n, guild_id=None, reader_id=FIRST_ID + n + 5
        ),
        "/games": lambda n: service.running(FIRST_ID + n),
        "puzzle standing, and the server's board": puzzles,
        "achievements' rarity": rarity,
        "the check before /watch": lambda n: stores.tournaments.count_watched(n),
    }


async def _moves(service: MatchService, rng: Random) -> dict[str, list[float]]:
    """The start of a match, its moves, and its last one, which is counted everywhere."""
    starts: list[float] = []
    moves: list[float] = []
    ends: list[float] = []
    place = Location(channel_id=10, guild_id=BIG_SERVER)
    one, other = (Person(FIRST_ID + n, f"Person {n}") for n in (0, 5))
    for _ in range(max(1, TIMES // 6)):
        began = time.perf_counter()
        try:
            challenge = await service.challenges.send(one, other, GAME, place, first=First.ME)
        except SetupError:
            continue
        match = (await service.challenges.accept(challenge.id, other))[1]
        starts.append(1000 * (time.perf_counter() - began))
        while not match.is_over:
            person = one if match.seat_to_move.user_id == one.user_id else other
            began = time.perf_counter()
            move = rng.choice(match.state.legal_moves())
            match = await service.play(match.id, person, move, turn=match.turn)
            (ends if match.is_over else moves).append(1000 * (time.perf_counter() - began))
    return {"start of a match": starts, "a move": moves, "the last move of a rated match": ends}
