"""Starts matches and invitations, from commands, panels and buttons alike."""

from __future__ import annotations

from dataclasses import replace

import discord

from bot.domain.challenge import Challenge
from bot.domain.errors import SetupError
from bot.domain.match import Match
from bot.domain.start_choices import Mode, Start
from bot.domain.terms import Terms
from bot.presentation import names
from bot.ui.client import Interaction
from bot.ui.context import check_channel, location_of, named, own_text, person_of
from engine.agents.levels import Difficulty, level_for, levels_of
from engine.games import GAMES, USUAL

User = discord.User | discord.Member


async def invite(interaction: Interaction, opponent: User | None, terms: Terms) -> Challenge:
    """Answer with an invitation, to anyone if there is no opponent; raises Refusal.

    If the opponent has invited the person to the same, answer with the board of the match that begins.
    """
    check_opponent(interaction, opponent)
    challenge = await interaction.client.services.challenges.send(
        person_of(interaction),
        None if opponent is None else named(opponent),
        terms,
        location_of(interaction),
    )
    if challenge.match_id is None:
        await interaction.client.display.post_challenge(interaction, challenge)
    else:
        match = await interaction.client.services.matches.match(challenge.match_id)
        await interaction.client.display.post(interaction, match)
    return challenge


async def tell_casual(interaction: Interaction, begun: Match | Terms) -> None:
    """Say why the match that was asked for as a rated one is casual, if it is."""
    if begun.rated:
        return
    key, board = "casual_instead", names.board_title(own_text(interaction), GAMES[begun.game].boards[0])
    await interaction.followup.send(own_text(interaction)(key, board=board), ephemeral=True)


def check_opponent(interaction: Interaction, opponent: User | None) -> None:
    """Raise SetupError where invitations are not wanted, or the opponent could not see or accept one."""
    check_channel(interaction)
    if opponent is not None and opponent.id == interaction.user.id:
        raise SetupError("self_challenge")
    if opponent is not None and opponent.bot:
        raise SetupError("bot_challenge")
    if interaction.context.dm_channel:
        raise SetupError("nobody_here")


async def find_user(interaction: Interaction, user_id: int) -> User:
    """Return the user, as a member of the server where possible; raises SetupError."""
    guild = interaction.guild_id and interaction.client.get_guild(interaction.guild_id)
    try:
        if guild:
            return guild.get_member(user_id) or await guild.fetch_member(user_id)
        return interaction.client.get_user(user_id) or await interaction.client.fetch_user(user_id)
    except (discord.NotFound, discord.Forbidden):
        raise SetupError("unknown_person") from None


def _latest_start(interaction: Interaction) -> Start | None:
    return interaction.client.services.settings.person(interaction.user.id).start


async def default_start(interaction: Interaction) -> Start:
    """Return the latest choices of the person; for newcomers a match against an easy level."""
    latest = _latest_start(interaction)
    if latest is not None:
        return latest
    if not await is_newcomer(interaction):
        return Start(USUAL)
    ladder = levels_of(USUAL, GAMES[USUAL].boards[0])
    return Start(USUAL, level_for(Difficulty.EASY, ladder).key)


async def is_newcomer(interaction: Interaction) -> bool:
    """Return whether the person has never started or played a match."""
    if _latest_start(interaction) is not None:
        return False
    return await interaction.client.services.matches.is_newcomer(person_of(interaction))


async def resolve_mode(interaction: Interaction, rated: bool | None) -> tuple[bool, Mode | None]:
    """Return whether the person is a newcomer, and the mode that they chose, now or before; None for none.

    rated: their explicit choice.
    """
    is_new = await is_newcomer(interaction)
    if rated is not None:
        return is_new, Mode.RATED if rated else Mode.CASUAL
    return is_new, chosen_mode(interaction)


def chosen_mode(interaction: Interaction) -> Mode | None:
    """Return the mode that the person chose last; None before they have."""
    return interaction.client.services.settings.person(interaction.user.id).mode


async def remember_start(interaction: Interaction, start: Start) -> None:
    """Make this the person's default from now on; a mode that they did not choose changes nothing."""
    settings, user_id = interaction.client.services.settings, interaction.user.id
    start = replace(start.to_remember, mode=start.mode or chosen_mode(interaction))
    if settings.person(user_id).start != start:
        await settings.prefer(user_id, replace(settings.person(user_id), start=start))
