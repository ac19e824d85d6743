"""Help: /rules with a picture, /help with commands to click, /ping."""

from __future__ import annotations

import asyncio
import io
import math
from typing import Any

import discord
from discord import app_commands, ui
from discord.app_commands import AppCommandGroup

from bot.commands.options import GAME_CHOICES, Command, check_game
from bot.i18n import Text, say
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.ui import formatting
from bot.ui.client import Client, Interaction
from bot.ui.context import own_look, own_text
from bot.ui.layout import box, lines
from engine.games import spec_of

HELP_GROUPS = {
    "help_start": ("play", "challenge", "watch"),
    "help_match": ("move", "board", "draw", "undo", "resign", "games"),
    "help_learn": ("hint", "analyze", "replay", "explain", "puzzle play"),
    "help_standings": ("leaderboard", "profile", "achievements", "tournament create"),
    "help_care": ("preferences", "settings", "privacy", "my-data export"),
    "help_more": ("rules", "help", "ping"),
}


@app_commands.command(name="rules", description=say("command_rules"))
@app_commands.describe(game=say("option_game"))
@app_commands.choices(game=GAME_CHOICES)
async def rules(interaction: Interaction, game: str) -> None:
    t = own_text(interaction)
    shown = example(check_game(game))
    png = await asyncio.to_thread(draw_picture, game, shown.state, shown.marks, own_look(interaction))
    picture = discord.File(io.BytesIO(png), "rules.png")
    title = formatting.game_title(t, game)
    described = t(f"picture_{game}") if f"picture_{game}" in t else title
    told = t(f"rules_{game}") if f"rules_{game}" in t else spec_of(game).about
    gallery: ui.MediaGallery[Any] = ui.MediaGallery(discord.MediaGalleryItem(picture, description=described))
    view = box(lines(f"### {title}", told), gallery)
    await interaction.response.send_message(view=view, file=picture, ephemeral=True)


@app_commands.command(name="help", description=say("command_help"))
async def show_help(interaction: Interaction) -> None:
    t = own_text(interaction)
    links = await _command_links(interaction.client)
    parts = [lines(t("help_welcome"))]
    for heading, names in HELP_GROUPS.items():
        parts.append(
            lines(
                f"**{t(heading)}**",
                *(f"{links[name]} {t('command_' + name.replace(' ', '_'))}" for name in names),
            )
        )
    parts.append(lines(f"**{t('help_board')}**", t("help_legend")))
    await interaction.response.send_message(view=box(*parts), ephemeral=True)


@app_commands.command(name="ping", description=say("command_ping"))
async def ping(interaction: Interaction) -> None:
    await interaction.response.send_message(
        _pong(own_text(interaction), interaction.client.latency), ephemeral=True
    )


def _pong(t: Text, latency_seconds: float) -> str:
    """The gateway's delay; there is none before the first heartbeat was answered."""
    if not math.isfinite(latency_seconds):
        return t("pong_new")
    return t("pong", n=round(latency_seconds * 1000))


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


COMMANDS: tuple[Command, ...] = (rules, show_help, ping)
