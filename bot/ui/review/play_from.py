"""“Play from here”: a casual match against an agent from a position of a finished one."""

from __future__ import annotations

from typing import Any

from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.context import check_channel, highest_level, location_of, person_of
from bot.ui.match.handlers import post
from bot.ui.review.routes import PLAY_FROM
from engine.core import State


def button_from(t: Text, match: Match, ply: int, state: State) -> ui.Button[Any]:
    """The button below a match that is shown in that state, after so many moves."""
    is_end = not state.legal_moves()
    custom_id = PLAY_FROM(match.id, ply)
    return ui.Button(label=t("button_play_from"), emoji="♟️", disabled=is_end, custom_id=custom_id)


async def press_play_from(interaction: Interaction, match_id: int, ply: int) -> None:
    """Answers with the board of the new match, begun after so many moves of the old one."""
    check_channel(interaction)
    match = await interaction.client.services.matches.play_from(
        match_id, ply, person_of(interaction), location_of(interaction), highest=highest_level(interaction)
    )
    await post(interaction, match)
