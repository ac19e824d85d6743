"""What /privacy says, and the question before everything about a person is deleted."""

from __future__ import annotations

import io
import re
from typing import Any, Self

import discord
from discord import ui

from bot.domain.errors import NotFound
from bot.ui.context import AnyPress, Press, own_text, person_of
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
    async def from_custom_id(cls, _press: AnyPress, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["user"]), match["answer"])

    async def callback(self, interaction: AnyPress) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, press: Press) -> None:
        if press.user.id != self.user_id:
            raise NotFound("delete_not_yours")
        t = own_text(press)
        if self.answer == "no":
            await press.response.edit_message(view=box(lines(t("delete_kept"))))
            return
        await press.response.edit_message(view=box(lines(t("delete_begins"))))
        farewell = await press.client.privacy.delete(person_of(press))
        for match in farewell.matches:
            await press.client.display.show(match)
            press.client.service.proceed(match)
        for challenge in farewell.challenges:
            await press.client.display.show_challenge(challenge)
        await press.edit_original_response(view=box(lines(t("delete_done"))))


async def show_privacy(press: Press) -> None:
    t = own_text(press)
    view = box(lines(f"### {t('privacy_title')}", t("privacy_text")))
    await press.response.send_message(view=view, ephemeral=True)


async def send_export(press: Press) -> None:
    """Answers privately with a file of everything that is stored about the person."""
    await press.response.defer(ephemeral=True, thinking=True)
    data = await press.client.privacy.export(person_of(press))
    file = discord.File(io.BytesIO(data), EXPORT_NAME)
    await press.followup.send(own_text(press)("export_done"), file=file, ephemeral=True)


async def ask_to_delete(press: Press) -> None:
    t, user_id = own_text(press), press.user.id
    view = box(
        lines(f"### {t('delete_title')}", t("delete_sure"), f"-# {t('delete_messages')}"),
        ui.ActionRow(
            DeleteButton(user_id, "yes", label=t("button_delete")),
            DeleteButton(user_id, "no", label=t("button_keep")),
        ),
    )
    await press.response.send_message(view=view, ephemeral=True)
