"""Messages: sends, edits, finds and deletes the bot's messages, and tells why it cannot."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

import discord
from discord import ui

from bot.domain.outgoing import Place
from bot.services.ports import Delivered, NotDelivered
from bot.ui.board import pictures_of
from bot.ui.discord_errors import CLOCK_SLACK, DISCORD_ERRORS, classify

log = logging.getLogger(__name__)

SEARCHED = 1000
"""How many messages are searched for one whose id was lost; a request returns a hundred."""

LONGEST_NONCE = 25
"""Discord's limit. By its nonce a repeated request, after a lost answer, makes no second message."""


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a message: a view or a text.

    mentions: whom it notifies. reply_to: an earlier message of the channel, which may be gone. is_pinned:
    it is pinned where the bot may do that. file: sent besides the pictures of the view.
    """

    view: ui.LayoutView | None = None
    text: str | None = None
    mentions: discord.AllowedMentions | None = None
    reply_to: int | None = None
    is_pinned: bool = False
    file: discord.File | None = None


class PressEdits(Protocol):
    """Edits messages by the tokens of their presses."""

    async def edit(self, message_id: int | None, **content: Any) -> bool:
        """Edit the message; False if no press can do that. Raises the errors of Discord."""


class Messages:
    """The messages of one client. Its methods raise NotDelivered where Discord or the network refuses."""

    def __init__(
        self, client: discord.Client, presses: PressEdits, covers: Callable[[int], bool] = lambda _: True
    ) -> None:
        self._client = client
        self._covers = covers
        self._presses = presses

    def problem(self, guild_id: int | None) -> Delivered | None:
        """Return why nothing can be done in the server, None if nothing is known.

        GONE: the bot is no member. Until the connection is ready it does not know which servers it is in.
        """
        if guild_id is None:
            return None
        guild = self._client.get_guild(guild_id)
        if guild is None and self._client.is_ready() and not self._covers(guild_id):
            return None  # another process hears of it, and this one may write there all the same
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
        options = self._options(content)
        files = [] if content.file is None else [content.file]
        if content.view is not None:
            options |= {"view": content.view, "files": [*files, *await pictures_of(content.view)]}
        with self._refusals(place):
            channel = await self._channel(place)
            if content.reply_to is not None:
                earlier = channel.get_partial_message(content.reply_to)
                options["reference"] = earlier.to_reference(fail_if_not_exists=False)
                options["mention_author"] = False
            sent = await channel.send(content.text, nonce=nonce[:LONGEST_NONCE], **options)
        if content.is_pinned:
            await self._pin(sent)
        return sent.id

    async def edit(self, place: Place, message_id: int, content: Content) -> None:
        """Edit a message, by its newest press if that works: Discord counts those edits for each press."""
        if not await self.edit_by_press(message_id, content):
            with self._refusals(place):
                message = (await self._channel(place)).get_partial_message(message_id)
                await message.edit(**await self._changes(content))

    async def edit_by_press(self, message_id: int, content: Content) -> bool:
        """Edit a message by its newest press, also where the bot is no member; return whether it worked."""
        try:
            return await self._presses.edit(message_id, **await self._changes(content))
        except DISCORD_ERRORS as error:
            log.info("message %d could not be edited through its last press: %r", message_id, error)
            return False

    async def find(
        self, place: Place, since: datetime, is_meant: Callable[[discord.Message], bool]
    ) -> int | None:
        """Return the latest own message since then for which `is_meant` holds.

        None if there is none, or the bot may not read the channel: then it is sent again.
        """
        after = discord.Object(discord.utils.time_snowflake(since - CLOCK_SLACK))
        user_id, own = None if self._client.user is None else self._client.user.id, None
        try:
            with self._refusals(place):
                channel = await self._channel(place)
                history = channel.history(limit=SEARCHED, after=after, oldest_first=True)
                async for message in history:
                    if message.author.id == user_id and is_meant(message):
                        own = message.id
        except NotDelivered as refusal:
            if isinstance(refusal.__cause__, discord.Forbidden):
                log.info("channel %d cannot be searched: %s", place.channel_id, refusal)
                return None
            raise
        return own

    async def delete(self, place: Place, message_id: int, *, may_stay: bool = True) -> None:
        """Delete a message. may_stay: nothing is raised if it is gone or the bot may not see it any more."""
        try:
            with self._refusals(place):
                await (await self._channel(place)).get_partial_message(message_id).delete()
        except NotDelivered as refusal:
            if not may_stay or refusal.outcome not in (Delivered.GONE, Delivered.CHANNEL_REFUSED):
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

    async def _changes(self, content: Content) -> dict[str, Any]:
        """Return the changes of an edit, with files for one request."""
        options = self._options(content)
        if content.text is not None:
            options["content"] = content.text
        if content.view is not None:
            options |= {"view": content.view, "attachments": await pictures_of(content.view)}
        return options

    async def _channel(self, place: Place) -> discord.PartialMessageable | discord.DMChannel:
        if place.user_id is not None:
            return await self._client.create_dm(discord.Object(place.user_id))
        return self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)

    @contextmanager
    def _refusals(self, place: Place) -> Iterator[None]:
        """Raise NotDelivered for a server that is missing, and for the errors of Discord and the network."""
        self.check(place)
        try:
            yield
        except DISCORD_ERRORS as error:
            raise NotDelivered(classify(error), repr(error)) from error
