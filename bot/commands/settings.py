"""Personal choices and data: /preferences, /settings, /privacy and /my-data."""

from __future__ import annotations

from discord import app_commands

from bot.commands.options import Command, command
from bot.ui.client import Interaction
from bot.ui.settings.handlers import (
    ask_to_delete,
    send_export,
    show_preferences,
    show_privacy,
    show_settings,
)
from bot.ui.translator import say


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


@command("privacy")
async def privacy(interaction: Interaction) -> None:
    await show_privacy(interaction)


my_data = app_commands.Group(name="my-data", description=say("command_my-data"))


@command("export", group=my_data)
async def export(interaction: Interaction) -> None:
    await send_export(interaction)


@command("delete", group=my_data)
async def delete(interaction: Interaction) -> None:
    await ask_to_delete(interaction)


COMMANDS: tuple[Command, ...] = (preferences, settings, privacy, my_data)
