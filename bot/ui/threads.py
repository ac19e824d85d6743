"""Threads for boards: made from a message in the channel, and closed after the match.

A thread has the id of the message that it was made from. So a place whose channel and message have the same
id is that message, in the channel around the thread.
"""

from __future__ import annotations

import logging
from typing import Final, Literal

import discord
from discord import ui

from bot.domain.location import Channel
from bot.domain.outgoing import Place
from bot.domain.preferences import Threads
from bot.services.background import Background
from bot.services.ports import NotDelivered
from bot.services.settings import SettingsCache
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.messages import Content, Messages
from bot.ui.permissions import may_open_threads
from bot.ui.server_notices import ServerNotices

log = logging.getLogger(__name__)

RUNNING_MINUTES: Final = 10_080
"""Minutes of silence after which Discord closes the thread of a running match: an abandoned match ends after
the same seven days."""

FINISHED_MINUTES: Final = 60
"""The same after the match; until then rematches and reviews are pressed in the thread."""

MAX_NAME = 100

ALREADY_OPEN = 160004
"""Discord's code: "A thread has already been created for this message"."""


class BoardThreads:
    """Makes and closes the threads of one client."""

    def __init__(
        self,
        client: discord.Client,
        messages: Messages,
        settings_cache: SettingsCache,
        owners: ServerNotices,
        background: Background,
    ) -> None:
        self._client = client
        self._messages = messages
        self._settings_cache = settings_cache
        self._owners = owners
        self._background = background
        self._silences: dict[int, Literal[60, 10080]] = {}

    async def may_open(self, place: Channel, *wanted: Threads) -> bool:
        """Return whether the server wants a thread there and Discord allows one.

        Where only a permission is missing, the server's owner is told, once.
        """
        guild = self._client.get_guild(place.guild_id or 0)
        channel = None if guild is None else guild.get_channel(place.channel_id)
        if self._settings_cache.server(place.guild_id).threads not in wanted:
            return False
        if guild is None or not isinstance(channel, discord.TextChannel):
            return False
        if not may_open_threads(channel):
            told = "owner_told_of_threads"
            await self._owners.tell_owner_once(guild, "no_threads", told, channel=channel.mention)
            return False
        return True

    async def open(self, place: Channel, name: str) -> int | None:
        """Make a thread from the message in that place and return its id; None where Discord refuses."""
        channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        message = channel.get_partial_message(place.message_id or 0)
        try:
            thread = await message.create_thread(name=name[:MAX_NAME], auto_archive_duration=RUNNING_MINUTES)
        except discord.HTTPException as error:
            if error.code == ALREADY_OPEN:
                return message.id
            log.warning("no thread made in channel %d: %r", place.channel_id, error)
            return None
        except DISCORD_ERRORS as error:
            log.warning("no thread made in channel %d: %r", place.channel_id, error)
            return None
        return thread.id

    async def own(self, place: Channel) -> discord.Thread | None:
        """Return the thread of the place, if the bot has made it."""
        guild = self._client.get_guild(place.guild_id or 0)
        if guild is None or guild.get_channel(place.channel_id) is not None:
            return None
        channel: object = guild.get_thread(place.channel_id)
        if channel is None:
            # An archived thread is not among those that discord.py keeps.
            try:
                channel = await self._client.fetch_channel(place.channel_id)
            except (*DISCORD_ERRORS, discord.InvalidData) as error:
                log.info("channel %d cannot be fetched: %r", place.channel_id, error)
        user_id = None if self._client.user is None else self._client.user.id
        return channel if isinstance(channel, discord.Thread) and channel.owner_id == user_id else None

    async def keep_open(self, place: Channel) -> None:
        """Reset the silence after which a thread of ours closes, for a new match in it."""
        self._last(await self.own(place), RUNNING_MINUTES)

    async def wind_up(self, place: Channel, line: ui.LayoutView) -> None:
        """Show the result above the thread, and let Discord close it after an hour of silence."""
        thread = await self.own(place)
        if thread is not None and thread.auto_archive_duration != FINISHED_MINUTES:
            try:
                await self.say_above(thread, line)
            except NotDelivered as refusal:
                log.info("message above thread %d not edited: %s", thread.id, refusal)
            self._last(thread, FINISHED_MINUTES)

    async def say_above(self, thread: discord.Thread, view: ui.LayoutView) -> None:
        """Edit the message that the thread was made from; raises NotDelivered."""
        await self._messages.edit(Place(thread.parent_id, thread.guild.id), thread.id, Content(view))

    def _last(self, thread: discord.Thread | None, minutes: Literal[60, 10080]) -> None:
        """Set the silence in the background, since a window can be minutes and the board is locked."""
        if thread is None:
            return
        is_being_set = thread.id in self._silences
        if is_being_set or thread.auto_archive_duration != minutes:
            self._silences[thread.id] = minutes
        if not is_being_set and thread.id in self._silences:
            self._background.spawn(self._set_silence(thread))

    async def _set_silence(self, thread: discord.Thread) -> None:
        """Set the newest wish, and once more if it has changed meanwhile."""
        minutes: int | None = None
        try:
            while minutes != (wanted := self._silences[thread.id]):
                minutes = wanted
                await thread.edit(auto_archive_duration=wanted)
        except DISCORD_ERRORS as error:
            log.info("closing of thread %d not set: %r", thread.id, error)
        finally:
            del self._silences[thread.id]


def is_above(place: Channel) -> bool:
    """Return whether the message is the one that the thread was made from."""
    return place.channel_id == place.message_id
