"""People: /leaderboard and /profile."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.commands.options import (
    Command,
    Option,
    check_known,
    choices,
    command,
    game_meant,
    guild_of,
    offered,
)
from bot.commands.puzzle import game_of_course
from bot.domain.errors import SetupError
from bot.domain.season import Season
from bot.presentation.award_texts import month
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import own_text
from bot.ui.people.handlers import show_achievements, show_guessers, show_leaderboard, show_profile
from bot.ui.puzzle import handlers as puzzles
from bot.ui.translator import say

MOST_PAGES = 999_999

RANKED = PEOPLE, BOTS, PUZZLES, STORM, STORM_TODAY, GUESSERS = (
    *("people", "bots", "puzzles"),
    *("storm", "storm_today", "guessers"),
)
"""The kinds of leaderboards."""

PAGES = RECORD, ACHIEVEMENTS = "record", "achievements"
"""The pages of a profile; achievements are shown in private."""


async def complete_season(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the server's seasons, the current one first."""
    if interaction.guild_id is None:
        return []
    t = own_text(interaction)
    game = getattr(interaction.namespace, "game", None)
    found = await interaction.client.services.standings.seasons(interaction.guild_id, game)
    return offered(((month(t, season), season.key) for season in found), typed)


@command(
    "leaderboard",
    Option("kind", "option_ranked", choices("ranked", RANKED)),
    Option("season", "option_season", complete=complete_season),
    Option("page", "option_page"),
    extras=IN_PUBLIC,
)
async def leaderboard(
    interaction: Interaction,
    game: str | None = None,
    kind: str = PEOPLE,
    scope: str | None = None,
    season: str | None = None,
    page: app_commands.Range[int, 1, MOST_PAGES] = 1,
) -> None:
    check_known(kind, RANKED)
    guild_id = guild_of(interaction, scope)
    if kind == PUZZLES:
        await puzzles.show_leaderboard(interaction, guild_id)
    elif kind in (STORM, STORM_TODAY):
        await puzzles.show_storms(interaction, guild_id, game_of_course(game), is_today=kind == STORM_TODAY)
    elif kind == GUESSERS:
        await show_guessers(interaction, _season_of(interaction, season), page)
    else:
        await show_leaderboard(
            interaction,
            game_meant(interaction, game),
            guild_id,
            agents=kind == BOTS,
            page=page,
            season=_season_of(interaction, season),
        )


@command(
    "profile",
    Option("person", "option_person"),
    Option("page", "option_profile_page", choices("profile_page", PAGES)),
    extras=IN_PUBLIC,
)
async def profile(
    interaction: Interaction,
    person: discord.User | None = None,
    scope: str | None = None,
    page: str = RECORD,
) -> None:
    check_known(page, PAGES)
    if page == ACHIEVEMENTS:
        await show_achievements(interaction, person or interaction.user)
    else:
        await show_profile(interaction, person or interaction.user, guild_id=guild_of(interaction, scope))


@app_commands.context_menu(name=say("menu_profile"))
async def profile_of_person(interaction: Interaction, person: discord.User) -> None:
    await show_profile(interaction, person, guild_id=interaction.guild_id, is_private=True)


def _season_of(interaction: Interaction, text: str | None) -> Season | None:
    """Parse a season such as `2026-11`; raises SetupError."""
    if text is None:
        return None
    found = Season.parse(text)
    if found is None:
        example = interaction.client.services.standings.season.key
        raise SetupError("unknown_season", season=text, example=example)
    return found


COMMANDS: tuple[Command, ...] = (leaderboard, profile, profile_of_person)
