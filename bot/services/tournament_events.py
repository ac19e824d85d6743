"""Tournaments as events of their servers: announced, begun and ended with them, whatever was missed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

from bot.domain.clock import Clock
from bot.domain.tournament.model import Stage, Tournament
from bot.domain.tournament.rounds import rounds_of
from bot.store.events import Announced
from bot.store.stores import Stores

LATEST = timedelta(minutes=1)
"""So long before sign-up closes an event is worth announcing no more."""

PATIENCE = timedelta(minutes=1)
"""After an event could not be made, so long passes before the next try."""

SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=7)
"""Between these an event's length is guessed."""

SOON, LONGER = timedelta(minutes=10), timedelta(hours=1)
"""An event whose end comes so soon, while its tournament is still played, lasts so much longer."""

MOVES, SECONDS_A_MOVE = 40, 30
"""Of a match, as a guess; people seldom take all the time that a clock a move gives them."""


class Wish(Protocol):
    """A server's decision."""

    @property
    def is_scheduling(self) -> bool: ...


class EventKeeper(Protocol):
    """Whoever makes and changes events. Nothing here raises: None and False call for another try later."""

    async def announce(self, tournament: Tournament, ends_at: datetime) -> int | None:
        """The id of the tournament's event, which begins when sign-up closes."""

    async def begin(self, event: Announced) -> bool: ...
    async def put_off_end(self, event: Announced) -> bool:
        """Makes it end when it says."""

    async def end(self, event: Announced) -> bool:
        """Ends one that has begun; calls off one that has not."""


class TournamentEvents:
    """One for each process. wishes: what servers want, by their id; clock: the current UTC time."""

    def __init__(
        self,
        stores: Stores,
        keeper: EventKeeper,
        wishes: Callable[[], Mapping[int, Wish]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._stores = stores
        self._keeper = keeper
        self._wishes = wishes
        self._clock = clock
        self._not_before: dict[int, datetime] = {}

    async def step(self) -> None:
        """Makes, begins, prolongs and ends whatever is due."""
        wishes, known = self._wishes(), await self._stores.events.all()
        for event in known:
            wish = wishes.get(event.guild_id)
            if wish is not None:
                await self._follow(event, is_wanted=wish.is_scheduling)
        wanting = [guild_id for guild_id, wish in wishes.items() if wish.is_scheduling]
        taken = {event.tournament_id for event in known}
        for tournament in await self._stores.tournaments.open_in(wanting):
            if tournament.id not in taken:
                await self._announce(tournament)

    async def _announce(self, tournament: Tournament) -> None:
        now, guild_id = self._clock(), tournament.location.guild_id
        is_shown = tournament.location.message_id is not None
        if guild_id is None or not is_shown or tournament.closes_at <= now + LATEST:
            return
        if now < self._not_before.get(tournament.id, now):
            return
        ends_at = expected_end(tournament)
        event_id = await self._keeper.announce(tournament, ends_at)
        if event_id is None:
            self._not_before[tournament.id] = now + PATIENCE
            return
        self._not_before.pop(tournament.id, None)
        await self._stores.events.note(Announced(tournament.id, guild_id, event_id, False, ends_at))

    async def _follow(self, event: Announced, *, is_wanted: bool) -> None:
        tournament = await self._stores.tournaments.tournament(event.tournament_id)
        if tournament is None or not is_wanted or not tournament.is_active:
            if await self._keeper.end(event):
                await self._stores.events.forget(event.tournament_id)
            return
        if tournament.stage is not Stage.RUNNING:
            return
        if not event.is_active:
            if not await self._keeper.begin(event):
                return
            event = replace(event, is_active=True)
            await self._stores.events.note(event)
        if event.ends_at - self._clock() < SOON:
            later = replace(event, ends_at=self._clock() + LONGER)
            if await self._keeper.put_off_end(later):
                await self._stores.events.note(later)


def expected_end(tournament: Tournament) -> datetime:
    """A guess, which an event cannot do without."""
    clock = Clock.of(tournament.clock_seconds)
    if clock.increment is None:
        seconds = MOVES * min(clock.seconds, SECONDS_A_MOVE)
    else:
        seconds = 2 * clock.seconds + MOVES * clock.increment
    length = rounds_of(tournament) * timedelta(seconds=seconds)
    return tournament.closes_at + min(max(length, SHORTEST), LONGEST)
