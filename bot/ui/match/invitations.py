"""InvitationMessages: the messages of invitations, as answers to interactions and by themselves."""

from __future__ import annotations

import asyncio
import logging
from weakref import WeakValueDictionary

import discord

from bot.domain.challenge import Challenge
from bot.domain.outgoing import place_of
from bot.services.changes import Changes
from bot.services.ports import Delivered, NotDelivered
from bot.services.shown_versions import ShownVersions
from bot.ui.answers import edit_pressed, respond_to_all
from bot.ui.client import Interaction
from bot.ui.layout import custom_ids, mentioning
from bot.ui.match.board_views import BoardViews
from bot.ui.match.routes import CHALLENGE
from bot.ui.messages import Content, Messages

log = logging.getLogger(__name__)


class InvitationMessages:
    """One per client. Lives on its event loop."""

    def __init__(
        self, messages: Messages, views: BoardViews, changes: Changes, versions: ShownVersions
    ) -> None:
        self._messages = messages
        self._views = views
        self._changes = changes
        self._versions = versions
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def show(self, challenge: Challenge) -> Delivered:
        """Make the invitation's message show what became of it; send an open one that has no message."""
        async with self._lock(challenge.id):
            if self._versions.has_shown_invitation(challenge.id, challenge.version):
                return Delivered.DELIVERED
            try:
                return await self._show(challenge)
            except NotDelivered as refusal:
                log.warning("invitation %d could not be displayed: %s", challenge.id, refusal)
                return refusal.outcome

    async def _show(self, challenge: Challenge) -> Delivered:
        place, message_id = place_of(challenge.location), challenge.location.message_id
        view = self._views.invitation(challenge)
        if challenge.is_open and message_id is None:
            content = Content(view, mentions=_mentions(challenge))
            await self._attach(challenge, await self._messages.send(place, content, f"c{challenge.id}"))
            return Delivered.DELIVERED
        if message_id is None:
            ids = (CHALLENGE(challenge.id, True), CHALLENGE(challenge.id, False))
            message_id = await self._messages.find(
                place, challenge.created_at, lambda message: not custom_ids(message).isdisjoint(ids)
            )
        if message_id is None:
            return Delivered.GONE
        await self._messages.edit(place, message_id, Content(view))
        self._versions.invitation(challenge.id, challenge.version)
        return Delivered.DELIVERED

    async def post(self, interaction: Interaction, challenge: Challenge) -> None:
        """Answer with an invitation, which notifies the person invited."""
        view = self._views.invitation(challenge)
        await self._attach(
            challenge, await respond_to_all(interaction, view, allowed_mentions=_mentions(challenge))
        )

    async def answer(self, interaction: Interaction, challenge: Challenge) -> None:
        """Acknowledge a press on an invitation by showing what became of it."""
        view = self._views.invitation(challenge)
        async with self._lock(challenge.id):
            await edit_pressed(interaction, view)
            self._versions.invitation(challenge.id, challenge.version)

    def _lock(self, challenge_id: int) -> asyncio.Lock:
        return self._locks.setdefault(challenge_id, asyncio.Lock())

    async def _attach(self, challenge: Challenge, message_id: int) -> None:
        attached = await self._changes.attach_challenge(challenge.id, message_id)
        if attached.version == challenge.version + 1:
            self._versions.invitation(challenge.id, attached.version)


def _mentions(challenge: Challenge) -> discord.AllowedMentions:
    """Notify the person invited, unless they are of another server."""
    opponent = challenge.opponent
    if opponent is None or opponent.user_id is None or challenge.is_table:
        return discord.AllowedMentions.none()
    return mentioning(opponent.user_id)
