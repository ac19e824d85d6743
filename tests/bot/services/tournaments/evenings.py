"""Parts for tests of the tournament service: a service on a real file, and a recording channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.tournament.model import System, Tournament
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.services.reconciler import Reconciler
from bot.services.shown_versions import ShownVersions
from bot.services.sources.tournaments import TournamentMessages
from bot.services.tournaments import Organiser, TournamentOptions, Tournaments
from tests.bot.sittings import Clock, Screen, Sitting, sitting

HOST = Person(100, "Host")
ORGANISER = Organiser(HOST.user_id)
HOST_AS_ADMIN = Organiser(HOST.user_id, is_admin=True)
CHANNEL = Channel(channel_id=10, guild_id=20)


@dataclass
class RecordingChannel:
    """A recording display that can be unreachable. It may outlive a process."""

    boards: dict[int, int] = field(default_factory=dict)
    rounds: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    refreshed: list[Tournament] = field(default_factory=list)
    is_reachable: bool = True
    lacks: str | None = None
    announced: list[tuple[int, str]] = field(default_factory=list)
    messages: int = 5000
    table: Sitting | None = None

    def send(self) -> int | Delivered:
        if not self.is_reachable:
            return Delivered.MESSAGE_REFUSED
        self.messages += 1
        return self.messages

    async def open_board(self, match: Match) -> Match:
        message_id = self.send()
        if isinstance(message_id, Delivered) or self.table is None:
            return match
        self.boards[match.id] = self.boards.get(match.id, 0) + 1
        return await self.table.changes.attach(match.id, replace(match.channel, message_id=message_id))

    async def open_thread(self, tournament: Tournament) -> int | None:
        return None

    async def post_round(self, tournament: Tournament) -> int | Delivered:
        message_id = self.send()
        if isinstance(message_id, int):
            self.rounds.append(tournament.round)
        return message_id

    async def post_end(self, tournament: Tournament) -> int | Delivered:
        message_id = self.send()
        if isinstance(message_id, int):
            self.ends.append(tournament.id)
        return message_id

    async def refresh(self, tournament: Tournament) -> Delivered:
        self.refreshed.append(tournament)
        return Delivered.DELIVERED if self.is_reachable else Delivered.MESSAGE_REFUSED

    def missing(self, _tournament: Tournament) -> str | None:
        return self.lacks

    async def tell_organiser(self, tournament: Tournament, missing: str) -> None:
        self.announced.append((tournament.organiser_id, missing))


@dataclass
class Evening:
    """Everything that a test of tournaments plays with."""

    table: Sitting
    tournaments: Tournaments
    channel: RecordingChannel
    reconciler: Reconciler

    async def tick(self) -> None:
        """Run the bot's periodic jobs once."""
        await self.tournaments.run_once()
        self.reconciler.wake()
        await self.reconciler.run_once()
        await self.reconciler.drain()

    async def create(self, system: System = System.SWISS, **terms: object) -> Tournament:
        chosen = TournamentOptions("Spring", "tic-tac-toe", system, **terms)  # type: ignore[arg-type]
        return await self.tournaments.create(HOST, chosen, CHANNEL, HOST_AS_ADMIN)

    async def sign_up(self, people: int, levels: tuple[str, ...] = (), **terms: object) -> Tournament:
        """An open tournament with people of ids 1, 2 and so on, and agents."""
        tournament = await self.create(**terms)  # type: ignore[arg-type]
        for user_id in range(1, people + 1):
            tournament = await self.tournaments.join(tournament.id, Person(user_id, f"P{user_id}"))
        if levels:
            tournament = await self.tournaments.set_agents(tournament.id, levels, ORGANISER)
        return tournament

    async def begin(self, tournament: Tournament) -> Tournament:
        await self.tournaments.start(tournament.id, ORGANISER)
        return await self.step(tournament)

    async def step(self, tournament: Tournament) -> Tournament:
        await self.tournaments.step(tournament.id)
        await self.table.services.background.drain()
        return await self.tournaments.tournament(tournament.id)

    async def move(self, match: Match) -> Match:
        """The person to move plays the first legal move, and the agent answers."""
        seat = match.seat_to_move
        person = Person(seat.user_id or 0, seat.name)
        match = await self.table.services.playing.play(match.id, person, match.state.legal_moves()[0])
        self.table.services.pings.ping(match)
        await self.table.services.background.drain()
        return await self.table.services.matches.match(match.id)

    async def play_out(self, match_id: int) -> Match:
        """To its end, unless it waits for an agent that is not thinking."""
        match = await self.table.services.matches.match(match_id)
        while not match.is_over and not match.awaits_agent:
            match = await self.move(match)
        return match


@asynccontextmanager
async def evening(
    file: Path,
    *,
    clock: Clock | None = None,
    channel: RecordingChannel | None = None,
    screen: Screen | None = None,
    rate_seconds: float = 1.0,
) -> AsyncIterator[Evening]:
    """A service on the database in `file`, as after the start of a process; closed at the end."""
    async with sitting(file, clock=clock, screen=screen) as table:
        channel = channel or RecordingChannel()
        channel.table = table
        store = table.stores.tournaments
        messages = TournamentMessages(
            store,
            channel,
            table.changes,
            clock=table.clock,
            rate=RateWindow(seconds=rate_seconds),
        )
        tournaments = Tournaments(store, table.services, channel, messages, table.changes, clock=table.clock)
        flush = ShownVersions(table.stores.shown).flush
        reconciler = Reconciler([messages], flush, time=lambda: (table.clock() - Clock()()).total_seconds())
        await table.services.clocks.resume()
        yield Evening(table, tournaments, channel, reconciler)
