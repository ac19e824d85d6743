"""The message that stays in a channel and starts games, and its buttons."""

from __future__ import annotations

import logging
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.presentation import names
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.routing import route
from engine.games import GAMES

log = logging.getLogger(__name__)

OPEN = route("so")
"""Opens a start panel for the person that presses it."""

TODAY = route("sd")
"""Opens today's puzzle for the person that presses it."""

COMMANDS = route("sh")
"""Shows the list of all commands."""


def play_here_view(t: Text) -> ui.LayoutView:
    """The message; its button opens a start panel for each person that presses it."""
    return box(
        lines(f"### {t('play_here_title')}", t("play_here", games=game_titles(t))),
        ui.ActionRow(*start_buttons(t)),
    )


def start_buttons(t: Text) -> list[ui.Button[Any]]:
    """Buttons that open the start panel, the daily puzzle and the list of commands."""
    return [
        ui.Button(label=t("button_play"), style=discord.ButtonStyle.success, custom_id=OPEN()),
        ui.Button(label=t("button_daily"), emoji="🧩", custom_id=TODAY()),
        ui.Button(label=t("button_commands"), custom_id=COMMANDS()),
    ]


def game_titles(t: Text) -> str:
    """The titles of all games as one list."""
    return t.listed(names.game_title(t, key) for key in GAMES)


async def post_play_here(channel: discord.TextChannel, t: Text) -> int:
    """Send the message, pin it if the bot may, and return its id; raises Discord's errors from sending."""
    message = await channel.send(view=play_here_view(t))
    if channel.permissions_for(channel.guild.me).pin_messages:
        try:
            await message.pin()
        except DISCORD_ERRORS as error:
            log.info("start message in channel %d not pinned: %s", channel.id, error)
    return message.id


async def remove_play_here(client: discord.Client, channel_id: int, message_id: int) -> None:
    """Delete an earlier start message, if it still exists."""
    try:
        await client.get_partial_messageable(channel_id).get_partial_message(message_id).delete()
    except discord.NotFound:
        log.debug("start message in channel %d already deleted", channel_id)
    except DISCORD_ERRORS as error:
        log.info("start message in channel %d not deleted: %s", channel_id, error)
