"""From one server to 250,000: the load of the busiest hour, and a simulation of its three bottlenecks.

No network and no database. Numbers without a measurement are assumptions in `Habits`; put in your own.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from random import Random

from bot.ui.match.pings import OWN_PINGS, OWN_PINGS_SECONDS

SERVERS = (1, 10, 100, 1_000, 10_000, 100_000, 250_000)

ALLOWED_A_SECOND = 50
"""Requests to Discord; interaction responses and requests by their token do not count."""
SERVERS_A_SHARD = 1_000
"""Discord's recommendation; the maximum is 2,500."""
BYTES_A_SERVER = 33_000
"""Memory of discord.py for one server with 30 channels, 15 roles and 20 emoji."""
BYTES_A_PROCESS = 440_000_000
"""From `python -m bench soak`, ten minutes of two hundred people."""


@dataclass(frozen=True, slots=True)
class Habits:
    """Assumed behaviour of people. Shares are 0 to 1; seconds are processor time.

    called: share of the moves between people for which the bot sends a ping, and later deletes it.
    """

    people_a_server: int = 40
    daily: float = 0.05
    matches_a_day: float = 3.0
    with_agent: float = 0.6
    moves: int = 30
    peak_hour: float = 0.10
    called: float = 1.0
    watched: float = 0.02
    deep: float = 0.10
    reviewed: float = 0.20
    quick_seconds: float = 0.004
    deep_seconds: float = 0.25
    review_seconds: float = 0.4
    press_seconds: float = 0.008
    events_a_server: float = 600.0
    bytes_a_match: int = 900


@dataclass(frozen=True, slots=True)
class Load:
    """Load per second in a community's busiest hour, and its storage per year."""

    servers: int
    habits: Habits

    @property
    def people(self) -> int:
        return self.servers * self.habits.people_a_server

    @property
    def matches_a_day(self) -> float:
        habits = self.habits
        return self.people * habits.daily * habits.matches_a_day / (2 - habits.with_agent)

    @property
    def _matches(self) -> float:
        """Begun a second."""
        return self.matches_a_day * self.habits.peak_hour / 3600

    @property
    def agents_moves(self) -> float:
        return self._matches * self.habits.with_agent * self.habits.moves / 2

    @property
    def peoples_moves(self) -> float:
        """Between people."""
        return self._matches * (1 - self.habits.with_agent) * self.habits.moves

    @property
    def presses(self) -> float:
        return self.agents_moves + self.peoples_moves

    @property
    def writes(self) -> float:
        """Moves and ends."""
        return self.presses + self.agents_moves + 2 * self._matches

    @property
    def _calls(self) -> float:
        """Requests for pings: each is sent, and later deleted."""
        return 2 * self.habits.called * self.peoples_moves

    @property
    def requests(self) -> float:
        """Rate-limited requests: boards of matches between agents, and pings without an interaction token."""
        shown = self._matches * self.habits.watched * self.habits.moves
        return shown + min(self._calls, 2 * self.processes * OWN_PINGS / OWN_PINGS_SECONDS)

    @property
    def requests_of_its_own(self) -> float:
        """The same if the bot sent all pings itself and edited the board for each answer of an agent."""
        shown = self._matches * self.habits.watched * self.habits.moves
        return shown + self._calls + self.agents_moves

    @property
    def searches(self) -> tuple[float, float, float]:
        """Quick choices, deep choices, reviews."""
        deep = self.agents_moves * self.habits.deep
        return self.agents_moves - deep, deep, self._matches * self.habits.reviewed

    @property
    def searching(self) -> float:
        """Processors busy with searches."""
        habits = self.habits
        each = (habits.quick_seconds, habits.deep_seconds, habits.review_seconds)
        return sum(rate * seconds for rate, seconds in zip(self.searches, each, strict=True))

    @property
    def answering(self) -> float:
        """Processors busy with presses and with Discord's server events."""
        told = self.servers * self.habits.events_a_server * self.habits.peak_hour / 3600
        return self.presses * self.habits.press_seconds + told * 0.0001

    @property
    def processes(self) -> int:
        """Processes of the bot, each loop half busy and with 10,000 servers at most."""
        return max(1, ceil(self.answering / 0.5), ceil(self.servers / 10_000))

    @property
    def memory(self) -> int:
        return self.processes * BYTES_A_PROCESS + self.servers * BYTES_A_SERVER

    @property
    def shards(self) -> int:
        return max(1, ceil(self.servers / SERVERS_A_SHARD))

    @property
    def storage_a_year(self) -> float:
        return self.matches_a_day * 365 * self.habits.bytes_a_match


# The three bottlenecks


@dataclass(frozen=True, slots=True)
class Waits:
    """Waiting times in seconds, and utilisation, 0 to 1."""

    median: float
    p95: float
    busy: float

    @classmethod
    def of(cls, waits: Sequence[float], busy: float) -> Waits:
        ranked = sorted(waits)
        return cls(ranked[len(ranked) // 2], ranked[int(len(ranked) * 0.95)], busy)


def requests_wait(rate: float, seconds: float, rng: Random) -> Waits:
    """Simulate random requests, sent at Discord's limit: one fiftieth of a second apart."""
    each, free_at, now, waits = 1 / ALLOWED_A_SECOND, 0.0, 0.0, []
    while now < seconds:
        now += rng.expovariate(rate)
        free_at = max(free_at, now) + each
        waits.append(free_at - each - now)
    return Waits.of(waits, min(1.0, rate * each))


def searches_wait(load: Load, threads: int, seconds: float, rng: Random) -> Waits:
    """Simulate random searches of all kinds on `threads` threads, with exponential durations."""
    habits, (quick, deep, reviews) = load.habits, load.searches
    rates = (quick, deep, reviews)
    each = (habits.quick_seconds, habits.deep_seconds, habits.review_seconds)
    free, now, waits, worked = [0.0] * threads, 0.0, [], 0.0
    while now < seconds:
        now += rng.expovariate(sum(rates))
        began = max(now, heapq.heappop(free))
        took = rng.expovariate(1 / rng.choices(each, rates)[0])
        heapq.heappush(free, began + took)
        waits.append(began - now)
        worked += took
    return Waits.of(waits, worked / (threads * max(now, *free)))


def threads_for(load: Load, most_wait: float, rng: Random) -> int:
    """Return the fewest threads that keep p95 within `most_wait`, from a simulated tenth of an hour."""
    threads = max(1, ceil(load.searching))
    while searches_wait(load, threads, 360.0, rng).p95 > most_wait:
        threads = max(threads + 1, ceil(threads * 1.05))
    return threads


def writes_wait(rate: float, change: float, commit: float, seconds: float, rng: Random) -> Waits:
    """Simulate one writer; waiting changes share a commit. change, commit: seconds of each."""
    now, free_at, busy = 0.0, 0.0, 0.0
    waits: list[float] = []
    queue: list[float] = []
    arrival = rng.expovariate(rate)
    while now < seconds:
        now = max(free_at, arrival)
        while arrival <= now:
            queue.append(arrival)
            arrival += rng.expovariate(rate)
        took = commit + change * len(queue)
        free_at, busy = now + took, busy + took
        waits.extend(free_at - came for came in queue)
        queue.clear()
    return Waits.of(waits, busy / free_at)


CHANGE_SECONDS, COMMIT_SECONDS = 0.0025, 0.00023
"""Of SQLite: `python -m bench service` with 12 writers, and bare commits of one row."""
MOST_WAIT = 0.5
"""Limit for a search's wait for its thread, at p95."""


async def run() -> None:
    habits, rng = Habits(), Random(1)
    print(f"{habits}\n")
    loads = [Load(servers, habits) for servers in SERVERS]
    _arithmetic(loads)
    print()
    requests = ("requests a second, all by the bot", "they wait, p95", "by presses' tokens", "they wait, p95")
    changes = ("changes a second", "one SQLite writer busy", "they wait, p95")
    _table("servers", *requests, "threads that search", "searches wait, p95", *changes)
    for load in loads:
        threads = threads_for(load, MOST_WAIT, rng)
        written = writes_wait(load.writes, CHANGE_SECONDS, COMMIT_SECONDS, 120.0, rng)
        _row(
            f"{load.servers:,}",
            f"{load.requests_of_its_own:,.1f}", _p95(requests_wait(load.requests_of_its_own, 600.0, rng)),
            f"{load.requests:.1f}", _p95(requests_wait(load.requests, 600.0, rng)),
            threads, _p95(searches_wait(load, threads, 360.0, rng)),
            f"{load.writes:,.1f}", f"{written.busy:.0%}", _p95(written),
        )  # fmt: skip


def _arithmetic(loads: Sequence[Load]) -> None:
    seconds = ("presses a second", "agents' moves", "deep", "reviews")
    machines = ("processors that search", "that answer", "processes", "shards", "memory, GB")
    _table("servers", "people", "matches a day", *seconds, *machines, "a year's matches, GB")
    for load in loads:
        _, deep, reviews = load.searches
        _row(
            f"{load.servers:,}", f"{load.people:,}", f"{load.matches_a_day:,.0f}", f"{load.presses:,.2f}",
            f"{load.agents_moves:,.2f}", f"{deep:,.2f}", f"{reviews:,.2f}", f"{load.searching:,.2f}",
            f"{load.answering:,.2f}", load.processes, load.shards, f"{load.memory / 1e9:,.1f}",
            f"{load.storage_a_year / 1e9:,.1f}",
        )  # fmt: skip


def _table(*columns: str) -> None:
    _row(*columns)
    print("|" + "---|" * len(columns))


def _row(*cells: object) -> None:
    print(f"| {' | '.join(str(cell) for cell in cells)} |")


def _p95(waits: Waits) -> str:
    return "ever longer" if waits.p95 > 10 else f"{waits.p95:.3f} s"
