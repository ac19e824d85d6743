"""The slash commands and context menus: thin, one file for each group, all listed here."""

from __future__ import annotations

from bot.commands import help as help_commands
from bot.commands import learn, match, people, play, puzzle, settings, tournament
from bot.commands.options import Command
from bot.ui.client import Client
from bot.ui.error_replies import on_command_error

COMMANDS: tuple[Command, ...] = (
    *play.COMMANDS,
    *match.COMMANDS,
    *learn.COMMANDS,
    *people.COMMANDS,
    *puzzle.COMMANDS,
    *tournament.COMMANDS,
    *settings.COMMANDS,
    *help_commands.COMMANDS,
)
"""Everything that people can type or right-click."""


def add_commands(bot: Client) -> None:
    """Gives the bot its commands and tells it what to say when one fails."""
    for command in COMMANDS:
        bot.tree.add_command(command)
    bot.tree.error(on_command_error)
