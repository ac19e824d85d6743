"""Handlers of leaderboards, profiles and achievements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.errors import NotFound, SetupError
from bot.domain.season import Season
from bot.i18n import Text
from bot.services.command_costs import Cost
from bot.services.leaderboards import Leaderboard, Profile
from bot.services.predictions import GuesserPage
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import check_scope, find_user, location_text, named, own_look, own_text, person_of, spend
from bot.ui.leaderboard_pages import turn_board
from bot.ui.people.achievement_views import achievements_view, earned_view
from bot.ui.people.leaderboard_views import ALL_TIME, guessers_view, leaderboard_view
from bot.ui.people.profile_views import profile_picture, profile_view
from bot.ui.play_here import OPEN
from bot.ui.routing import choice
from bot.ui.sharing import Shared, What, with_sharing

Person = discord.User | discord.Member


async def show_leaderboard(
    interaction: Interaction,
    game: str,
    guild_id: int | None,
    *,
    agents: bool,
    page: int,
    season: Season | None,
) -> None:
    """Answer with a leaderboard, visible to the channel."""
    found = await _leaderboard(interaction, game, guild_id, agents, page, season)
    view = leaderboard_view(found, location_text(interaction), interaction.user.id)
    await respond(interaction, view, is_private=False)


async def press_page(
    interaction: Interaction,
    reader_id: int,
    game: str,
    guild_id: int | None,
    agents: bool,
    page: int,
    season: Season | None,
) -> None:
    """Turn the leaderboard's page for the reader who asked for it; other people get their own copy.

    Raises SetupError.
    """
    check_scope(interaction, guild_id)
    found = await _leaderboard(interaction, game, guild_id, agents, page, season)
    await turn_board(interaction, reader_id, lambda t: leaderboard_view(found, t, interaction.user.id))


async def choose_season(
    interaction: Interaction, reader_id: int, game: str, guild_id: int | None, agents: bool
) -> None:
    """Show another season of a leaderboard, or all time; raises SetupError."""
    value = choice(interaction)
    season = Season.parse(value)
    if season is None and value != ALL_TIME:
        raise SetupError("unknown_choice", choice=value)
    await press_page(interaction, reader_id, game, guild_id, agents, 1, season)


async def _leaderboard(
    interaction: Interaction, game: str, guild_id: int | None, agents: bool, page: int, season: Season | None
) -> Leaderboard:
    spend(interaction, Cost.LEADERBOARD)
    return await interaction.client.services.standings.leaderboard(
        game, guild_id=guild_id, agents=agents, page=page, user_id=interaction.user.id, season=season
    )


async def show_guessers(interaction: Interaction, season: Season | None, page: int) -> None:
    """Answer with the server's guessers of a month, visible to the channel; raises SetupError elsewhere."""
    found = await _guessers(interaction, interaction.guild_id, season, page)
    view = guessers_view(found, location_text(interaction), interaction.user.id)
    await respond(interaction, view, is_private=False)


async def turn_guessers(
    interaction: Interaction, reader_id: int, guild_id: int | None, page: int, season: Season | None
) -> None:
    """Turn the page of the guessers; raises SetupError for another server's."""
    found = await _guessers(interaction, guild_id, season, page)
    await turn_board(interaction, reader_id, lambda t: guessers_view(found, t, interaction.user.id))


async def _guessers(
    interaction: Interaction, guild_id: int | None, season: Season | None, page: int
) -> GuesserPage:
    if guild_id is None:
        raise SetupError("guessers_in_server")
    check_scope(interaction, guild_id)
    spend(interaction, Cost.LEADERBOARD)
    return await interaction.client.services.predictions.guessers(
        guild_id, interaction.user.id, season=season, page=page
    )


async def press_achievements(interaction: Interaction, user_id: int) -> None:
    """Answer privately with the achievements of a profile's person; raises SetupError."""
    await show_achievements(interaction, await find_user(interaction, user_id))


async def show_achievements(interaction: Interaction, person: Person) -> None:
    """Answer privately with the person's achievements; raises SetupError for bots."""
    if person.bot:
        raise SetupError("bot_achievements")
    spend(interaction, Cost.ACHIEVEMENTS)
    found = await interaction.client.services.achievements.of(person.id)
    view = achievements_view(found, own_text(interaction), named(person).name)
    if person.id == interaction.user.id:
        view = with_sharing(interaction, view, What.AWARDS, person.id)
    await respond(interaction, view)


async def show_profile(
    interaction: Interaction, person: Person, *, guild_id: int | None, is_private: bool = False
) -> None:
    """Answer with the person's profile in that server or everywhere; raises SetupError for bots."""
    if person.bot:
        raise SetupError("bot_profile")
    spend(interaction, Cost.PROFILE)
    t = own_text(interaction) if is_private else location_text(interaction)
    view, picture = await profile_message(interaction, t, person, guild_id, is_private=is_private)
    if is_private:
        view = with_sharing(interaction, view, What.PROFILE, person.id)
    await respond(interaction, view, file=picture, is_private=is_private)


async def profile_message(
    interaction: Interaction, t: Text, person: Person, guild_id: int | None, *, is_private: bool = False
) -> tuple[ui.LayoutView, discord.File | None]:
    """Return the person's profile for this reader, with its picture if it has one.

    is_private: only the reader sees it.
    """
    called = named(person)
    found = await interaction.client.services.standings.profile(
        person.id,
        guild_id=guild_id,
        name=called.name if guild_id is not None else called.account,
        reader_id=interaction.user.id,
        here=interaction.guild_id,
    )
    is_alone = is_private or (interaction.guild_id is None and interaction.context.dm_channel)
    if person.id != interaction.user.id or not is_alone:
        found = _without_elsewhere(found, interaction.guild_id or 0)
    look, reader = own_look(interaction), person_of(interaction).name
    picture = await profile_picture(interaction.client.ui.pictures, t, found, reader)
    view = profile_view(found, t, look, is_here=guild_id is not None, reader=reader, picture=picture)
    return view, picture


def _without_elsewhere(found: Profile, here: int) -> Profile:
    """Remove matches played elsewhere, which are private, and their opponents."""
    best = found.best_win
    if best is not None and not best.is_agent and best.guild_id != here:
        best = None
    recent = tuple(match for match in found.recent if match.location.guild_id == here)
    return replace(found, recent=recent, best_win=best)


async def share_profile(interaction: Interaction, t: Text, user_id: int) -> Shared:
    """Return the person's profile to post; raises SetupError."""
    spend(interaction, Cost.PROFILE)
    person = await find_user(interaction, user_id)
    view, picture = await profile_message(interaction, t, person, interaction.guild_id)
    return Shared(view, () if picture is None else (picture,))


async def share_achievements(interaction: Interaction, t: Text, user_id: int) -> Shared:
    """Return the person's own achievements to post; raises NotFound for other people's."""
    if user_id != interaction.user.id:
        raise NotFound("share_not_yours")
    spend(interaction, Cost.ACHIEVEMENTS)
    found = await interaction.client.services.achievements.of(user_id)
    view = earned_view(found, t, person_of(interaction).name)
    return Shared(view, (), (ui.Button[Any](label=t("button_play"), custom_id=OPEN()),))
