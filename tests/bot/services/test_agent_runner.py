"""Agents' turns on a real database that fails, and with agents that say what cannot be stored."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.challenge import First
from bot.domain.errors import Unavailable
from bot.domain.match import Match
from bot.store.calls import calls
from bot.store.shared import Conflict
from engine.agents.roster import Roster
from engine.core import Agent, Choice, Limit, SearchInfo, State
from tests.bot.made_once import altered, locked
from tests.bot.sittings import ADA, BEN, HERE, Screen, Sitting, sitting

BUSY_SECONDS = 0.05


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "discade.db"


@asynccontextmanager
async def hasty(file: Path, *, retry_seconds: tuple[float, ...] = (), **parts: Any) -> AsyncIterator[Sitting]:
    """A sitting whose database waits for nobody."""
    async with sitting(file, busy_seconds=BUSY_SECONDS, retry_seconds=retry_seconds, **parts) as table:
        yield table


async def asked(table: Sitting) -> Match:
    """A match in which Ada has moved and Pip is to answer as soon as the search is released."""
    table.search.hold({"random"})
    match = await table.services.starting.start(ADA, "connect-four", "pip", First.ME, HERE, rated=False)
    match = await table.services.playing.play(match.id, ADA, 3, turn=0)
    table.services.pings.ping(match)
    await asyncio.sleep(0)
    return match


async def look_later(table: Sitting) -> None:
    """The clock's next look, at matches that nobody has touched for a while."""
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
        assert [shown.turn for shown in table.screen.shown[match.id]] == [2]
        await look_later(table)
        assert await table.services.matches.match(match.id) == after


async def test_a_lock_that_passes_soon_needs_no_look_of_the_clock(file: Path) -> None:
    async with hasty(file, retry_seconds=(0.05, 0.05, 0.2, 1.0, 3.0)) as table:
        match = await asked(table)
        with locked(file):
            table.search.release()
            await asyncio.sleep(0.3)
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_the_match_goes_on_for_the_person_as_if_nothing_had_been(file: Path) -> None:
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


@pytest.mark.parametrize("moves", [0, 1])
async def test_whoever_could_not_be_called_while_the_database_was_locked_is_called_once_after_it(
    file: Path, moves: int
) -> None:
    async with hasty(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, "connect-four", HERE, first=First.ME)
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        with locked(file):
            table.services.pings.ping(match)
            await table.services.background.drain()
        assert not table.screen.calls
        if moves:
            match = await table.services.playing.play(match.id, ADA, 3, turn=0)
            table.services.pings.ping(match)
        await look_later(table)
        await look_later(table)
        assert [called.turn for called in table.screen.calls.values()] == [moves]


async def test_a_call_that_was_stored_with_its_move_is_sent_while_the_database_is_locked(file: Path) -> None:
    async with hasty(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, "connect-four", HERE, first=First.ME)
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        for turn, person in enumerate((ADA, BEN, ADA)):
            match = await table.services.playing.play(match.id, person, 3, turn=turn)
            with locked(file):
                table.services.pings.ping(match)
                await table.services.background.drain()
            assert [called.turn for called in table.screen.calls.values()] == [match.turn], (
                "the one before went"
            )
        await table.reconciler.drain()
        assert await table.stores.calls.stand(match)


async def test_who_moves_before_the_call_to_that_turn_is_sent_is_not_called_any_more(file: Path) -> None:
    async with hasty(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, "connect-four", HERE, first=First.ME)
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        first = await table.services.playing.play(match.id, ADA, 3, turn=0)
        second = await table.services.playing.play(match.id, BEN, 3, turn=1)
        table.services.pings.ping(first)
        table.services.pings.ping(second)
        await table.services.background.drain()
        assert [called.turn for called in table.screen.calls.values()] == [2]
        await table.reconciler.drain()
        assert (await table.stores.calls.left_behind(10)) == []


async def test_a_call_that_is_looked_for_before_it_is_sent_stands_once(file: Path) -> None:
    """The reconciler may look for the call before the code that stored the move sends it."""
    async with hasty(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, "connect-four", HERE, first=First.ME)
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        match = await table.services.playing.play(match.id, ADA, 3, turn=0)
        await table.services.pings.ping_again(match.id)
        await table.reconciler.drain()
        assert await table.stores.calls.stand(match)
        table.services.pings.ping(match)
        await table.services.background.drain()
        await table.reconciler.drain()
        assert [called.turn for called in table.screen.calls.values()] == [1]
        assert await table.stores.calls.stand(match)


async def test_a_call_follows_a_board_that_moved_before_it_was_sent(file: Path) -> None:
    async with hasty(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, "connect-four", HERE, first=First.ME)
        match = (await table.services.challenges.accept(challenge.id, BEN))[1]
        match = await table.services.playing.play(match.id, ADA, 3, turn=0)
        match = await table.changes.attach(match.id, replace(HERE, message_id=77))
        table.services.pings.ping(match)
        await table.services.background.drain()
        assert [called.location.message_id for called in table.screen.calls.values()] == [77]
        await table.reconciler.drain()
        assert await table.stores.calls.stand(match)
        async with table.stores.database.reading() as connection:
            rows = (await connection.execute(sa.select(calls.c.board_id))).scalars().all()
        assert rows == [77], "of the one that was never sent nothing is left"


async def pair(table: Sitting, **choices: Any) -> Match:
    """A match of Ada, who begins, and Ben, in which nobody was called yet."""
    challenge = await table.services.challenges.send(
        ADA, BEN, "connect-four", HERE, first=First.ME, **choices
    )
    return (await table.services.challenges.accept(challenge.id, BEN))[1]


async def test_a_change_that_is_followed_late_takes_back_no_call_to_a_later_one(file: Path) -> None:
    """Discord took its time to answer the first press."""
    async with hasty(file) as table:
        match = await pair(table)
        first = await table.services.playing.play(match.id, ADA, 3, turn=0)
        second = await table.services.playing.play(match.id, BEN, 3, turn=1)
        for late in (second, first):
            table.services.pings.ping(late)
            await table.services.background.drain()
        assert [called.turn for called in table.screen.calls.values()] == [2]
        await table.reconciler.drain()
        assert await table.stores.calls.stand(second)
        assert (await table.stores.calls.left_behind(10)) == []


async def test_a_call_is_stored_over_the_version_that_it_was_made_from_or_not_at_all(file: Path) -> None:
    async with hasty(file) as table:
        before = await pair(table)
        after = await table.services.playing.play(before.id, ADA, 3, turn=0)
        with pytest.raises(Conflict):
            await table.stores.calls.replace(before, table.clock(), is_called=True)
        assert (await table.stores.calls.unknown(after)) is not None, "the one that is about to be sent"


async def test_who_moved_is_warned_no_more_of_the_clock(file: Path) -> None:
    """The warnings of others went first."""
    async with hasty(file) as table:
        match = await pair(table, clock_seconds=60)
        await table.services.playing.play(match.id, ADA, 3, turn=0)
        await table.services.pings.warn(match)
        await table.services.background.drain()
        assert not table.screen.warnings


async def test_who_is_to_be_called_after_a_move_of_which_nobody_knows_whether_it_was_stored_is_called(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hasty(file) as table:
        match = await pair(table)
        await table.reconciler.run_once()
        await table.reconciler.drain()
        writer = table.stores.database.writer
        assert writer is not None
        change = writer.change

        async def torn(*work: Any, **options: Any) -> None:
            await change(*work, **options)
            raise ConnectionResetError

        with monkeypatch.context() as broken:
            broken.setattr(writer, "change", torn)
            with pytest.raises(Unavailable):
                await table.services.playing.play(match.id, ADA, 3, turn=0)
        table.clock.advance(seconds=10)
        await table.reconciler.run_once()
        await table.reconciler.drain()
        assert [called.turn for called in table.screen.calls.values()][-1:] == [1]


async def test_who_could_not_be_called_again_while_the_database_was_locked_is_called_after_it(
    file: Path,
) -> None:
    async with hasty(file) as table:
        match = await pair(table)
        await table.reconciler.run_once()
        await table.reconciler.drain()
        table.screen.calls.clear()
        altered(file, "DELETE FROM calls")
        table.changes.calls.doubt(match.id)
        with locked(file):
            await table.reconciler.run_once()
            await table.reconciler.drain()
        assert not table.screen.calls
        table.clock.advance(seconds=10)
        await table.reconciler.run_once()
        await table.reconciler.drain()
        assert len(table.screen.calls) == 1


class Looking(Screen):
    """A display that is asked where the event loop is."""

    def wants_call(self, match: Match) -> bool:
        asyncio.get_running_loop()
        return super().wants_call(match)


async def test_who_shows_is_asked_nothing_in_the_thread_of_the_database(file: Path) -> None:
    async with hasty(file, screen=Looking()) as table:
        match = await pair(table)
        await table.services.playing.play(match.id, ADA, 3, turn=0)


async def test_a_warning_that_the_database_refused_is_given_later_unless_they_have_moved(file: Path) -> None:
    async with hasty(file) as table:
        for turn in (0, 1):
            challenge = await table.services.challenges.send(
                ADA, BEN, "connect-four", HERE, first=First.ME, clock_seconds=60
            )
            match = (await table.services.challenges.accept(challenge.id, BEN))[1]
            with locked(file):
                await table.services.pings.warn(match)
                await table.services.background.drain()
            if turn:
                await table.services.playing.play(match.id, ADA, 3, turn=0)
        assert not table.screen.warnings
        await table.services.clocks.tick()
        assert [warned.id for warned in table.screen.warnings] == [1]


async def test_an_answer_is_kept_whatever_ails_the_database(file: Path) -> None:
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
    """A display that fails in a way that nobody has foreseen, as often as it is told to."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    async def show(self, match: Match) -> None:
        if self.times:
            self.times -= 1
            raise RuntimeError("no display can be this broken")
        await super().show(match)


async def test_a_match_between_agents_goes_on_when_it_cannot_be_shown(file: Path) -> None:
    async with hasty(file, screen=Faulty(2)) as table:
        match = await table.services.starting.watch(
            ADA, "tic-tac-toe", "pip", "pip", replace(HERE, message_id=5)
        )
        table.services.pings.ping(match)
        await table.services.background.drain()

        assert (await table.services.matches.match(match.id)).is_over


async def test_whoever_dies_while_an_agent_should_think_is_replaced(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        table.search.cancel(match.id)
        table.search.release()
        await table.services.background.drain()
        assert len((await table.services.matches.match(match.id)).moves) == 1

        await look_later(table)

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_an_agent_that_thinks_is_left_alone(file: Path) -> None:
    async with hasty(file) as table:
        match = await asked(table)
        table.clock.advance(seconds=30)
        await table.services.clocks.tick()
        assert table.search.waiting == 1
        table.search.release()
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2


async def test_a_change_that_is_seconds_old_is_left_to_whoever_made_it(file: Path) -> None:
    async with hasty(file) as ended:
        ended.search.hold({"random"})
        match = await ended.services.starting.start(ADA, "connect-four", "pip", First.OPPONENT, HERE)
    async with hasty(file) as table:
        await table.services.clocks.tick()
        await table.services.background.drain()
        assert (await table.services.matches.match(match.id)).moves == ()

        await look_later(table)

        assert len((await table.services.matches.match(match.id)).moves) == 1


class Babbling(Agent):
    """Plays the first legal move, and says of it what it was told to."""

    def __init__(self, choice: Any) -> None:
        self.choice = choice

    def choose(self, state: State, limit: Limit) -> Choice:
        return self.choice  # type: ignore[no-any-return]


class Babblers(Roster):
    """A roster in which everybody is that agent."""

    def __init__(self, agent: Agent) -> None:
        super().__init__()
        self.agent = agent

    def make(self, key: str, seed: int) -> Agent:
        return self.agent


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -1.0, "fast", None])
async def test_a_time_that_is_none_is_measured_instead(file: Path, seconds: Any) -> None:
    agent = Babbling(Choice(6, SearchInfo(seconds=seconds)))
    async with hasty(file, roster=Babblers(agent)) as table:
        match = await asked(table)
        table.search.release()
        await table.services.background.drain()

        after = await table.services.matches.match(match.id)
        assert after.moves == (3, 6), "the move itself is a good one"
        assert 0 <= after.timed_moves[1].seconds < 60


@pytest.mark.parametrize("choice", [None, Choice(99, SearchInfo()), Choice("4", SearchInfo())])  # type: ignore[arg-type]
async def test_an_answer_that_is_no_move_gives_way_to_a_random_one(file: Path, choice: Any) -> None:
    async with hasty(file, roster=Babblers(Babbling(choice))) as table:
        match = await asked(table)
        table.search.release()
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2
