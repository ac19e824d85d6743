"""Votes for a channel's next move: the cheapest answer there is, since a crowd may press at once.

The board is edited by its subscriber, once a second at most.
"""

from __future__ import annotations

import discord

from bot.domain.errors import MatchError
from bot.ui.answers import acknowledge, edit_pressed, reply, respond
from bot.ui.client import Interaction
from bot.ui.context import is_private, own_look, own_text, person_of
from bot.ui.match.handlers import pressed_match, refuse
from bot.ui.match.views import vote_picked_view, voted_view
from bot.ui.move_choices import Picked
from engine.core import Move


async def vote(interaction: Interaction, match_id: int, turn: int, move: Move) -> None:
    """Store the person's vote; say so in the private choices alone, and when it decides their half."""
    match, services = await pressed_match(interaction, match_id), interaction.client.services
    user, t = interaction.user, own_text(interaction)
    try:
        is_first = await services.votes.cast(
            match_id, person_of(interaction), move,
            turn=turn,
            voters=services.settings.server(match.location.guild_id).voters,
            joined_at=user.joined_at if isinstance(user, discord.Member) else None,
        )  # fmt: skip
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)
        return
    if is_private(interaction):
        await edit_pressed(interaction, voted_view(match, t, move))
    else:
        await acknowledge(interaction)
    if is_first and not match.has_agent:
        await reply(interaction, t("vote_half", name=match.seat_to_move.name))


async def pick(interaction: Interaction, match_id: int, turn: int, picked: Picked) -> None:
    """Offer the next choices on the way to a vote privately, since others vote on the same board."""
    match = await pressed_match(interaction, match_id)
    try:
        match.check_vote(picked.move, interaction.client.services.clock(), turn=turn)
    except MatchError as refusal:
        await refuse(interaction, match_id, refusal)
        return
    poll = (await interaction.client.services.changes.polls(match)).now
    view = vote_picked_view(match, own_text(interaction), poll, own_look(interaction), picked)
    await (edit_pressed if is_private(interaction) else respond)(interaction, view)
