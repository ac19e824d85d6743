"""Personal choices and data: /preferences, /settings and /my-data."""

from __future__ import annotations

from discord import app_commands

from bot.commands.options import Command, command
from bot.ui.client import Interaction
from bot.ui.settings.handlers import show_my_data, show_preferences, show_settings


@command("preferences")
async def preferences(interaction: Interaction) -> None:
    await show_preferences(interaction)


# Offered only where it can work: in a server with the bot as a member.
@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(manage_guild=True)
@command("settings")
async def settings(interaction: Interaction) -> None:
    await show_settings(interaction)


@command("my-data")
async def my_data(interaction: Interaction) -> None:
    await show_my_data(interaction)


COMMANDS: tuple[Command, ...] = (preferences, settings, my_data)
