"""Tournaments whose boards, round announcements or own message are missing or out of date."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Final, Protocol

from bot.domain.match import Match
from bot.domain.tournament.model import ANNOUNCED_ALL, Stage, Tournament
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.services.reconciler import Delivery
from bot.store.tournaments import DueTournament, TournamentStore

log = logging.getLogger(__name__)

END_GIVEN_UP_AFTER = timedelta(hours=1)
"""How long the end of a tournament is announced again where Discord refuses it."""


CHANNEL_GONE = "tournament_channel_gone"
"""What `TournamentDisplay.missing` returns for a tournament whose channel was deleted."""


class TournamentDisplay(Protocol):
    """Where tournaments are displayed. Errors of Discord are logged and returned, not raised."""

    async def open_board(self, match: Match) -> Match:
        """Post the first board of a match; where that failed it still has no message."""

    async def open_thread(self, tournament: Tournament) -> int | None:
        """Make the thread for its rounds and boards below its message: its id, or None for none."""

    async def post_round(self, tournament: Tournament) -> int | Delivered:
        """Post the round and ping its players: the message's id, or why there is none."""

    async def post_end(self, tournament: Tournament) -> int | Delivered:
        """Post the final standings: the message's id, or why there is none."""

    async def refresh(self, tournament: Tournament) -> Delivered:
        """Make the tournament's message show it."""

    def missing(self, tournament: Tournament) -> str | None:
        """Return the missing permission to write in the tournament's channel, as the key of a text."""

    async def tell_organiser(self, tournament: Tournament, missing: str) -> None:
        """Tell the organiser in private that this keeps the tournament from going on."""


class TournamentMessages:
    """One per process. A delivered tournament is stale again once its version or its ended matches change."""

    name: Final = "tournament"
    idle_seconds: Final = 3.0
    """Also how often a round's message is edited."""

    def __init__(
        self,
        store: TournamentStore,
        display: TournamentDisplay,
        changes: Changes,
        *,
        clock: Callable[[], datetime],
        rate: RateWindow | None = None,
    ) -> None:
        self._store = store
        self._display = display
        self._changes = changes
        self._clock = clock
        self._rate = rate or RateWindow()
        self._shown: dict[int, DueTournament] = {}
        self._showing: set[int] = set()
        self._failing_since: dict[int, datetime] = {}

    async def stale(self, limit: int) -> Sequence[Delivery[DueTournament]]:
        due = {one.id: one for one in await self._store.due(self._clock())}
        self._shown = {key: one for key, one in self._shown.items() if due.get(key) == one}
        stale = [one for key, one in due.items() if key not in self._shown]
        return [Delivery(one.id, one, one.channel_id) for one in stale[:limit]]

    async def deliver(self, delivery: Delivery[DueTournament]) -> Delivered:
        outcome = await self.show(delivery.item.id)
        if outcome is Delivered.DELIVERED:
            self._shown[delivery.item.id] = delivery.item
        return outcome

    async def give_up(self, delivery: Delivery[DueTournament]) -> None:
        """Its channel is gone: nothing is tried until something changes."""
        self._shown[delivery.item.id] = delivery.item

    def doubt(self) -> None:
        """Look at all again: the bot may be back where it could not show them."""
        self._shown.clear()

    def forget(self, tournament_id: int) -> None:
        """Look at it again: its message was deleted, which the database does not tell."""
        self._shown.pop(tournament_id, None)

    async def show(self, tournament_id: int) -> Delivered:
        """Bring its boards and messages up to date; repeated, it changes nothing."""
        if tournament_id in self._showing:
            return Delivered.MESSAGE_REFUSED
        self._showing.add(tournament_id)
        try:
            tournament = await self._changes.tournament(tournament_id)
            outcome = await self._post(tournament)
            if outcome is Delivered.DELIVERED:
                self._failing_since.pop(tournament_id, None)
            elif tournament.stage is Stage.OVER:
                await self._give_up_late(tournament)
            return outcome
        finally:
            self._showing.discard(tournament_id)

    async def _give_up_late(self, tournament: Tournament) -> None:
        since = self._failing_since.setdefault(tournament.id, self._clock())
        if self._clock() - since > END_GIVEN_UP_AFTER:
            log.warning("tournament %d: its end could not be announced", tournament.id)
            await self._changes.of_tournament(
                tournament.id, lambda before: before.announce(ANNOUNCED_ALL, None)
            )

    async def _post(self, tournament: Tournament) -> Delivered:
        if tournament.is_active and self._display.missing(tournament) == CHANNEL_GONE:
            return Delivered.GONE
        if tournament.stage is Stage.OVER and tournament.announced != ANNOUNCED_ALL:
            await self._refresh(tournament)
            return await self._announce(tournament, ANNOUNCED_ALL, self._display.post_end)
        if tournament.stage is Stage.RUNNING:
            if not await self._open_boards(tournament):
                return Delivered.MESSAGE_REFUSED
            # Read again: the round's lines link to the boards that were just posted.
            tournament = await self._changes.tournament(tournament.id)
            if tournament.announced < tournament.round and not tournament.is_of_agents:
                outcome = await self._announce(tournament, tournament.round, self._display.post_round)
                if outcome is not Delivered.DELIVERED:
                    return outcome
                tournament = await self._changes.tournament(tournament.id)
        return await self._refresh(tournament)

    async def _refresh(self, tournament: Tournament) -> Delivered:
        await self._rate.wait()
        return await self._display.refresh(tournament)

    async def _open_boards(self, tournament: Tournament) -> bool:
        """Post the boards that are missing; False if one could not be posted."""
        has_all = True
        for pairing in tournament.pairings:
            if pairing.match_id is None or pairing.is_settled or pairing.message_id is not None:
                continue
            if all(seat.is_agent for seat in tournament.seats(pairing)):
                continue
            await self._rate.wait()
            match = await self._display.open_board(await self._changes.match(pairing.match_id))
            has_all = has_all and match.location.message_id is not None
        return has_all

    async def _announce(
        self,
        tournament: Tournament,
        number: int,
        post: Callable[[Tournament], Awaitable[int | Delivered]],
    ) -> Delivered:
        await self._rate.wait(2)  # besides the new message, the one before it is edited
        sent = await post(tournament)
        if isinstance(sent, Delivered):
            return sent
        await self._changes.of_tournament(tournament.id, lambda before: before.announce(number, sent))
        return Delivered.DELIVERED
