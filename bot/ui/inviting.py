"""Sends the invitations of commands, panels and forms."""

from __future__ import annotations

import discord

from bot.domain.challenge import Challenge
from bot.domain.errors import SetupError
from bot.domain.match import Match
from bot.domain.terms import Terms, are_drawn
from bot.presentation import names
from bot.services.command_costs import Cost
from bot.ui.client import Interaction
from bot.ui.context import check_channel, location_of, named, own_text, person_of, spend
from engine.games import GAMES

User = discord.User | discord.Member


async def invite(
    interaction: Interaction, opponent: User | None, terms: Terms, *, is_table: bool = False
) -> Challenge:
    """Answer with an invitation, to anyone if there is no opponent; raises Refusal.

    If the opponent has invited the person to the same, answer with the board of the match that begins.
    is_table: the seat is open in other servers, too.
    """
    check_opponent(interaction, opponent)
    if is_table:
        await _check_table(interaction, opponent)
    challenge = await interaction.client.services.challenges.send(
        person_of(interaction),
        None if opponent is None else named(opponent),
        terms,
        location_of(interaction),
        is_table=is_table,
    )
    if challenge.match_id is None:
        await interaction.client.display.post_challenge(interaction, challenge)
    else:
        match = await interaction.client.services.matches.match(challenge.match_id)
        await interaction.client.display.post(interaction, match)
    return challenge


async def _check_table(interaction: Interaction, opponent: User | None) -> None:
    if opponent is not None:
        raise SetupError("table_for_anyone")
    spend(interaction, Cost.TABLE)
    await interaction.client.services.lobby.check_opening(
        interaction.user.id, interaction.guild_id, str(interaction.guild or "")
    )


async def tell_casual(interaction: Interaction, begun: Match | Terms) -> None:
    """Say why the match that was asked for as a rated one is casual, if it is."""
    if begun.rated:
        return
    key, board = "casual_instead", names.board_title(own_text(interaction), GAMES[begun.game].boards[0])
    await interaction.followup.send(own_text(interaction)(key, board=board), ephemeral=True)


async def tell_in_turn(interaction: Interaction, begun: Match) -> None:
    """Say why the first move was not the person's choice, if it was not."""
    if are_drawn(rated=begun.rated, fair=begun.fair):
        await interaction.followup.send(own_text(interaction)("first_in_turn"), ephemeral=True)


def check_opponent(interaction: Interaction, opponent: User | None) -> None:
    """Raise SetupError where invitations are not wanted, or the opponent could not see or accept one."""
    check_channel(interaction)
    if opponent is not None and opponent.id == interaction.user.id:
        raise SetupError("self_challenge")
    if opponent is not None and opponent.bot:
        raise SetupError("bot_challenge")
    if interaction.context.dm_channel:
        raise SetupError("nobody_here")
