"""Help: /rules with a picture, /help, /ping."""

from __future__ import annotations

import io
import math
from functools import partial

import discord
from discord import app_commands

from bot.commands.options import GAME_CHOICES, Command, check_game
from bot.i18n import Text
from bot.presentation import names
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.ui.answers import reply, respond
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text
from bot.ui.layout import box, gallery, lines
from bot.ui.start.handlers import show_help
from bot.ui.translator import say
from engine.games import spec_of


@app_commands.command(name="rules", description=say("command_rules"))
@app_commands.describe(game=say("option_game"))
@app_commands.choices(game=GAME_CHOICES)
async def rules(interaction: Interaction, game: str) -> None:
    t = own_text(interaction)
    shown = example(check_game(game))
    look = own_look(interaction)
    png = await interaction.client.ui.pictures.get(
        ("rules", game, look), partial(draw_picture, game, shown.state, shown.marks, look)
    )
    picture = discord.File(io.BytesIO(png), "rules.png")
    title = names.game_title(t, game)
    described = t(f"picture_{game}") if f"picture_{game}" in t else title
    told = t(f"rules_{game}") if f"rules_{game}" in t else spec_of(game).play.about
    view = box(lines(f"### {title}", told), gallery(picture, described=described))
    await respond(interaction, view, file=picture)


@app_commands.command(name="help", description=say("command_help"))
async def help_(interaction: Interaction) -> None:
    await show_help(interaction)


@app_commands.command(name="ping", description=say("command_ping"))
async def ping(interaction: Interaction) -> None:
    await reply(interaction, _pong(own_text(interaction), interaction.client.latency))


def _pong(t: Text, latency_seconds: float) -> str:
    """The gateway's delay, which is unknown before the first heartbeat."""
    if not math.isfinite(latency_seconds):
        return t("pong_new")
    return t("pong", n=round(latency_seconds * 1000))


COMMANDS: tuple[Command, ...] = (rules, help_, ping)
