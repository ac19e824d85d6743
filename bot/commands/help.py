"""Help: /help, with the rules of a game."""

from __future__ import annotations

from dataclasses import replace

from bot.commands.options import GAME, Command, check_game, command
from bot.ui.client import Interaction
from bot.ui.panel.handlers import show_help, show_rules


@command("help", replace(GAME, text="option_rules"))
async def help_(interaction: Interaction, game: str | None = None) -> None:
    if game is None:
        await show_help(interaction)
    else:
        await show_rules(interaction, check_game(game))


COMMANDS: tuple[Command, ...] = (help_,)
