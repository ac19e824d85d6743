"""Seconds that others wait for an agent while one account plays 18 deep matches, and while it plays none.

The account answers each move at once, on its 10x10 boards against alphabeta:depth=12. The others play in its
server and in another one. Real services on SQLite, with two threads that search.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path
from random import Random

from bench.fake_discord import percentile
from bench.service import service_on
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import First, Terms
from bot.services.changes import Changed
from bot.services.match_services import MatchServices
from bot.store.stores import Stores
from engine.agents.warm import STAGES, prepare

MATCHES = 18
ROUNDS = 20
THREADS = 2
SETTLE_SECONDS = 2.0
"""Until every match of the account waits for its agent."""
DEEP = "alphabeta:depth=12"
HOG = Person(1, "Hog")
SERVER, ANOTHER = Channel(10, 20), Channel(11, 21)
OTHERS = (("pip", SERVER), ("pip", ANOTHER), ("alphabeta:depth=6", SERVER))


async def run() -> None:
    for stage in STAGES:
        prepare(stage)
    print("| the account's matches | waits for | server | median, s | longest, s |\n|---|---|---|---|---|")
    for matches in (0, MATCHES):
        with tempfile.TemporaryDirectory() as folder:
            stores = await Stores.open(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")
            try:
                async with service_on(stores, THREADS) as (services, _):
                    await _rows(Answers(services), matches)
            finally:
                await stores.close()


class Answers:
    """Waits for agents' answers to moves."""

    def __init__(self, services: MatchServices) -> None:
        self.services = services
        self._awaited: dict[int, asyncio.Future[Match]] = {}
        services.changes.subscribe(Match, self._note)

    async def start(self, person: Person, level: str, place: Channel, board: str = "6x7x4") -> Match:
        return await self.services.starting.start(
            person, Terms("connect-four", board, First.ME, rated=False), level, place
        )

    async def to_a_move(self, match: Match, person: Person, rng: Random) -> Match:
        """Make a random move, and return the match with the agent's answer."""
        answer: asyncio.Future[Match] = asyncio.get_running_loop().create_future()
        self._awaited[match.id] = answer
        await self.services.playing.play(match.id, person, rng.choice(match.state.legal_moves()))
        return await answer

    def _note(self, changed: Changed[Match]) -> None:
        match = changed.after
        if not match.awaits_agent and match.id in self._awaited:
            self._awaited.pop(match.id).set_result(match)


async def _rows(answers: Answers, matches: int) -> None:
    playing = [asyncio.create_task(_play_on(answers, Random(number))) for number in range(matches)]
    await asyncio.sleep(SETTLE_SECONDS)
    for number, (level, place) in enumerate(OTHERS):
        waits = [await _wait(answers, level, place, Person(100 + number, "Other")) for _ in range(ROUNDS)]
        where = "the account's" if place is SERVER else "another"
        print(
            f"| {matches} | {level} | {where} | {percentile(waits, 0.5):.2f} | {max(waits):.2f} |", flush=True
        )
    for task in playing:
        task.cancel()
    failed = await asyncio.gather(*playing, return_exceptions=True)
    if errors := [error for error in failed if not isinstance(error, asyncio.CancelledError)]:
        raise RuntimeError(f"the account stopped playing: {errors}")


async def _play_on(answers: Answers, rng: Random) -> None:
    """The account plays one match after another."""
    while True:
        match = await answers.start(HOG, DEEP, SERVER, "10x10x4")
        while not match.is_over:
            match = await answers.to_a_move(match, HOG, rng)


async def _wait(answers: Answers, level: str, place: Channel, person: Person) -> float:
    match = await answers.start(person, level, place)
    began = time.perf_counter()
    await answers.to_a_move(match, person, Random(1))
    waited = time.perf_counter() - began
    await answers.services.playing.resign(match.id, person)
    return waited
