"""Personal choices and data: /preferences, /settings, /privacy and /my-data."""

from __future__ import annotations

from discord import app_commands

from bot.commands.options import Command
from bot.ui.client import Interaction
from bot.ui.settings.handlers import (
    ask_to_delete,
    send_export,
    show_preferences,
    show_privacy,
    show_settings,
)
from bot.ui.translator import say


@app_commands.command(name="preferences", description=say("command_preferences"))
async def preferences(interaction: Interaction) -> None:
    await show_preferences(interaction)


@app_commands.command(name="settings", description=say("command_settings"))
# Offered only where it can work: in a server with the bot as a member.
@app_commands.allowed_contexts(guilds=True, dms=False, private_channels=False)
@app_commands.allowed_installs(guilds=True, users=False)
@app_commands.default_permissions(manage_guild=True)
async def settings(interaction: Interaction) -> None:
    await show_settings(interaction)


@app_commands.command(name="privacy", description=say("command_privacy"))
async def privacy(interaction: Interaction) -> None:
    await show_privacy(interaction)


my_data = app_commands.Group(name="my-data", description=say("command_my-data"))


@my_data.command(name="export", description=say("command_my-data_export"))
async def export(interaction: Interaction) -> None:
    await send_export(interaction)


@my_data.command(name="delete", description=say("command_my-data_delete"))
async def delete(interaction: Interaction) -> None:
    await ask_to_delete(interaction)


COMMANDS: tuple[Command, ...] = (preferences, settings, privacy, my_data)
