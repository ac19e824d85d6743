"""The rate window: one limit on unprompted requests, shared by all callers."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bot.domain.person import Person
from bot.domain.tournament.model import System, Tournament
from bot.services.ports import Delivered
from bot.services.rate_window import MAX_REQUESTS_PER_SECOND, RESERVED_REQUESTS, RateWindow
from bot.services.tournaments import Organiser, TournamentOptions
from tests.bot.services.tournaments.evenings import CHANNEL, RecordingChannel, evening

pytestmark = pytest.mark.postgres


class Time:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_a_second_has_twenty_requests() -> None:
    time = Time()
    window = RateWindow(time=time)
    window.spend(15)
    time.now = 0.5
    window.spend(3)
    assert window.left == 2
    time.now = 1.0
    assert window.left == 17
    time.now = 1.5
    assert window.left == MAX_REQUESTS_PER_SECOND


async def test_a_waiting_caller_leaves_the_reserved_requests() -> None:
    time = Time()
    window = RateWindow(time=time)
    for _ in range(RESERVED_REQUESTS):
        await window.wait()
    assert window.left == MAX_REQUESTS_PER_SECOND - RESERVED_REQUESTS
    waiting = asyncio.create_task(window.wait())
    await asyncio.sleep(0.2)
    assert not waiting.done()
    time.now = 1.0
    await waiting


class Timed(RecordingChannel):
    """A channel that notes when each message was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[float] = []

    def send(self) -> int | Delivered:
        self.written.append(asyncio.get_running_loop().time())
        return super().send()

    async def refresh(self, tournament: Tournament) -> Delivered:
        self.written.append(asyncio.get_running_loop().time())
        return await super().refresh(tournament)


@pytest.mark.slow
async def test_many_tournaments_at_once_write_no_faster_than_is_allowed(tmp_path: Path) -> None:
    second, channel = 0.5, Timed()
    async with evening(tmp_path / "discade.db", channel=channel, rate_seconds=second) as here:
        tournaments = here.tournaments
        for number in range(5):
            organiser = Organiser(900 + number, is_admin=True)
            made = await tournaments.create(
                Person(organiser.user_id, "Host"),
                TournamentOptions("Cup", "tic-tac-toe", System.SWISS),
                CHANNEL,
                organiser,
            )
            for user_id in range(1, 9):
                await tournaments.join(made.id, Person(10 * number + user_id, f"P{user_id}"))
            await tournaments.start(made.id, organiser)
        await here.tick()

    assert len(channel.boards) == 5 * 4
    assert len(channel.rounds) == 5
    most = max(sum(at <= other < at + second for other in channel.written) for at in channel.written)
    assert most <= MAX_REQUESTS_PER_SECOND < len(channel.written)
