"""Messages that wait for people: a greeting where the bot is new, and one to play from that stays."""

from __future__ import annotations

import logging

import discord

from bot.domain.errors import Unavailable
from bot.i18n import Text
from bot.ui.owners import Owners
from bot.ui.refusals import UNREACHABLE
from bot.ui.server_texts import ServerTexts
from bot.ui.start.help import play_here_view, welcome_view

log = logging.getLogger(__name__)


class Welcomer:
    """Greets every server once, however often the bot is added to it."""

    def __init__(self, texts: ServerTexts, owners: Owners) -> None:
        self._texts = texts
        self._owners = owners

    async def greet(self, guild: discord.Guild) -> None:
        """Where the bot may write, else to whoever owns the server; raises Unavailable alone."""
        try:
            if not await self._owners.is_first(guild, "greeted"):
                return
            channel = greeting_channel(guild)
            if channel is not None:
                await channel.send(view=welcome_view(self._texts.of(guild)))
            else:
                await self._owners.send(guild, view=welcome_view(self._texts.for_owner(guild)))
        except UNREACHABLE as error:
            log.info("server %d was not greeted: %s", guild.id, error)
        except Unavailable:
            raise
        except Exception:
            log.exception("server %d was not greeted", guild.id)


def greeting_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """The channel for such messages, or the first one in which the bot may write."""
    first = [] if guild.system_channel is None else [guild.system_channel]
    open_to_us = (channel for channel in (*first, *guild.text_channels) if may_post(channel))
    return next(open_to_us, None)


def may_post(channel: discord.abc.GuildChannel) -> bool:
    """Whether the bot may see the channel and send messages there."""
    allowed = channel.permissions_for(channel.guild.me)
    return allowed.view_channel and allowed.send_messages


async def post_to_play_from(channel: discord.TextChannel, t: Text) -> int:
    """Sends the message that stays, pinned where the bot may pin; raises what Discord raises."""
    message = await channel.send(view=play_here_view(t))
    if channel.permissions_for(channel.guild.me).pin_messages:
        try:
            await message.pin()
        except UNREACHABLE as error:
            log.info("the message to play from in channel %d is not pinned: %s", channel.id, error)
    return message.id


async def take_away(client: discord.Client, channel_id: int, message_id: int) -> None:
    """Deletes the message that stood there before; one that is gone needs nothing."""
    try:
        await client.get_partial_messageable(channel_id).get_partial_message(message_id).delete()
    except discord.NotFound:
        log.debug("the old message to play from is gone already")
    except UNREACHABLE as error:
        log.info("an old message to play from stays in channel %d: %s", channel_id, error)
