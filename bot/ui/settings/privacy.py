"""What /privacy says, and the question before everything about a person is deleted."""

from __future__ import annotations

import io

import discord
from discord import ui

from bot.domain.errors import NotFound
from bot.services.command_costs import Cost
from bot.ui.answers import promise, respond
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of, spend
from bot.ui.layout import box, lines
from bot.ui.settings.routes import DELETION

EXPORT_NAME = "discade-my-data.zip"


async def answer_deletion(interaction: Interaction, user_id: int, is_sure: bool) -> None:
    """The answer to the question before a deletion; it deletes only what belongs to whoever presses it.

    Raises NotFound.
    """
    if interaction.user.id != user_id:
        raise NotFound("delete_not_yours")
    t = own_text(interaction)
    if not is_sure:
        await interaction.response.edit_message(view=box(lines(t("delete_kept"))))
        return
    await interaction.response.edit_message(view=box(lines(t("delete_begins"))))
    farewell = await interaction.client.services.privacy.delete(person_of(interaction))
    for match in farewell.matches:
        await interaction.client.display.show(match)
        interaction.client.services.matches.proceed(match)
    for challenge in farewell.challenges:
        await interaction.client.display.show_challenge(challenge)
    await interaction.edit_original_response(view=box(lines(t("delete_done"))))


async def show_privacy(interaction: Interaction) -> None:
    t = own_text(interaction)
    view = box(lines(f"### {t('privacy_title')}", t("privacy_text")))
    await respond(interaction, view)


async def send_export(interaction: Interaction) -> None:
    """Answers privately with a file of everything that is stored about the person."""
    spend(interaction, Cost.EXPORT)
    await promise(interaction, is_private=True)
    data = await interaction.client.services.privacy.export(person_of(interaction))
    file = discord.File(io.BytesIO(data), EXPORT_NAME)
    await interaction.followup.send(own_text(interaction)("export_done"), file=file, ephemeral=True)


async def ask_to_delete(interaction: Interaction) -> None:
    t, user_id = own_text(interaction), interaction.user.id
    view = box(
        lines(f"### {t('delete_title')}", t("delete_sure"), f"-# {t('delete_messages')}"),
        ui.ActionRow(
            ui.Button(
                label=t("button_delete"),
                style=discord.ButtonStyle.danger,
                custom_id=DELETION(user_id, True),
            ),
            ui.Button(label=t("button_keep"), custom_id=DELETION(user_id, False)),
        ),
    )
    await respond(interaction, view)
