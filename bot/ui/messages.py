"""Messages: sends, edits, finds and deletes the bot's messages, and tells why it cannot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import discord
from discord import ui

from bot.domain.outgoing import Place
from bot.services.ports import Delivered, NotDelivered
from bot.ui.board import pictures_of
from bot.ui.client import PressTokens
from bot.ui.discord_errors import DISCORD_ERRORS, classify, find_own

log = logging.getLogger(__name__)

LONGEST_NONCE = 25
"""Discord's limit. By its nonce a repeated request, after a lost answer, makes no second message."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message consists of: a view or a text.

    mentions: whom it notifies. reply_to: an earlier message of the channel, which may be gone. is_pinned:
    it is pinned where the bot may do that.
    """

    view: ui.LayoutView | None = None
    text: str | None = None
    mentions: discord.AllowedMentions | None = None
    reply_to: int | None = None
    is_pinned: bool = False


class Messages:
    """The messages of one client. Its methods raise NotDelivered where Discord or the network refuses."""

    def __init__(self, client: discord.Client, presses: PressTokens) -> None:
        self._client = client
        self._presses = presses

    def problem(self, guild_id: int | None) -> Delivered | None:
        """Return why nothing can be done in the server, None if nothing is known.

        GONE: the bot is no member. Until the connection is ready it does not know which servers it is in.
        """
        if guild_id is None:
            return None
        guild = self._client.get_guild(guild_id)
        if guild is None:
            return Delivered.GONE if self._client.is_ready() else Delivered.MESSAGE_REFUSED
        return Delivered.MESSAGE_REFUSED if guild.unavailable else None

    def check(self, place: Place) -> None:
        """Raise NotDelivered if nothing can be done in the server of that place."""
        problem = self.problem(place.guild_id)
        if problem is not None:
            raise NotDelivered(problem, f"server {place.guild_id} is missing")

    async def send(self, place: Place, content: Content, nonce: str) -> int:
        """Send a new message and return its id."""
        channel, options = self._channel(place), self._options(content)
        if content.view is not None:
            options |= {"view": content.view, "files": await pictures_of(content.view)}
        if content.reply_to is not None:
            earlier = channel.get_partial_message(content.reply_to)
            options["reference"] = earlier.to_reference(fail_if_not_exists=False)
            options["mention_author"] = False
        with self._refusals(place):
            sent = await channel.send(content.text, nonce=nonce[:LONGEST_NONCE], **options)
        if content.is_pinned:
            await self._pin(sent)
        return sent.id

    async def edit(self, place: Place, message_id: int, content: Content) -> None:
        """Edit a message, by its newest press if that works: Discord counts those edits for each press."""
        options = self._options(content)
        if content.text is not None:
            options["content"] = content.text
        if content.view is not None:
            options |= {"view": content.view, "attachments": await pictures_of(content.view)}
        try:
            if await self._presses.edit(message_id, **options):
                return
        except DISCORD_ERRORS as error:
            log.info("message %d could not be edited through its last press: %r", message_id, error)
            for picture in options.get("attachments", ()):
                picture.reset()
        with self._refusals(place):
            await self._channel(place).get_partial_message(message_id).edit(**options)

    async def find(
        self, place: Place, since: datetime, is_meant: Callable[[discord.Message], bool]
    ) -> int | None:
        """Return the latest own message since then for which `is_meant` holds.

        None if there is none, or the bot may not read the channel: then it is sent again.
        """
        try:
            with self._refusals(place):
                own = await find_own(self._client, place.channel_id, since, is_meant)
        except NotDelivered as refusal:
            if isinstance(refusal.__cause__, discord.Forbidden):
                log.info("channel %d cannot be searched: %s", place.channel_id, refusal)
                return None
            raise
        return own[-1].id if own else None

    async def delete(self, place: Place, message_id: int) -> None:
        """Delete a message; nothing happens if it is gone or the bot may not see it any more."""
        try:
            with self._refusals(place):
                await self._channel(place).get_partial_message(message_id).delete()
        except NotDelivered as refusal:
            if refusal.outcome not in (Delivered.GONE, Delivered.CHANNEL_REFUSED):
                raise
            log.info("message %d stays or is gone: %s", message_id, refusal)

    async def _pin(self, sent: discord.Message) -> None:
        if sent.guild is None or not sent.channel.permissions_for(sent.guild.me).pin_messages:
            return
        try:
            await sent.pin()
        except DISCORD_ERRORS as error:
            log.info("message %d not pinned: %s", sent.id, error)

    def _options(self, content: Content) -> dict[str, Any]:
        return {} if content.mentions is None else {"allowed_mentions": content.mentions}

    def _channel(self, place: Place) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)

    @contextmanager
    def _refusals(self, place: Place) -> Iterator[None]:
        """Raise NotDelivered for a server that is missing, and for the errors of Discord and the network."""
        self.check(place)
        try:
            yield
        except DISCORD_ERRORS as error:
            raise NotDelivered(classify(error), repr(error)) from error
