"""Make the database of a large community for `python -m bench scale`. `check` finds no fault in it.

    python -m bench.community FILE [--people 1000] [--matches 2000] [--running 100] [--busy 10000]

A few hundred games are played at random and dealt to people over 400 days. Ratings and seasons are computed
as in the bot. A fifth of all people are in one server, the others in servers of fifty. Half of the people are
listed everywhere; each has solved a puzzle. --busy adds that number of matches for the
first person.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import sqlalchemy as sa

from bot.domain.location import Channel
from bot.domain.match import Match, TimedMove
from bot.domain.rating import Record
from bot.domain.seat import Seat
from bot.store.achievements import achievements
from bot.store.match_rows import MATCH, matches
from bot.store.moves import move_rows, moves, packed_values
from bot.store.players import players
from bot.store.preferences import preferences
from bot.store.puzzles import attempts, puzzle_records, solvers
from bot.store.ranking import record_values
from bot.store.recount import Recounter
from bot.store.stores import Stores
from engine.games import game as game_of

GAMES, SHARES = ("tic-tac-toe", "connect-four", "othello"), (80, 19, 1)
"""Most games are short: five moves a match is the mean over a year of a large community."""

FIRST_ID = 100_000_000_000_000_000
BIG_SERVER = 900_000_000_000_000_000
DAYS, POOL, BATCH = 400, 100, 5_000
LEVEL = "otto"

Values = dict[str, Any]


def server_of(person: int) -> int:
    """Return the server of the person with that number."""
    return BIG_SERVER if person % 5 == 0 else BIG_SERVER + ((1 + person // 50) << 22)


def _game(name: str, rng: Random) -> Match:
    """Play a random game to its end."""
    rules, now = game_of(name), datetime(2025, 1, 1, tzinfo=UTC)
    nobody = Seat("A", user_id=1)
    match = Match.begin(name, rules.boards[0], (nobody, nobody), Channel(1), now)
    while not match.is_over:
        now += timedelta(seconds=5)
        match = match._moved(rng.choice(match.state.legal_moves()), now, 5.0)
    return match


class _Dealer:
    """Deals games out to people."""

    def __init__(self, people: int, rng: Random, now: datetime) -> None:
        self._people, self._rng, self._now = people, rng, now
        self._pool = {name: [_game(name, rng) for _ in range(POOL)] for name in GAMES}

    def match(
        self, number: int, at: datetime, *, is_running: bool = False, first: int | None = None
    ) -> Match:
        rng = self._rng
        first = rng.randrange(self._people) if first is None else first
        # Both players are in the same server.
        other = (first + 5 * rng.randrange(1, 10)) % self._people
        other = other if other != first else (first + 1) % self._people
        dealt = rng.choice(self._pool[rng.choices(GAMES, SHARES)[0]])
        seats = [Seat(f"Person {n}", user_id=FIRST_ID + n) for n in (first, other)]
        if is_running or rng.random() < 0.3:
            seats[1] = Seat("Otto", level=LEVEL)
        shift = at - dealt.touched_at
        timed_moves = tuple(
            TimedMove(timed.move, timed.seconds, timed.at + shift) for timed in dealt.timed_moves
        )
        made = replace(
            dealt, id=number, seats=(seats[0], seats[1]), timed_moves=timed_moves,
            created_at=at - timedelta(minutes=9),
            touched_at=at, turn_started_at=at,
            location=Channel(server_of(first) + 1, server_of(first), FIRST_ID + number, "en-US"),
        )  # fmt: skip
        if not is_running:
            return made
        # The agent is to move in every second running match.
        played = timed_moves[: 2 + number % 2]
        states = made.states[: len(played) + 1]
        begun = replace(made, states=states, timed_moves=played, turn=len(played), version=len(played))
        at = played[-1].at
        return replace(begun, result=None, rated=False, touched_at=at, turn_started_at=at)


async def make(file: Path, people: int, count: int, running: int, busy: int = 0, *, seed: int = 7) -> None:
    """Make the database in `file`, which must not exist."""
    rng, now = Random(seed), datetime.now(UTC).replace(microsecond=0)
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    await stores.close()
    engine = sa.create_engine(f"sqlite:///{file}")
    try:
        with engine.connect() as connection:
            for pragma in ("synchronous = OFF", "foreign_keys = OFF", "cache_size = -400000"):
                connection.exec_driver_sql(f"PRAGMA {pragma}")
            connection.commit()
            _add_people(connection, people, now)
            dealer = _Dealer(people, rng, now)
            step = timedelta(days=DAYS) / max(1, count)
            finished = (dealer.match(n, now - (count - n + 1) * step) for n in range(1, count + 1))
            _add_matches(connection, finished)
            begun = (dealer.match(count + n, now, is_running=True) for n in range(1, running + 1))
            _add_matches(connection, begun)
            more = count + running
            _add_matches(connection, (dealer.match(more + n, now, first=0) for n in range(1, busy + 1)))
            connection.commit()
    finally:
        engine.dispose()
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    await Recounter(stores.database).repair()
    async with stores.database.writing() as written:
        await written.execute(sa.text("ANALYZE"))
    await stores.close()


def _add(connection: sa.Connection, table: sa.Table, rows: Iterable[Values]) -> None:
    insert, left = sa.insert(table), iter(rows)
    while batch := list(islice(left, BATCH)):
        connection.execute(insert, batch)


def _add_people(connection: sa.Connection, people: int, now: datetime) -> None:
    ids = range(FIRST_ID, FIRST_ID + people)
    _add(
        connection,
        players,
        ({"is_agent": False, "player": str(n), "name": f"Person {n - FIRST_ID}"} for n in ids),
    )
    _add(connection, players, [{"is_agent": True, "player": LEVEL, "name": "Otto"}])
    _add(connection, preferences, ({"user_id": n, "is_called": True, "is_listed": n % 2 == 0} for n in ids))
    solved = Record(1500.0, 90.0, wins=1, streak=1, best_streak=1)
    _add(
        connection,
        solvers,
        ({"user_id": n, **record_values(replace(solved, rating=1000.0 + n * 7919 % 1000))} for n in ids),
    )
    _add(connection, puzzle_records, [{"puzzle": "p", **record_values(solved)}])
    _add(connection, attempts, (_attempt(n, now) for n in ids))


def _attempt(user_id: int, now: datetime) -> Values:
    return {
        "user_id": user_id, "guild_id": server_of(user_id - FIRST_ID), "kind": "free", "puzzle": "p",
        "game": "tic-tac-toe", "board": "3x3", "line": "0 3 1 4", "grade": 1, "depth": 1, "goal": 1,
        "moves": "2", "status": "solved", "counts": True, "day": None, "started_at": now, "ended_at": now,
        "version": 1,
    }  # fmt: skip


def _add_matches(connection: sa.Connection, dealt: Iterator[Match]) -> None:
    while batch := list(islice(dealt, BATCH)):
        _add(
            connection,
            matches,
            (
                {
                    "id": one.id,
                    **MATCH.values(one),
                    "shown_version": one.version,
                    **(packed_values(one.timed_moves) if one.is_over else {}),
                }
                for one in batch
            ),
        )
        _add(
            connection,
            moves,
            (row for one in batch if not one.is_over for row in move_rows(one.id, one.timed_moves)),
        )
        rated = [one for one in batch if one.counts]
        insert = sa.insert(achievements).prefix_with("OR IGNORE")
        won = [
            {
                "user_id": seat.user_id, "key": "first-win", "match_id": one.id, "at": one.touched_at,
                "is_told": True,
            }
            for one in rated
            if one.result is not None and one.result.winner is not None
            for seat in (one.seats[one.result.winner],)
            if seat.user_id is not None
        ]  # fmt: skip
        if won:
            connection.execute(insert, won)
        connection.commit()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--people", type=int, default=1000)
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--running", type=int, default=100)
    parser.add_argument("--busy", type=int, default=0)
    asked = parser.parse_args()
    if asked.file.exists():
        parser.error(f"{asked.file} exists")
    began = time.perf_counter()
    asyncio.run(make(asked.file, asked.people, asked.matches, asked.running, asked.busy))
    megabytes = asked.file.stat().st_size / 1e6
    print(f"{asked.file}: {megabytes:,.0f} MB in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
