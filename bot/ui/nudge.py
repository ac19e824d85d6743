"""The private nudge, once a day at most, that positions of one's own games wait."""

from __future__ import annotations

import enum
import logging
from datetime import date
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.routing import IdPart, route

log = logging.getLogger(__name__)


class Nudge(enum.StrEnum):
    """The choices about nudges."""

    LATER = "later"
    NEVER = "never"
    AGAIN = "remind"


MISTAKES = route("mo")
"""Opens the mistakes of the person that presses it."""

NUDGE = route("mr", IdPart("|".join(Nudge), Nudge))


async def nudge(interaction: Interaction) -> None:
    """Tell the person of the interaction how many of their positions wait, if they may be reminded today."""
    # Stored first: it is better not told than told twice.
    count = await interaction.client.services.training.to_remind(person_of(interaction))
    if not count:
        return
    try:
        await interaction.followup.send(view=nudge_view(own_text(interaction), count), ephemeral=True)
    except DISCORD_ERRORS as error:
        log.info("a person was not reminded of their mistakes: %s", error)


async def choose(interaction: Interaction, choice: Nudge) -> None:
    """Store the choice, then say it."""
    if choice is not Nudge.LATER:
        until = date.max if choice is Nudge.NEVER else None
        await interaction.client.services.settings.be_quiet(interaction.user.id, until)
    said = own_text(interaction)(f"nudge_{choice}")
    await interaction.response.edit_message(view=box(lines(said)))


def nudge_view(t: Text, count: int) -> ui.LayoutView:
    return box(
        lines(f"### {t('mistakes_wait', n=count)}", f"-# {t('mistakes_wait_told')}"),
        ui.ActionRow(
            ui.Button[Any](
                label=t("button_nudge_start"), style=discord.ButtonStyle.success, custom_id=MISTAKES()
            ),
            *(
                ui.Button[Any](label=t(f"button_nudge_{choice}"), custom_id=NUDGE(choice))
                for choice in (Nudge.LATER, Nudge.NEVER)
            ),
        ),
    )
