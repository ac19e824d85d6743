"""What /privacy says, and the question before everything about a person is deleted."""

from __future__ import annotations

import io
import re
from typing import Any, Self

import discord
from discord import ui

from bot.domain.errors import NotFound
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import own_text, person_of
from bot.ui.errors import guarded
from bot.ui.ids import PREFIX
from bot.ui.layout import box, lines

EXPORT_NAME = "discade-my-data.json"


class DeleteButton(
    ui.DynamicItem[ui.Button[Any]], template=rf"{PREFIX}:x:(?P<user>[0-9]{{1,20}}):(?P<answer>yes|no)"
):
    """The answer to that question; it deletes only what belongs to whoever presses it."""

    def __init__(self, user_id: int, answer: str, *, label: str = "·") -> None:
        style = discord.ButtonStyle.danger if answer == "yes" else discord.ButtonStyle.secondary
        super().__init__(ui.Button(label=label, style=style, custom_id=f"{PREFIX}:x:{user_id}:{answer}"))
        self.user_id, self.answer = user_id, answer

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["user"]), match["answer"])

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        if interaction.user.id != self.user_id:
            raise NotFound("delete_not_yours")
        t = own_text(interaction)
        if self.answer == "no":
            await interaction.response.edit_message(view=box(lines(t("delete_kept"))))
            return
        await interaction.response.edit_message(view=box(lines(t("delete_begins"))))
        farewell = await interaction.client.privacy.delete(person_of(interaction))
        for match in farewell.matches:
            await interaction.client.display.show(match)
            interaction.client.service.proceed(match)
        for challenge in farewell.challenges:
            await interaction.client.display.show_challenge(challenge)
        await interaction.edit_original_response(view=box(lines(t("delete_done"))))


async def show_privacy(interaction: Interaction) -> None:
    t = own_text(interaction)
    view = box(lines(f"### {t('privacy_title')}", t("privacy_text")))
    await interaction.response.send_message(view=view, ephemeral=True)


async def send_export(interaction: Interaction) -> None:
    """Answers privately with a file of everything that is stored about the person."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    data = await interaction.client.privacy.export(person_of(interaction))
    file = discord.File(io.BytesIO(data), EXPORT_NAME)
    await interaction.followup.send(own_text(interaction)("export_done"), file=file, ephemeral=True)


async def ask_to_delete(interaction: Interaction) -> None:
    t, user_id = own_text(interaction), interaction.user.id
    view = box(
        lines(f"### {t('delete_title')}", t("delete_sure"), f"-# {t('delete_messages')}"),
        ui.ActionRow(
            DeleteButton(user_id, "yes", label=t("button_delete")),
            DeleteButton(user_id, "no", label=t("button_keep")),
        ),
    )
    await interaction.response.send_message(view=view, ephemeral=True)
