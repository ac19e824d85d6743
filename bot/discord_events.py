"""DiscordEvents: Discord's events about servers, channels and messages, handed to the parts they concern."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial

import discord
from discord.ext import commands

from bot.parts import Parts
from bot.services.outgoing import Sender
from bot.services.reconciler import Reconciler
from bot.services.sources.boards import FINISHED_GIVEN_UP_AFTER
from bot.ui.client import Client
from bot.ui.debounce import Debouncer
from bot.ui.match.lost_channels import LostChannels
from bot.ui.panel.welcome import Welcomer

TOURNAMENT_RETURNS_AFTER = timedelta(minutes=1)
"""How often a deleted message of a tournament is sent again; people who delete it more often mean it."""


class DiscordEvents(commands.Cog):
    """One per client."""

    def __init__(
        self,
        client: Client,
        parts: Parts,
        reconciler: Reconciler,
        lost_channels: LostChannels,
        senders: Sequence[Sender],
        welcomer: Welcomer,
    ) -> None:
        self._client = client
        self._parts = parts
        self._reconciler = reconciler
        self._lost_channels = lost_channels
        self._senders = senders
        self._welcomer = welcomer
        self._replaced = Debouncer(parts.clock, TOURNAMENT_RETURNS_AFTER)

    @commands.Cog.listener()
    async def on_guild_channel_update(
        self, _before: discord.abc.GuildChannel, after: discord.abc.GuildChannel
    ) -> None:
        """Retry at once where the bot may write again."""
        self._reconciler.wake([after.id, *(thread.id for thread in getattr(after, "threads", ()))])

    @commands.Cog.listener()
    async def on_thread_update(self, _before: discord.Thread, after: discord.Thread) -> None:
        self._reconciler.wake([after.id])

    @commands.Cog.listener()
    async def on_thread_remove(self, gone: discord.Thread) -> None:
        """Discord lists it no more to a bot that can see its channel again: it is deleted or archived."""
        self._lost_channels.search_again(gone.guild.id)

    @commands.Cog.listener()
    async def on_raw_thread_delete(self, gone: discord.RawThreadDeleteEvent) -> None:
        await self._parts.retries.run(
            ("leaving thread", gone.thread_id),
            lambda: self._lost_channels.leave_thread(gone.thread_id, gone.parent_id),
        )

    @commands.Cog.listener()
    async def on_guild_channel_delete(self, gone: discord.abc.GuildChannel) -> None:
        """Its threads are gone with it, of which Discord tells nothing."""
        await self._parts.retries.run(
            ("losing channel", gone.id), lambda: self._lost_channels.lose_channel(gone.id)
        )
        await self._parts.retries.run(
            ("moving tournaments", gone.guild.id),
            lambda: self._client.services.tournaments.look_at_channels(gone.guild.id),
        )

    @commands.Cog.listener()
    async def on_raw_message_delete(self, gone: discord.RawMessageDeleteEvent) -> None:
        await self._on_deleted(gone.channel_id, (gone.message_id,))

    @commands.Cog.listener()
    async def on_raw_bulk_message_delete(self, gone: discord.RawBulkMessageDeleteEvent) -> None:
        await self._on_deleted(gone.channel_id, gone.message_ids)

    @commands.Cog.listener()
    async def on_guild_role_update(self, before: discord.Role, after: discord.Role) -> None:
        if before.permissions != after.permissions:
            self._retry_in(after.guild)

    @commands.Cog.listener()
    async def on_member_update(self, _before: discord.Member, after: discord.Member) -> None:
        """Discord sends this for the bot alone, for example when it is given a role."""
        if after == after.guild.me:
            self._retry_in(after.guild)

    @commands.Cog.listener()
    async def on_guild_join(self, guild: discord.Guild) -> None:
        self._retry_in(guild)
        await self._parts.retries.run(("coming back to", guild.id), lambda: self._come_back(guild.id))
        if self._parts.settings.greets:
            await self._parts.retries.run(("greeting", guild.id), lambda: self._welcomer.greet(guild))

    @commands.Cog.listener()
    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """Note that the bot was removed: links to boards there lead nowhere."""
        await self._parts.retries.run(
            ("leaving", guild.id),
            lambda: self._client.services.matches.note_server(guild.id, is_left=True),
        )

    @commands.Cog.listener()
    async def on_guild_available(self, guild: discord.Guild) -> None:
        self._retry_in(guild)

    async def _on_deleted(self, channel_id: int, message_ids: Collection[int]) -> None:
        """Send a tournament's or a Play message again that people have deleted; a board stays away."""
        client, gone = self._client, frozenset(message_ids)
        # Most events are of pings that the bot has deleted itself.
        if strange := client.display.pings_are_gone(gone):
            await self._parts.retries.run(
                ("losing boards", gone), partial(client.display.boards_are_gone, channel_id, strange)
            )
        for tournament_id in client.tournament_display.shown_by(gone):
            with self._replaced.attempt(tournament_id) as is_first:
                if is_first:
                    client.tournament_display.is_gone(tournament_id)
                    client.services.tournaments.messages.forget(tournament_id)
                    self._reconciler.wake()
        for sender in self._senders:
            await self._parts.retries.run(("replacing", sender.name, gone), partial(sender.on_deleted, gone))

    async def _come_back(self, guild_id: int) -> None:
        """Display and ping again in a server that the bot was away from."""
        await self._client.services.matches.note_server(guild_id, is_left=False)
        since = self._parts.clock() - FINISHED_GIVEN_UP_AFTER
        await self._parts.stores.shown.doubt_in(guild_id, since)
        self._client.services.pings.doubt()
        self._client.services.tournaments.messages.doubt()
        self._reconciler.wake()

    def _retry_in(self, guild: discord.Guild) -> None:
        """Retry whatever failed in this server, since the bot may have got permissions."""
        self._lost_channels.search_again(guild.id)
        self._reconciler.wake((guild.id, *(place.id for place in (*guild.channels, *guild.threads))))
