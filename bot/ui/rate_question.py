"""The private question after a person's first finished match: is the next one to be rated?"""

from __future__ import annotations

import logging
from typing import Any

from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.context import own_text
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.nudge import nudge
from bot.ui.routing import either, route

log = logging.getLogger(__name__)

RATE_NEXT = route("sn", either("yes", "no"))
"""Yes or Not yet; it is about the person that presses it."""


async def ask_to_rate(interaction: Interaction, match: Match) -> None:
    """Ask the person of the interaction, once, after a match of theirs that is over; later remind them.

    They are reminded of the mistakes that wait, once a day at most.
    """
    user_id = interaction.user.id
    if not match.is_over or not match.players_of(user_id):
        return
    # Stored first: it is better not asked than asked twice.
    if not await interaction.client.services.settings.may_ask_to_rate(user_id):
        await nudge(interaction)
        return
    try:
        await interaction.followup.send(view=_question(own_text(interaction)), ephemeral=True)
    except DISCORD_ERRORS as error:
        log.info("match %d: a player was not asked whether to rate the next one: %s", match.id, error)


async def ask_at_start(interaction: Interaction) -> None:
    """Ask a person who starts a match, if an earlier one ended without a press of theirs."""
    services, user_id = interaction.client.services, interaction.user.id
    if services.settings.is_to_ask(user_id):
        for match in await services.matches.finished(user_id, 1):
            await ask_to_rate(interaction, match)


async def answer(interaction: Interaction, yes: bool) -> None:
    """Store the answer, then say it."""
    if yes:
        await interaction.client.services.settings.rate_next(interaction.user.id)
    said = own_text(interaction)("rate_next_yes" if yes else "rate_next_no")
    await interaction.response.edit_message(view=box(lines(said)))


def _question(t: Text) -> ui.LayoutView:
    return box(
        lines(f"**{t('rate_next')}**", f"-# {t('rate_next_told')}"),
        ui.ActionRow(
            ui.Button[Any](label=t("button_rate_yes"), custom_id=RATE_NEXT(True)),
            ui.Button[Any](label=t("button_rate_no"), custom_id=RATE_NEXT(False)),
        ),
    )
