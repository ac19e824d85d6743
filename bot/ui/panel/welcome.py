"""Greets servers that the bot has joined."""

from __future__ import annotations

import logging

import discord

from bot.domain.errors import Unavailable
from bot.domain.look import CLASSIC, OwnEmoji
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.panel.help_views import welcome_view
from bot.ui.permissions import may_post
from bot.ui.server_notices import ServerNotices, ServerTexts

log = logging.getLogger(__name__)


class Welcomer:
    """Greets each server once, even if the bot is added again."""

    def __init__(self, texts: ServerTexts, owners: ServerNotices, emoji: OwnEmoji) -> None:
        self._texts = texts
        self._owners = owners
        self._emoji = emoji

    async def greet(self, guild: discord.Guild) -> None:
        """Greet the server in a channel, or else its owner; raises Unavailable alone."""
        try:
            if not await self._owners.is_first(guild, "greeted"):
                return
            channel, look = greeting_channel(guild), CLASSIC.written_in(self._emoji)
            if channel is not None:
                await channel.send(view=welcome_view(self._texts.of(guild), look))
            else:
                owner_text = self._texts.for_owner(guild)
                await self._owners.send_to_owner(guild, view=welcome_view(owner_text, look))
        except DISCORD_ERRORS as error:
            log.info("server %d not greeted: %s", guild.id, error)
        except Unavailable:
            raise
        except Exception:
            log.exception("server %d not greeted", guild.id)


def greeting_channel(guild: discord.Guild) -> discord.TextChannel | None:
    """Return the server's channel for system messages, or the first one where the bot may write."""
    first = [] if guild.system_channel is None else [guild.system_channel]
    open_to_us = (channel for channel in (*first, *guild.text_channels) if may_post(channel))
    return next(open_to_us, None)
