"""Standings: /leaderboard and /profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import discord
from discord import app_commands

from bot.commands.options import GAME_CHOICES, Command, check_game
from bot.errors import SetupError
from bot.i18n import say
from bot.ui.press import place_text
from bot.ui.standings import leaderboard_view, profile_view

if TYPE_CHECKING:
    from bot.app import Discade

MOST_PAGES = 999_999

SCOPES = ("server", "everywhere")
BOARDS = ("people", "agents")


@app_commands.command(name="leaderboard", description=say("command_leaderboard"))
@app_commands.describe(
    game=say("option_game"), scope=say("option_scope"), players=say("option_players"), page=say("option_page")
)
@app_commands.choices(
    game=GAME_CHOICES,
    scope=[app_commands.Choice(name=say(f"choice_{scope}"), value=scope) for scope in SCOPES],
    players=[app_commands.Choice(name=say(f"choice_{players}"), value=players) for players in BOARDS],
)
async def leaderboard(
    press: discord.Interaction[Discade],
    game: str,
    scope: str | None = None,
    players: str = "people",
    page: app_commands.Range[int, 1, MOST_PAGES] = 1,
) -> None:
    if players not in BOARDS:
        raise SetupError("unknown_choice", choice=players)
    found = await press.client.service.standings.leaderboard(
        check_game(game),
        guild_id=_guild_of(press, scope),
        agents=players == "agents",
        page=page,
        user_id=press.user.id,
    )
    await press.response.send_message(view=leaderboard_view(found, place_text(press), press.user.id))


@app_commands.command(name="profile", description=say("command_profile"))
@app_commands.describe(person=say("option_person"), scope=say("option_scope"))
@app_commands.choices(
    scope=[app_commands.Choice(name=say(f"choice_{scope}"), value=scope) for scope in SCOPES]
)
async def profile(
    press: discord.Interaction[Discade], person: discord.User | None = None, scope: str | None = None
) -> None:
    whose = person or press.user
    if whose.bot:
        raise SetupError("bot_profile")
    guild_id = _guild_of(press, scope)
    found = await press.client.service.standings.profile(whose.id, guild_id=guild_id, name=whose.display_name)
    if whose.id != press.user.id:
        # What somebody played elsewhere is not everybody's business here.
        here = press.guild_id or 0
        found = replace(found, recent=tuple(match for match in found.recent if match.place.guild_id == here))
    view = profile_view(found, place_text(press), is_here=guild_id is not None)
    await press.response.send_message(view=view)


def _guild_of(press: discord.Interaction[Discade], scope: str | None) -> int | None:
    """The server that is meant, or None for everywhere; servers come first where there is one."""
    if scope is not None and scope not in SCOPES:
        raise SetupError("unknown_choice", choice=scope)
    if scope == "server" and press.guild_id is None:
        raise SetupError("no_server_here")
    return None if scope == "everywhere" else press.guild_id


COMMANDS: tuple[Command, ...] = (leaderboard, profile)
