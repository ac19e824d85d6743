"""Help: /rules with a picture, /help, /ping."""

from __future__ import annotations

import io
import math
from functools import partial

import discord

from bot.commands.options import Command, check_game, command
from bot.i18n import Text
from bot.presentation import names
from bot.presentation.examples import example
from bot.presentation.picture import draw_picture
from bot.ui.answers import reply, respond
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text
from bot.ui.layout import box, gallery, lines
from bot.ui.start.handlers import show_help
from engine.games import spec_of


@command("rules")
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


@command("help")
async def help_(interaction: Interaction) -> None:
    await show_help(interaction)


@command("ping")
async def ping(interaction: Interaction) -> None:
    await reply(interaction, _pong(own_text(interaction), interaction.client.latency))


def _pong(t: Text, latency_seconds: float) -> str:
    """The gateway's delay, which is unknown before the first heartbeat."""
    if not math.isfinite(latency_seconds):
        return t("pong_new")
    return t("pong", n=round(latency_seconds * 1000))


COMMANDS: tuple[Command, ...] = (rules, help_, ping)
