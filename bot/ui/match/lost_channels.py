"""Deleted channels and threads of running matches: noticed, and left.

Discord does not report deletions to a bot that was away, so after a start every channel of which Discord has
not told the bot is fetched once, and those of one server when the bot can see it again. A deleted board alone
needs nothing: in a server only moderators can delete it, so it stays away until a player asks for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

import discord

from bot.domain.outgoing import Place
from bot.services.changes import Changes
from bot.services.ports import Delivered, RunningPlaces
from bot.services.reconciler import Delivery
from bot.ui.discord_errors import DISCORD_ERRORS, UNKNOWN_CHANNEL, classify, is_deleted
from bot.ui.match.display import MessageDisplay

log = logging.getLogger(__name__)

MAX_SERVERS = 100
"""Servers that one query asks for; beyond them it asks for all."""


class LostChannels:
    """One per client."""

    name: Final = "channel of matches"
    idle_seconds: Final = 5.0

    def __init__(
        self, client: discord.Client, store: RunningPlaces, changes: Changes, display: MessageDisplay
    ) -> None:
        self._client = client
        self._store = store
        self._changes = changes
        self._display = display
        self._unread: set[int | None] = {None}
        self._unknown: dict[int, Place] = {}
        self._leaving = asyncio.Lock()

    def search_again(self, guild_id: int | None = None) -> None:
        """Search that server, or all, for deleted channels that Discord may not have reported."""
        self._unread.add(guild_id)

    # As a source of the reconciler: a channel that the bot does not know is stale until it has been fetched

    async def stale(self, _limit: int) -> Sequence[Delivery[Place]]:
        if self._unread:
            await self._read()
        # Without a channel: where the bot may not read, it may write all the same.
        return [Delivery(key, place) for key, place in self._unknown.items()]

    async def deliver(self, delivery: Delivery[Place]) -> Delivered:
        place = delivery.item
        try:
            await self._client.fetch_channel(place.channel_id)
        except (*DISCORD_ERRORS, discord.InvalidData) as error:
            if classify(error) is Delivered.DISCORD_DOWN:
                return Delivered.DISCORD_DOWN
            if not is_deleted(error, UNKNOWN_CHANNEL):
                log.info("channel %d cannot be fetched: %r", place.channel_id, error)
            elif place.parent_id is None:
                await self.lose_channel(place.channel_id)
            else:
                await self.leave_thread(place.channel_id, place.parent_id)
        await self.give_up(delivery)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[Place]) -> None:
        self._unknown.pop(delivery.item.channel_id, None)

    async def _read(self) -> None:
        """Note the channels of which Discord has not told the bot, such as archived threads."""
        unread, self._unread = self._unread, set()
        guild_ids = {guild_id for guild_id in unread if guild_id is not None}
        try:
            # A long list of servers would make a longer query than all of them.
            is_all = None in unread or len(guild_ids) > MAX_SERVERS
            places = await self._store.running_places(None if is_all else guild_ids)
        except BaseException:
            self._unread |= unread
            raise
        for place in places:
            guild = self._client.get_guild(place.guild_id or 0)
            if guild is None or guild.unavailable:
                continue
            if guild.get_channel_or_thread(place.channel_id) is None:
                self._unknown[place.channel_id] = place

    # As Discord tells

    async def leave_thread(self, thread_id: int, parent_id: int) -> None:
        """Continue the matches of a deleted thread in the channel around it; raises Unavailable."""
        log.info("thread %d was deleted; its matches go on around it", thread_id)
        async with self._leaving:  # two at once would send every board twice
            for match in await self._changes.move_out(thread_id, parent_id):
                await self._display.open(match, note="thread_was_deleted")

    async def lose_channel(self, channel_id: int) -> None:
        """Move matches of a deleted channel to a mirror, or let their clocks stand; raises Unavailable."""
        await self._display.mirrors.replace_homes(channel_id)
        log.info("channel %d was deleted; the clocks of its matches stand", channel_id)
        await self._changes.lose_channel(channel_id)
