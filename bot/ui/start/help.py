"""Help: four lines and the buttons that lead on, the list of all commands, and the messages that greet."""

from __future__ import annotations

from typing import Any

import discord
from discord import ui
from discord.app_commands import AppCommandGroup

from bot.i18n import Text
from bot.ui import formatting
from bot.ui.client import Client, Interaction
from bot.ui.context import own_text
from bot.ui.layout import Item, box, lines
from bot.ui.start.routes import COMMANDS, OPEN, TODAY
from engine.games import GAMES

HELP_GROUPS = {
    "help_start": ("play", "challenge", "watch"),
    "help_match": ("move", "board", "draw", "undo", "resign", "games"),
    "help_learn": ("hint", "analyze", "replay", "explain", "puzzle play"),
    "help_standings": ("leaderboard", "profile", "achievements", "tournament create"),
    "help_care": ("preferences", "settings", "privacy", "my-data export"),
    "help_more": ("rules", "help", "ping"),
}


async def show_help(interaction: Interaction) -> None:
    """Answers with what a newcomer needs, and the way to the rest."""
    view = help_view(own_text(interaction))
    await interaction.response.send_message(view=view, ephemeral=True)


async def show_commands(interaction: Interaction) -> None:
    """Answers with every command, ready to be clicked."""
    t = own_text(interaction)
    links = await _command_links(interaction.client)
    parts: list[Item] = [
        lines(
            f"**{t(heading)}**",
            *(f"{links[name]} {t('command_' + name.replace(' ', '_'))}" for name in names),
        )
        for heading, names in HELP_GROUPS.items()
    ]
    parts.append(lines(f"**{t('help_board')}**", t("help_legend")))
    await interaction.response.send_message(view=box(*parts), ephemeral=True)


def help_view(t: Text) -> ui.LayoutView:
    """Four lines and three buttons."""
    said = (t("help_play"), t("help_friends"), t("help_learning"), t("help_yours"))
    return box(lines(f"### {t('help_title')}", *said), ui.ActionRow(*_buttons(t)))


def welcome_view(t: Text) -> ui.LayoutView:
    """What the bot says when it is new in a server; whoever reads it can play at once."""
    said = (t("welcome_hello", games=_games(t)), t("help_play"), f"-# {t('welcome_settings')}")
    return box(lines(f"### {t('welcome_title')}", *said), ui.ActionRow(*_buttons(t)))


def play_here_view(t: Text) -> ui.LayoutView:
    """A message that stays in a channel, and opens a panel for everybody who presses it."""
    return box(
        lines(f"### {t('play_here_title')}", t("play_here", games=_games(t))),
        ui.ActionRow(*_buttons(t)),
    )


def _buttons(t: Text) -> list[ui.Button[Any]]:
    return [
        ui.Button(label=t("button_play"), style=discord.ButtonStyle.success, custom_id=OPEN()),
        ui.Button(label=t("button_daily"), emoji="🧩", custom_id=TODAY()),
        ui.Button(label=t("button_commands"), custom_id=COMMANDS()),
    ]


def _games(t: Text) -> str:
    return ", ".join(formatting.game_title(t, key) for key in GAMES)


async def _command_links(bot: Client) -> dict[str, str]:
    """Each command by name, as Discord makes it clickable; asked anew, since a sync may change the ids."""
    known: dict[str, str] = {}
    try:
        for command in await bot.tree.fetch_commands():
            known[command.name] = command.mention
            for option in command.options:
                if isinstance(option, AppCommandGroup):
                    known[option.qualified_name] = option.mention
    except discord.HTTPException:
        known.clear()  # the names without links will do
    names = (name for group in HELP_GROUPS.values() for name in group)
    return {name: known.get(name, f"`/{name}`") for name in names}
