"""The slash commands and context menus, one file for each group."""

from __future__ import annotations

from bot.commands import help as help_commands
from bot.commands import match, people, play, puzzle, review, settings, tournament
from bot.commands.options import Command
from bot.ui.client import Client
from bot.ui.error_replies import on_command_error

COMMANDS: tuple[Command, ...] = (
    *play.COMMANDS,
    *match.COMMANDS,
    *review.COMMANDS,
    *people.COMMANDS,
    *puzzle.COMMANDS,
    *tournament.COMMANDS,
    *settings.COMMANDS,
    *help_commands.COMMANDS,
)
"""All slash commands and context menus."""


def add_commands(bot: Client) -> None:
    """Add the commands to the bot and set their error handler."""
    for command in COMMANDS:
        bot.tree.add_command(command)
    bot.tree.error(on_command_error)
