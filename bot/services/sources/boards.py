"""Boards that do not show their match."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from bot.domain.match import Match, StaleBoard
from bot.services.changes import Changes
from bot.services.ports import Delivered, Display
from bot.services.reconciler import Delivery
from bot.services.shown_versions import ShownVersions
from bot.store.stores import Stores

log = logging.getLogger(__name__)

GRACE_SECONDS = 1.5
"""How long the code that changed a match has to display it itself."""

UNSENT_GRACE_SECONDS = 15.0
"""How long the code that began a match has to send its board."""

FINISHED_GIVEN_UP_AFTER = timedelta(days=1)
"""How long the end of a match is worth displaying where Discord refuses it."""


class Boards:
    """The messages of matches."""

    name: Final = "board of match"
    idle_seconds: Final = 5.0

    def __init__(self, stores: Stores, display: Display, changes: Changes, versions: ShownVersions) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._versions = versions

    async def stale(self, limit: int) -> Sequence[Delivery[StaleBoard]]:
        """Latest first, since their players are the likeliest to be waiting."""
        return [_delivery(board) for board in await self._stores.shown.stale_boards(limit)]

    async def deliver(self, delivery: Delivery[StaleBoard]) -> Delivered:
        match = await self._stores.matches.find(delivery.item.match_id)
        if match is None:
            await self.give_up(delivery)
            return Delivered.DELIVERED
        log.info("match %d: its board is stale and is brought up to date", match.id)
        if match.location.message_id is None and match.version == 0:
            match = await self._on_its_invitation(match)
        outcome = await self._display.recover(match)
        is_past = match.is_over and self._changes.now() - match.touched_at > FINISHED_GIVEN_UP_AFTER
        if is_past and outcome is not Delivered.DELIVERED:
            self._versions.board(match.id, match.version)
        return outcome

    async def give_up(self, delivery: Delivery[StaleBoard]) -> None:
        self._versions.board(delivery.item.match_id, delivery.version)

    async def _on_its_invitation(self, match: Match) -> Match:
        """Put the first board on the message of the invitation, which would otherwise keep inviting.

        After a start both are stale at once, so neither source may leave it to the other.
        """
        challenge = await self._stores.challenges.of_match(match.id)
        if challenge is None or challenge.location.message_id is None:
            return match
        if challenge.location.channel_id != match.location.channel_id:
            return match  # the board goes to a thread of its own
        return await self._changes.attach(match.id, challenge.location)


def _delivery(board: StaleBoard) -> Delivery[StaleBoard]:
    if board.message_id is not None:
        return Delivery(board.match_id, board, board.channel_id, board.version, GRACE_SECONDS)
    # A board without a known message is searched for, sent, and noted: three requests.
    return Delivery(board.match_id, board, board.channel_id, board.version, UNSENT_GRACE_SECONDS, requests=3)
