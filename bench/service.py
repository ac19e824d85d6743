"""Moves a second through service and store on a SQLite file, beside the bare file committing as often."""

from __future__ import annotations

import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from random import Random

from bot.domain.challenge import Challenge, First
from bot.domain.match import Location, Match
from bot.search.pool import SearchPool
from bot.services.changes import Changes
from bot.services.match_services import MatchServices
from bot.services.ports import Delivered
from bot.services.setup_checks import Person
from bot.store.calls import Call
from bot.store.stores import Stores
from engine.agents.roster import Roster

ADA, BEN = Person(1, "Ada"), Person(2, "Ben")
PLACE = Location(channel_id=10, guild_id=20)
MATCHES = 20


class NoScreen:
    """A display for matches that nobody looks at."""

    async def show(self, match: Match) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED

    async def recover(self, match: Match) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED

    def wants_call(self, match: Match) -> bool:  # noqa: ARG002
        return False

    async def call(self, match: Match) -> int | Delivered:  # noqa: ARG002
        return Delivered.GONE

    async def warn(self, match: Match) -> int | Delivered:  # noqa: ARG002
        return Delivered.GONE

    async def find_calls(self, *_lost: object) -> tuple[int, ...]:
        return ()

    async def remove(self, call: Call) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED

    async def show_challenge(self, challenge: Challenge) -> Delivered:  # noqa: ARG002
        return Delivered.DELIVERED


@asynccontextmanager
async def table(threads: int) -> AsyncIterator[tuple[MatchServices, SearchPool]]:
    """A service and its pool on a fresh database file."""
    with tempfile.TemporaryDirectory() as folder:
        stores = await Stores.open(f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}")
        try:
            async with service_on(stores, threads) as made:
                yield made
        finally:
            await stores.close()


@asynccontextmanager
async def service_on(stores: Stores, threads: int) -> AsyncIterator[tuple[MatchServices, SearchPool]]:
    """A service and its pool on what is stored there."""
    search = SearchPool(threads)

    def clock() -> datetime:
        return datetime.now(UTC)

    services = MatchServices.build(
        stores,
        search,
        Roster(),
        NoScreen(),
        Changes(stores, clock),
        clock=clock,
        rng=Random(1),
        pace_seconds=0,
    )
    try:
        yield services, search
    finally:
        await services.background.close()
        await search.close()


async def run() -> None:
    rng = Random(5)
    moves = 0
    async with table(1) as (services, _):
        began = time.perf_counter()
        for _ in range(MATCHES):
            challenge = await services.challenges.send(ADA, BEN, "connect-four", PLACE, first=First.ME)
            match = (await services.challenges.accept(challenge.id, BEN))[1]
            while not match.is_over:
                person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
                move = rng.choice(match.state.legal_moves())
                match = await services.playing.play(match.id, person, move, turn=match.turn)
                moves += 1
        rate = moves / (time.perf_counter() - began)
    bare = _bare_commits(moves)
    print("| what | a second | beside the bare file |\n|---|---|---|")
    print(f"| commits of one row, bare sqlite3, WAL, synchronous=FULL | {bare:,.0f} | 1.00 |")
    print(f"| moves through services and store ({moves} moves) | {rate:,.0f} | {rate / bare:.2f} |")


def _bare_commits(count: int) -> float:
    """Commits a second of one small row each, with the same durability."""
    with tempfile.TemporaryDirectory() as folder:
        connection = sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE moves (id INTEGER PRIMARY KEY, move INTEGER)")
        began = time.perf_counter()
        for move in range(count):
            connection.execute("INSERT INTO moves (move) VALUES (?)", (move,))
        seconds = time.perf_counter() - began
        connection.close()
    return count / seconds
