"""Invitations whose message does not show what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.domain.challenge import Challenge, ChallengeStatus
from bot.services.changes import Changes
from bot.services.ports import Delivered, Display
from bot.services.reconciler import Delivery
from bot.services.shown_versions import ShownVersions
from bot.services.sources.boards import GRACE_SECONDS, UNSENT_GRACE_SECONDS
from bot.store.stores import Stores


class Invitations:
    """The messages of challenges."""

    name: Final = "invitation"
    idle_seconds: Final = 5.0

    def __init__(self, stores: Stores, display: Display, changes: Changes, versions: ShownVersions) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._versions = versions

    async def stale(self, limit: int) -> Sequence[Delivery[Challenge]]:
        return [_delivery(challenge) for challenge in await self._stores.challenges.stale(limit)]

    async def deliver(self, delivery: Delivery[Challenge]) -> Delivered:
        challenge = delivery.item
        message_id = challenge.location.message_id
        if challenge.status is not ChallengeStatus.ACCEPTED or challenge.match_id is None:
            return await self._display.show_challenge(challenge)
        match = await self._stores.matches.find(challenge.match_id)
        if match is None:
            return await self._display.show_challenge(challenge)
        # The message of an accepted invitation becomes the board, or the line above the board's thread.
        is_board = match.location.message_id in (None, message_id)
        is_above_thread = match.location.channel_id == message_id
        if not is_board and not is_above_thread:
            return await self._display.show_challenge(challenge)
        is_unsent = match.location.message_id is None and match.version == 0
        if is_unsent and not is_above_thread and message_id is not None:
            match = await self._changes.attach(match.id, challenge.location)
            self._versions.invitation(challenge.id, challenge.version)
            return await self._display.show(match)
        self._versions.invitation(challenge.id, challenge.version)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[Challenge]) -> None:
        self._versions.invitation(delivery.item.id, delivery.version)


def _delivery(challenge: Challenge) -> Delivery[Challenge]:
    grace = UNSENT_GRACE_SECONDS if challenge.location.message_id is None else GRACE_SECONDS
    return Delivery(challenge.id, challenge, challenge.location.channel_id, challenge.version, grace)
