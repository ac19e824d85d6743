"""The message that stays in a channel and starts games, and its buttons."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.presentation import names
from bot.services.ports import Delivered
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.layout import box, custom_ids, lines
from bot.ui.routing import route
from bot.ui.server_notices import ServerTexts
from engine.games import GAMES

log = logging.getLogger(__name__)

MAX_SEARCHED = 50
"""Messages of the channel that are searched for one whose id was lost."""

OPEN = route("so")
"""Opens a start panel for the person that presses it."""

HERE = route("sp")
"""As OPEN, under the permanent message, which is found by it."""

TODAY = route("sd")
"""Opens today's puzzle for the person that presses it."""

COMMANDS = route("sh")
"""Shows the list of all commands."""


def play_here_view(t: Text) -> ui.LayoutView:
    """The message; its button opens a start panel for each person that presses it."""
    return box(
        lines(f"### {t('play_here_title')}", t("play_here", games=game_titles(t))),
        ui.ActionRow(*start_buttons(t, HERE())),
    )


def start_buttons(t: Text, play_id: str | None = None) -> list[ui.Button[Any]]:
    """Buttons that open the start panel, the daily puzzle and the list of commands.

    play_id: the custom_id of the first.
    """
    return [
        ui.Button(label=t("button_play"), style=discord.ButtonStyle.success, custom_id=play_id or OPEN()),
        ui.Button(label=t("button_daily"), emoji="🧩", custom_id=TODAY()),
        ui.Button(label=t("button_commands"), custom_id=COMMANDS()),
    ]


def game_titles(t: Text) -> str:
    """The titles of all games as one list."""
    return t.listed(names.game_title(t, key) for key in GAMES)


class PlayHere:
    """Sends, edits and deletes the message with the bot's own token."""

    def __init__(self, client: discord.Client, texts: ServerTexts) -> None:
        self._client = client
        self._texts = texts

    async def find(self, guild_id: int, channel_id: int) -> int | Delivered | None:
        """Find the message among the last ones of the channel; an outcome if the search failed."""
        try:
            async for message in self._channel(guild_id, channel_id).history(limit=MAX_SEARCHED):
                if message.author == self._client.user and HERE() in custom_ids(message):
                    await self._pin(message)
                    return message.id
        except discord.Forbidden:
            return None
        except DISCORD_ERRORS as error:
            return self._failed(guild_id, error)
        return None

    async def post(self, guild_id: int, channel_id: int) -> int | Delivered:
        """Send the message and pin it if the bot may: its id, or why there is none."""
        guild = self._client.get_guild(guild_id)
        if guild is None or guild.unavailable:
            return self._outside(guild)
        view = play_here_view(self._texts.of(guild))
        try:
            message = await self._channel(guild_id, channel_id).send(view=view)
        except DISCORD_ERRORS as error:
            return self._failed(guild_id, error)
        await self._pin(message)
        return message.id

    async def edit(self, guild_id: int, channel_id: int, message_id: int) -> Delivered:
        """Write it anew in the server's language."""
        guild = self._client.get_guild(guild_id)
        if guild is None or guild.unavailable:
            return self._outside(guild)
        message = self._channel(guild_id, channel_id).get_partial_message(message_id)
        try:
            await message.edit(view=play_here_view(self._texts.of(guild)))
        except DISCORD_ERRORS as error:
            return self._failed(guild_id, error)
        return Delivered.DELIVERED

    async def delete(self, channel_id: int, message_id: int) -> None:
        """Delete the message if it still exists; raises Discord's errors that may pass."""
        try:
            await self._client.get_partial_messageable(channel_id).get_partial_message(message_id).delete()
        except discord.NotFound:
            log.debug("start message in channel %d already deleted", channel_id)
        except discord.Forbidden as error:
            log.info("start message in channel %d not deleted: %s", channel_id, error)

    async def _pin(self, message: discord.Message) -> None:
        if message.pinned or message.guild is None:
            return
        if message.channel.permissions_for(message.guild.me).pin_messages:
            try:
                await message.pin()
            except DISCORD_ERRORS as error:
                log.info("start message in channel %d not pinned: %s", message.channel.id, error)

    def _channel(self, guild_id: int, channel_id: int) -> discord.PartialMessageable:
        return self._client.get_partial_messageable(channel_id, guild_id=guild_id)

    def _outside(self, guild: discord.Guild | None) -> Delivered:
        """Until the connection is ready, the bot does not know which servers it is in."""
        return Delivered.GONE if guild is None and self._client.is_ready() else Delivered.MESSAGE_REFUSED

    def _failed(self, guild_id: int, error: Exception) -> Delivered:
        log.info("server %d: its start message could not be shown: %r", guild_id, error)
        return classify(error)
