"""Scheduled events of servers, which announce tournaments and begin and end with them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, Protocol

from bot.domain.clock import Clock
from bot.domain.tournament.model import Stage, Tournament, TournamentEvent
from bot.domain.tournament.rounds import rounds_of
from bot.services.ports import Delivered
from bot.services.reconciler import Delivery
from bot.store.stores import Stores

LEAST_NOTICE = timedelta(minutes=1)
"""A tournament whose sign-up closes sooner gets no event any more."""

SHORTEST, LONGEST = timedelta(hours=1), timedelta(days=7)
"""Limits of an event's guessed length."""

ENDS_SOON, PROLONGED_BY = timedelta(minutes=10), timedelta(hours=1)
"""An event that ends soon, while its tournament is still played, is prolonged."""

GUESSED_MOVES, GUESSED_SECONDS_PER_MOVE = 40, 30
"""Of a match; people seldom take all the time of a clock per move."""


class EventSettings(Protocol):
    """A server's settings."""

    @property
    def is_scheduling(self) -> bool: ...


class EventDisplay(Protocol):
    """Where events are made and changed. One that is gone needs no change.

    GONE: the bot is no member of the server.
    """

    async def announce(self, tournament: Tournament, ends_at: datetime) -> int | Delivered:
        """Make the tournament's event, which begins when sign-up closes: its id, or why there is none."""

    async def begin(self, event: TournamentEvent) -> Delivered: ...
    async def prolong(self, event: TournamentEvent) -> Delivered:
        """Make it end when it says."""

    async def end(self, event: TournamentEvent) -> Delivered:
        """End it, or call it off if it has not begun."""


class EventChange(enum.Enum):
    ANNOUNCE = enum.auto()
    BEGIN = enum.auto()
    PROLONG = enum.auto()
    END = enum.auto()


@dataclass(frozen=True, slots=True)
class EventStep:
    """A change that an event needs. event: None before ANNOUNCE. tournament: None if it was deleted."""

    step: EventChange
    tournament: Tournament | None
    event: TournamentEvent | None


class TournamentEvents:
    """One per process. settings: of the servers that are this process's, by their id."""

    name: Final = "event of tournament"
    idle_seconds: Final = 15.0

    def __init__(
        self,
        stores: Stores,
        display: EventDisplay,
        settings: Callable[[], Mapping[int, EventSettings]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._stores = stores
        self._display = display
        self._settings = settings
        self._clock = clock

    async def stale(self, limit: int) -> Sequence[Delivery[EventStep]]:
        settings, events = self._settings(), await self._stores.events.all()
        found = []
        for event in events:
            if event.guild_id in settings:
                tournament = await self._stores.tournaments.tournament(event.tournament_id)
                step = self._next_step(event, tournament, settings[event.guild_id].is_scheduling)
                if step is not None:
                    # Permissions for events are the server's, not a channel's.
                    needed = EventStep(step, tournament, event)
                    found.append(Delivery(event.tournament_id, needed, event.guild_id, step.value))
        scheduling = [guild_id for guild_id, chosen in settings.items() if chosen.is_scheduling]
        has_event = {event.tournament_id for event in events}
        for tournament in await self._stores.tournaments.open_in(scheduling):
            place = tournament.location
            is_late = tournament.closes_at <= self._clock() + LEAST_NOTICE
            if tournament.id not in has_event and place.message_id is not None and not is_late:
                needed = EventStep(EventChange.ANNOUNCE, tournament, None)
                found.append(Delivery(tournament.id, needed, place.guild_id or 0, EventChange.ANNOUNCE.value))
        return found[:limit]

    def _next_step(
        self, event: TournamentEvent, tournament: Tournament | None, is_wanted: bool
    ) -> EventChange | None:
        if tournament is None or not is_wanted or not tournament.is_active:
            return EventChange.END
        if tournament.stage is not Stage.RUNNING:
            return None
        if not event.is_active:
            return EventChange.BEGIN
        return EventChange.PROLONG if event.ends_at - self._clock() < ENDS_SOON else None

    async def deliver(self, delivery: Delivery[EventStep]) -> Delivered:
        step, tournament, event = delivery.item.step, delivery.item.tournament, delivery.item.event
        if event is None:
            return Delivered.GONE if tournament is None else await self._announce(tournament)
        if step is EventChange.END:
            outcome = await self._display.end(event)
            if outcome is Delivered.DELIVERED:
                await self._stores.events.forget(event.tournament_id)
            return outcome
        if step is EventChange.BEGIN:
            event = replace(event, is_active=True)
            outcome = await self._display.begin(event)
        else:
            event = replace(event, ends_at=self._clock() + PROLONGED_BY)
            outcome = await self._display.prolong(event)
        if outcome is Delivered.DELIVERED:
            await self._stores.events.note(event)
        return outcome

    async def give_up(self, delivery: Delivery[EventStep]) -> None:
        """Forget an event that was to end in a server that the bot has left: Discord ends it by itself.

        Other changes are made once the bot is back, while the tournament goes on.
        """
        if delivery.item.step is EventChange.END and delivery.item.event is not None:
            await self._stores.events.forget(delivery.item.event.tournament_id)

    async def _announce(self, tournament: Tournament) -> Delivered:
        ends_at = expected_end(tournament)
        made = await self._display.announce(tournament, ends_at)
        if isinstance(made, Delivered):
            return made
        guild_id = tournament.location.guild_id or 0
        await self._stores.events.note(TournamentEvent(tournament.id, guild_id, made, False, ends_at))
        return Delivered.DELIVERED


def expected_end(tournament: Tournament) -> datetime:
    """Guess when the tournament ends; Discord makes no event without an end."""
    clock = Clock.of(tournament.clock_seconds)
    if clock.increment is None:
        seconds = GUESSED_MOVES * min(clock.seconds, GUESSED_SECONDS_PER_MOVE)
    else:
        seconds = 2 * clock.seconds + GUESSED_MOVES * clock.increment
    length = rounds_of(tournament) * timedelta(seconds=seconds)
    return tournament.closes_at + min(max(length, SHORTEST), LONGEST)
