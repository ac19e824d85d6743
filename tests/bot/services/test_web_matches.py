"""Matches on the web alone, in the parts of a process without a Discord client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest
import sqlalchemy as sa

from bot.config import Settings
from bot.domain.errors import MatchError, SetupError
from bot.domain.location import Channel, Web
from bot.domain.match import Match, Pace
from bot.domain.terms import First
from bot.domain.turn_ping import CLOCK, ask_of
from bot.parts import FrontEnd, Parts, Services
from bot.services.sources.tournaments import TournamentDisplay
from bot.store.match_rows import matches
from tests.bot.draws import Draws
from tests.bot.made_once import all_texts, database_url
from tests.bot.patient_proofs import judge_patiently
from tests.bot.services.test_reconciler import look_for_a_while
from tests.bot.sittings import ADA, BEN, HERE, Clock, Screen, both_move_twice, sitting, terms_of

WEB = Web("de")


@dataclass
class Process:
    """One process without Discord."""

    parts: Parts
    services: Services
    screen: Screen

    async def stale(self) -> int:
        """How many boards and pings wait for Discord."""
        stores = self.parts.stores
        return len(await stores.shown.stale_boards(10)) + len(await stores.pings.stale(10))

    async def match(self, match: Match) -> Match:
        """The match once agents that think have moved."""
        await self.services.background.drain()
        return await self.services.matches.match(match.id)


@asynccontextmanager
async def process(
    file: Path, clock: Clock, draws: Draws | None = None, agents_folder: Path | None = None
) -> AsyncIterator[Process]:
    judge_patiently()
    async with AsyncExitStack() as closing:
        parts = Parts(
            Settings(database_url=database_url(file), agents_folder=agents_folder),
            clock=clock, rng=draws or Draws(), pace_seconds=0.0, is_warm=True, texts=all_texts(),
        )  # fmt: skip
        await parts.open(closing)
        screen = Screen()
        # No tournament is played here.
        front = FrontEnd(screen, cast("TournamentDisplay", screen))
        services = parts.services(front, closing)
        await services.clocks.resume()
        yield Process(parts, services, screen)


async def test_a_match_on_the_web_is_played_to_its_end_without_discord_and_over_a_restart(
    tmp_path: Path,
) -> None:
    file, clock, draws = tmp_path / "discade.db", Clock(), Draws()
    draws.is_askers = False
    async with process(file, clock, draws) as before:
        match = await before.services.starting.start(ADA, terms_of("connect-four"), "pip", WEB)
        assert match.location == WEB
        assert (await before.match(match)).turn == 1
        match = await before.services.playing.play(match.id, ADA, 3)
        assert await before.stale() == 0
    async with process(file, clock) as after:
        while not (match := await after.match(match)).is_over:
            await after.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
            assert await after.stale() == 0
        assert match.location == WEB
        assert match.counts
        assert len(match.rating_changes) == 2
        profile = await after.services.standings.profile(ADA.user_id, guild_id=None, reader_id=ADA.user_id)
        assert [found.id for found in profile.recent] == [match.id]
        assert [row.game for row in profile.rows] == ["connect-four"]
        assert await after.stale() == 0


async def test_a_match_on_the_web_is_lost_on_time(tmp_path: Path) -> None:
    clock = Clock()
    async with process(tmp_path / "discade.db", clock) as here:
        match = await here.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME, clock_seconds=300), "pip", WEB
        )
        clock.advance(seconds=250)
        await here.services.clocks.tick()
        match = await here.match(match)
        assert ask_of(match) == 4 * match.turn + CLOCK
        assert (here.screen.pings, await here.stale()) == ({}, 0)
        clock.advance(seconds=60)
        await here.services.clocks.tick()
        assert (await here.match(match)).is_over


async def test_agents_on_the_web_play_at_once_and_two_matches_of_each_person(tmp_path: Path) -> None:
    async with process(tmp_path / "discade.db", Clock()) as here:
        starting = here.services.starting
        for person in (ADA, ADA, BEN):
            match = await starting.watch(person, "connect-four", "pip", "pip", WEB, pace=Pace.SLOW)
            assert match.begun_by == person.user_id
        with pytest.raises(SetupError, match="too_many_watched"):
            await starting.watch(ADA, "connect-four", "pip", "pip", WEB)
        match = await starting.watch(BEN, "tic-tac-toe", "pip", "pip", WEB, pace=Pace.QUICK)
        assert (await here.match(match)).is_over
        assert await here.stale() == 0


async def test_people_of_the_web_alone_wait_for_no_ping_until_they_are_in_a_channel(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        challenge = await table.services.challenges.send(
            ADA, BEN, terms_of("connect-four", first=First.ME), HERE
        )
        _, match = await table.services.challenges.accept(challenge.id, BEN)
        await table.changes.attach(match.id, WEB)
        match = await table.services.playing.play(match.id, ADA, 3)
        table.services.pings.ping(match)
        await table.services.background.drain()
        await look_for_a_while(table, 3)
        assert (table.screen.pings, table.screen.shown) == ({}, {})
        match = await table.changes.attach(match.id, replace(HERE, message_id=30))
        await look_for_a_while(table, 3)
        assert table.screen.shown == {match.id: [match]}
        assert len(table.screen.pings) == 1


async def test_a_match_on_the_web_is_visible_to_its_players_alone(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", WEB)
        for channel_id in (None, 10):
            match.check_visible(ADA.user_id, channel_id)
            with pytest.raises(MatchError, match="not_your_match"):
                match.check_visible(BEN.user_id, channel_id)


async def test_a_command_means_the_match_of_its_channel_before_one_on_the_web(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        starting, found = table.services.starting, table.services.matches
        here = await starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", HERE)
        table.clock.advance(seconds=1)
        web = await starting.start(ADA, terms_of("othello", first=First.ME), "pip", WEB)
        assert (await found.current(ADA.user_id, 10)).id == here.id
        assert (await found.current(ADA.user_id, 11)).id == web.id
        assert {match.id for match in await found.running(ADA.user_id, channel_id=10)} == {here.id, web.id}
        assert await table.stores.matches.running(channel_id=11) == []


async def test_a_rematch_on_the_web_is_against_agents_alone(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        starting, playing = table.services.starting, table.services.playing
        match = await starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", WEB)
        await playing.resign(match.id, ADA)
        again = await starting.rematch(match.id, ADA, WEB)
        assert isinstance(again, Match)
        assert again.location == WEB
        challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        _, of_people = await table.services.challenges.accept(challenge.id, BEN)
        await playing.resign(of_people.id, ADA)
        with pytest.raises(SetupError, match="strange_channel"):
            await starting.rematch(of_people.id, ADA, WEB)


async def test_a_match_on_the_web_counts_in_no_server(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", WEB)
        match = await both_move_twice(table, match)
        await table.services.playing.resign(match.id, ADA)
        everywhere = await table.services.standings.profile(ADA.user_id, guild_id=None, reader_id=1)
        in_server = await table.services.standings.profile(ADA.user_id, guild_id=20, reader_id=1)
        assert (len(everywhere.rows), len(in_server.rows)) == (1, 0)


async def test_a_match_on_the_web_of_a_forgotten_person_stays_on_the_web(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", WEB)
        await table.services.playing.resign(match.id, ADA)
        table.clock.advance(hours=2)
        await table.stores.privacy.erase(ADA.user_id)
        assert (await table.services.matches.match(match.id)).location == WEB


async def test_a_server_without_a_channel_is_damage(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(
            ADA, terms_of("connect-four", first=First.ME), "pip", HERE
        )
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(matches).values(channel_id=None))
        with pytest.raises(MatchError, match="match_damaged"):
            await table.stores.matches.find(match.id)
        assert await table.stores.matches.damaged() == []


def test_people_on_the_web_queue_for_themselves() -> None:
    seats = (ADA.seat, BEN.seat)
    now = Clock()()
    web, channel, direct = (
        Match.begin("connect-four", "6x7x4", seats, location, now).asker
        for location in (WEB, Channel(10, 20), Channel(10))
    )
    assert (web, channel, direct) == ((("web", 1), 1), (20, 1), (10, 1))
