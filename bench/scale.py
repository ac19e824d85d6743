"""The most frequent queries on communities of growing size, one after another: milliseconds of each answer.

`SCALE_FILES` are databases made by `python -m bench.community`, separated by spaces. By default one of 1,000
and one of 10,000 people is made first. `SCALE_TIMES` (default 200) is the number of repetitions per query. A
cell has median, p95 and p99 by the clock, and p95 of processor time, which depends less on other load.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import sqlalchemy as sa

from bench.community import BIG_SERVER, FIRST_ID, make
from bench.fake_discord import percentile
from bench.service import service_on
from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.person import Person
from bot.domain.season import Season
from bot.domain.terms import Terms
from bot.services.match_services import MatchServices
from bot.store.ratings import board_of
from bot.store.stores import Stores

TIMES = int(os.environ.get("SCALE_TIMES", "200"))
GAME = "tic-tac-toe"
Question = Callable[[int], Awaitable[object]]
"""A query; its argument is the number of the person asking."""


@dataclass(slots=True)
class _Taken:
    """Milliseconds of each answer, in wall-clock and processor time."""

    wall: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)

    @contextlib.contextmanager
    def one(self) -> Iterator[None]:
        began, used = time.perf_counter(), time.process_time()
        yield
        self.wall.append(1000 * (time.perf_counter() - began))
        self.processor.append(1000 * (time.process_time() - used))

    def __str__(self) -> str:
        if not self.wall:
            return "-"
        shown = (
            *(percentile(self.wall, share) for share in (0.5, 0.95, 0.99)),
            percentile(self.processor, 0.95),
        )
        return " / ".join(f"{value:.1f}" for value in shown)


async def run() -> None:
    table: dict[str, list[str]] = {}
    heads = []
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(name) for name in os.environ.get("SCALE_FILES", "").split()]
        if not files:
            for people in (1_000, 10_000):
                files.append(Path(folder) / f"{people}.db")
                await make(files[-1], people, 2 * people, people // 20)
        for file in files:
            head, answers = await _measure(file)
            heads.append(head)
            for title, taken in answers.items():
                table.setdefault(title, []).append(str(taken))
    print(f"\n| asked | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for title, cells in table.items():
        print(f"| {title} | {' | '.join(cells)} |")


async def _measure(file: Path) -> tuple[str, dict[str, _Taken]]:
    answers: defaultdict[str, _Taken] = defaultdict(_Taken)
    with answers["the file is opened"].one():
        stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    rng = Random(2)
    try:
        people = await _count(stores, "puzzle_solvers")
        played = await _count(stores, "matches")
        print(f"{people:,} people, {played:,} matches, {file.stat().st_size / 1e6:,.0f} MB", flush=True)
        async with service_on(stores, 1) as (services, _):
            for title, question in {**await _boards(services), **_others(services, stores)}.items():
                for _ in range(TIMES):
                    person = rng.randrange(people)
                    with answers[title].one():
                        await question(person)
            await _moves(services, rng, answers)
    finally:
        await stores.close()
    return f"{people:,} people", answers


async def _count(stores: Stores, table: str) -> int:
    async with stores.database.reading() as connection:
        return int(await connection.scalar(sa.text(f"SELECT count(*) FROM {table}")))


async def _boards(services: MatchServices) -> dict[str, Question]:
    standings = services.standings
    boards: dict[str, tuple[int | None, Season | None]] = {
        "everywhere, ever": (None, None),
        "the biggest server, ever": (BIG_SERVER, None),
        "the biggest server, this month": (BIG_SERVER, standings.season),
    }

    def page(number: int, guild_id: int | None, season: Season | None) -> Question:
        return lambda person: standings.leaderboard(
            GAME, guild_id=guild_id, agents=False, page=number, user_id=FIRST_ID + person, season=season
        )

    found = {}
    for title, (guild_id, season) in boards.items():
        first = await standings.leaderboard(
            GAME, guild_id=guild_id, agents=False, page=1, user_id=FIRST_ID, season=season
        )
        for name, number in (("first", 1), ("middle", max(1, first.pages // 2)), ("last", first.pages)):
            found[f"{title}: {name} page, and one's own row"] = page(number, guild_id, season)
    return found


def _others(services: MatchServices, stores: Stores) -> dict[str, Question]:
    async def rarity(person: int) -> object:
        await stores.achievements.awards(FIRST_ID + person)
        return await stores.achievements.totals()

    async def puzzles(person: int) -> object:
        return (
            await stores.puzzles.ranked(None, FIRST_ID + person),
            await stores.puzzles.leaderboard(BIG_SERVER, offset=0, limit=10),
        )

    return {
        "own rank everywhere": lambda n: stores.ratings.ranked(board_of(0, GAME), FIRST_ID + n),
        "profile, everywhere, somebody else's": lambda n: services.standings.profile(
            FIRST_ID + n, guild_id=None, reader_id=FIRST_ID + n + 5
        ),
        "/match list": lambda n: services.matches.running(FIRST_ID + n),
        "puzzle standing, and the server's board": puzzles,
        "achievements' rarity": rarity,
        "the check before /watch": lambda n: stores.tournaments.count_watched(n),
    }


async def _moves(services: MatchServices, rng: Random, answers: defaultdict[str, _Taken]) -> None:
    """Measure a match's start, its moves, and its last move, which updates all statistics."""
    place = Channel(channel_id=10, guild_id=BIG_SERVER)
    for number in range(max(1, TIMES // 6)):
        one, other = (Person(FIRST_ID + n, f"Person {n}") for n in (10 * number, 10 * number + 5))
        try:
            with answers["an invitation"].one():
                challenge = await services.challenges.send(one, other, Terms(GAME, "3x3"), place)
            with answers["start of a match, by accepting it"].one():
                match = (await services.challenges.accept(challenge.id, other))[1]
        except SetupError:
            continue
        while True:
            person = one if match.seat_to_move.user_id == one.user_id else other
            move = rng.choice(match.state.legal_moves())
            is_last = match.state.play(move).outcome() is not None
            with answers["the last move of a rated match" if is_last else "a move"].one():
                match = await services.playing.play(match.id, person, move, turn=match.turn)
            if is_last:
                break
