"""Agents' turns on a real database that fails, and with agents whose answers cannot be stored."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.domain.match import Match
from bot.domain.terms import First
from bot.services.ports import Delivered
from engine.agents.roster import Roster
from engine.core import Agent, Choice, Limit, SearchInfo, State
from tests.bot.made_once import altered, locked
from tests.bot.sittings import ADA, BEN, HERE, Screen, Sitting, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

BUSY_SECONDS = 0.05


@asynccontextmanager
async def hasty(file: Path, *, retry_seconds: tuple[float, ...] = (), **parts: Any) -> AsyncIterator[Sitting]:
    """A sitting whose database does not wait for locks."""
    async with sitting(file, busy_seconds=BUSY_SECONDS, retry_seconds=retry_seconds, **parts) as table:
        yield table


async def asked(table: Sitting) -> Match:
    """A match in which Ada has moved and Pip is to answer as soon as the search is released."""
    table.search.hold({"random"})
    match = await table.services.starting.start(
        ADA, terms_of("connect-four", first=First.ME, rated=False), "pip", HERE
    )
    match = await table.services.playing.play(match.id, ADA, 3, turn=0)
    table.services.pings.ping(match)
    await asyncio.sleep(0)
    return match


async def look_later(table: Sitting) -> None:
    """Run the clock job once, after the grace period for recent changes."""
    table.clock.advance(seconds=30)
    await table.services.clocks.tick()
    await table.services.background.drain()


async def test_an_answer_that_a_locked_database_refused_is_stored_later_and_once(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        with locked(file):
            table.search.release()
            await table.services.background.drain()
        assert len((await table.services.matches.match(match.id)).moves) == 1, "nothing could be stored"
        table.search.hold({"random"})

        await look_later(table)

        after = await table.services.matches.match(match.id)
        assert len(after.moves) == 2, "the kept answer, for no search may begin"
        assert [shown.turn for shown in table.screen.shown[match.id]] == [1, 2]
        await look_later(table)
        assert await table.services.matches.match(match.id) == after


async def test_pip_answers_beside_a_person_with_eighteen_deep_matches(file: Path) -> None:
    async with sitting(file) as table:
        start = table.services.starting.start
        deep = terms_of("connect-four", "10x10x4", first=First.OPPONENT, rated=False)
        for _ in range(18):
            await start(ADA, deep, "alphabeta:depth=12", HERE)
        match = await start(BEN, terms_of("connect-four", first=First.ME, rated=False), "pip", HERE)
        await table.services.playing.play(match.id, BEN, 3, turn=0)
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while len((await table.services.matches.match(match.id)).moves) < 2:
                await asyncio.sleep(0.01)
        assert table.search.waiting >= 9, "Pip's answer came before most of Ada's"


async def test_a_short_lock_needs_no_run_of_the_clock_job(file: Path) -> None:
    async with hasty(file, retry_seconds=(0.05, 0.05, 0.2, 1.0, 3.0)) as table:
        match = await asked(table)
        with locked(file):
            table.search.release()
            await asyncio.sleep(0.3)
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_the_match_continues_normally_for_the_person(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        with locked(file):
            table.search.release()
            await table.services.background.drain()

        undone = await table.services.playing.ask_undo(match.id, ADA)
        table.services.pings.ping(undone)
        await look_later(table)
        assert (await table.services.matches.match(match.id)).moves == (), (
            "the kept answer belongs to no position now"
        )
        again = await table.services.playing.play(match.id, ADA, 4, turn=undone.turn)
        table.services.pings.ping(again)
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_an_answer_is_kept_through_any_database_fault(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        rename(file, "moves", "lost")
        table.search.release()
        await table.services.background.drain()
        rename(file, "lost", "moves")

        await look_later(table)

        assert len((await table.services.matches.match(match.id)).moves) == 2


def rename(file: Path, table: str, name: str) -> None:
    altered(file, f"ALTER TABLE {table} RENAME TO {name}")


class Faulty(Screen):
    """A display that fails with an unexpected error a given number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def show(self, match: Match) -> Delivered:
        if self.times:
            self.times -= 1
            raise RuntimeError("no display can be this broken")
        return await super().show(match)


async def test_a_match_between_agents_goes_on_when_it_cannot_be_shown(file: Path) -> None:
    async with hasty(file, screen=Faulty(2)) as table:
        match = await table.services.starting.watch(
            ADA, "tic-tac-toe", "pip", "pip", replace(HERE, message_id=5)
        )
        table.services.pings.ping(match)
        await table.services.background.drain()

        assert (await table.services.matches.match(match.id)).is_over


async def test_an_agent_task_that_dies_is_replaced(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        table.search.cancel(match.id)
        table.search.release()
        await table.services.background.drain()
        assert len((await table.services.matches.match(match.id)).moves) == 1

        await look_later(table)

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_a_thinking_agent_is_not_interrupted(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        table.clock.advance(seconds=30)
        await table.services.clocks.tick()
        assert table.search.waiting == 1
        table.search.release()
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_a_change_that_is_seconds_old_is_left_to_the_code_that_made_it(file: Path) -> None:
    async with hasty(file) as ended:
        ended.search.hold({"random"})
        match = await ended.services.starting.start(
            ADA, terms_of("connect-four", first=First.OPPONENT, rated=False), "pip", HERE
        )
    async with hasty(file) as table:
        await table.services.clocks.tick()
        await table.services.background.drain()
        assert (await table.services.matches.match(match.id)).moves == ()

        await look_later(table)

        assert len((await table.services.matches.match(match.id)).moves) == 1


class Babbling(Agent):
    """Plays the first legal move and reports the given info."""

    def __init__(self, choice: Any) -> None:
        self.choice = choice

    def choose(self, state: State, limit: Limit) -> Choice:
        return self.choice  # type: ignore[no-any-return]


class Babblers(Roster):
    """A roster in which every entry is that agent."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent

    def make(self, key: str, seed: int) -> Agent:
        return self.agent


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0, "fast", None])
async def test_an_invalid_thinking_time_is_measured_instead(file: Path, seconds: Any) -> None:
    agent = Babbling(Choice(6, SearchInfo(seconds=seconds)))
    async with hasty(file, roster=Babblers(agent)) as table:
        match = await asked(table)
        table.search.release()
        await table.services.background.drain()

        after = await table.services.matches.match(match.id)
        assert after.moves == (3, 6), "the move itself is a good one"
        assert 0 <= after.timed_moves[1].seconds < 60


@pytest.mark.parametrize("choice", [None, Choice(99, SearchInfo()), Choice("4", SearchInfo())])  # type: ignore[arg-type]
async def test_an_illegal_answer_is_replaced_by_a_random_move(file: Path, choice: Any) -> None:
    async with hasty(file, roster=Babblers(Babbling(choice))) as table:
        match = await asked(table)
        table.search.release()
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2
