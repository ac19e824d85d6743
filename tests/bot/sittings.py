"""Parts for tests of the services: real parts, an adjustable clock, and a recording display."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa

from bot.domain.challenge import Challenge
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.rating import Record, newcomer, rate
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First, Terms
from bot.search.pool import Elsewhere, SearchPool
from bot.services.agent_runner import STORE_RETRY_SECONDS
from bot.services.changes import Changes
from bot.services.checked_terms import RATED_CLOCK
from bot.services.match_services import MatchServices
from bot.services.ports import Delivered
from bot.services.reconciler import Reconciler
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.store.connection import Connection
from bot.store.match_rows import matches
from bot.store.puzzles import puzzle_places, solvers
from bot.store.ranking import HIDDEN, listed_standing
from bot.store.ratings import records
from bot.store.stores import Stores
from bot.store.versions import BUSY_SECONDS
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import GAMES
from tests.bot.draws import Draws
from tests.bot.made_once import database_url
from tests.bot.patient_proofs import judge_patiently

ADA, BEN, EVE = Person(1, "Ada"), Person(2, "Ben"), Person(3, "Eve")
HERE = Channel(channel_id=10, guild_id=20)


class Clock:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@dataclass
class Screen:
    """A recording display."""

    shown: dict[int, list[Match]] = field(default_factory=dict)
    pings: dict[int, Match] = field(default_factory=dict)
    warnings: list[Match] = field(default_factory=list)
    deleted: list[tuple[int, int]] = field(default_factory=list)
    challenges: list[Challenge] = field(default_factory=list)
    messages: int = 1000

    marks: ShownVersions | None = None

    async def show(self, match: Match) -> Delivered:
        self.shown.setdefault(match.id, []).append(match)
        if self.marks is not None:
            self.marks.board(match.id, match.version)
        return Delivered.DELIVERED

    async def recover(self, match: Match) -> Delivered:
        return await self.show(match)

    def wants_ping(self, match: Match) -> bool:
        return not match.seat_to_move.is_agent

    def ping_places(self, match: Match) -> Sequence[Channel]:
        return (match.channel,)

    async def ping(self, match: Match) -> int | Delivered:
        self.messages += 1
        self.pings[self.messages] = match
        if match.warned_turn == match.turn:
            self.warnings.append(match)
        return self.messages

    async def find_pings(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        sent = {key: pinged for key, pinged in self.pings.items() if pinged.id == match.id}
        return {
            key: pinged.to_move == match.to_move and key != since
            for key, pinged in sent.items()
            if key >= (since or 0)
        }

    async def delete_ping(self, channel_id: int, message_id: int) -> Delivered:
        self.deleted.append((channel_id, message_id))
        return Delivered.GONE if self.pings.pop(message_id, None) is None else Delivered.DELIVERED

    async def show_challenge(self, challenge: Challenge) -> Delivered:
        self.challenges.append(challenge)
        if self.marks is not None:
            self.marks.invitation(challenge.id, challenge.version)
        return Delivered.DELIVERED


@dataclass
class Sitting:
    """Everything that a test of the service plays with."""

    services: MatchServices
    stores: Stores
    search: SearchPool
    screen: Screen
    clock: Clock
    changes: Changes
    reconciler: Reconciler
    draws: Draws


def terms_of(
    game: str,
    board: str | None = None,
    *,
    first: First = First.RANDOM,
    rated: bool = True,
    clock_seconds: int | None = None,
    fair: Fair = Fair.USUAL,
) -> Terms:
    """Terms on the usual board, unless another one is named."""
    return Terms(game, board or GAMES[game].boards[0], first, rated, clock_seconds, fair)


async def paired(
    table: Sitting,
    first: Seat,
    second: Seat,
    game: str = "connect-four",
    *,
    board: str | None = None,
    location: Channel = HERE,
    rated: bool = True,
    clock_seconds: int | None = RATED_CLOCK,
) -> Match:
    """A match in which the first of these two begins, as a tournament pairs them.

    It may be anybody's turn to begin, and other matches of theirs may have hardly begun.
    """
    match = Match.begin(
        game, board or GAMES[game].boards[0], (first, second), location, table.clock(),
        rated=rated, clock_seconds=clock_seconds,
    )  # fmt: skip
    stored = await table.stores.matches.add(match)
    table.changes.publish(None, stored)
    return stored


def first_match(game: str) -> tuple[Record, Record]:
    """The records of two newcomers after the first player wins their first match."""
    return rate(newcomer(game), newcomer(game), Player.FIRST)


async def settle(stores: Stores) -> None:
    """Make all ratings as certain as after many matches or puzzles."""
    async with stores.database.writing() as connection:
        for each in (records, puzzle_places, solvers):
            await connection.execute(sa.update(each).values(deviation=100.0))
        await update_standings(connection)


async def update_standings(connection: Connection) -> None:
    """Store the standings of listed people, computed from their deviations."""
    for table in (records, puzzle_places):
        is_listed = table.c.standing != HIDDEN
        await connection.execute(sa.update(table).where(is_listed).values(standing=listed_standing(table)))


async def move_once(table: Sitting, match: Match) -> Match:
    """The first legal move of a person, or an agent's own, unless it waits for another match."""
    seat = match.seat_to_move
    if seat.user_id is None:
        table.services.pings.ping(match)
        await table.services.background.drain()
        return await table.services.matches.match(match.id)
    person = Person(seat.user_id, seat.name)
    return await table.services.playing.play(match.id, person, match.state.legal_moves()[0])


async def both_move_twice(table: Sitting, match: Match) -> Match:
    """Both players make the first legal move until the match counts for the rating."""
    while match.is_short:
        match = await move_once(table, match)
    return match


@asynccontextmanager
async def sitting(
    file: Path,
    *,
    clock: Clock | None = None,
    screen: Screen | None = None,
    roster: Roster | None = None,
    busy_seconds: float = BUSY_SECONDS,
    retry_seconds: Sequence[float] = STORE_RETRY_SECONDS,
    url: str | None = None,
    elsewhere: Elsewhere | None = None,
    hears: Callable[[], bool] = lambda: True,
) -> AsyncIterator[Sitting]:
    """A service on the database in `file`, or at `url`, as after the start of a process; closed at the end.

    The screen, like Discord, may outlive the process. elsewhere: other machines that search. hears: whether
    anybody's press can arrive.
    """
    judge_patiently()
    stores = await Stores.open(url or database_url(file), busy_seconds=busy_seconds)
    search = SearchPool(2, elsewhere=elsewhere)
    screen = screen or Screen()
    clock, draws = clock or Clock(), Draws()
    changes = Changes(stores, clock)
    screen.marks = marks = ShownVersions(stores.shown)
    services = MatchServices.build(
        stores,
        search,
        roster or Roster(),
        await SettingsCache.load(stores.preferences),
        screen,
        changes,
        marks,
        clock=clock,
        rng=draws,
        pace_seconds=0.0,
        retry_seconds=retry_seconds,
        hears=hears,
    )
    sources = services.boards, services.invitations, services.pings
    reconciler = Reconciler(sources, marks.flush, time=lambda: (clock() - Clock()()).total_seconds())
    try:
        yield Sitting(services, stores, search, screen, clock, changes, reconciler, draws)
    finally:
        await services.background.close()
        await search.close()
        await stores.close()


async def count_as_old(table: Sitting) -> None:
    """Make all matches as if they had begun before rated ones against bots barred help."""
    async with table.stores.database.writing() as connection:
        await connection.execute(sa.update(matches).values(bars_help=False))
    table.changes.forget()
