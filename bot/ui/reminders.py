"""Direct messages each day to people that asked for them, and the buttons that turn them on and off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Any

import discord
from discord import ui

from bot.domain.outgoing import Outgoing, Wanted, direct
from bot.domain.reminder import ReminderKind
from bot.i18n import Text, Texts
from bot.services.outgoing import MessageKind
from bot.services.ports import Delivered
from bot.services.reminders import Reminders
from bot.services.settings import SettingsCache
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of
from bot.ui.layout import Item, box, custom_ids, lines
from bot.ui.messages import Content
from bot.ui.routing import IdPart, either, route

REMIND = route("rd", IdPart("|".join(ReminderKind), ReminderKind), either("on", "off"))
"""Turns a daily reminder of the person that presses it on or off."""


Parts = tuple[list[Item], list[ui.Button[Any]]] | None
"""A message and its buttons besides the last one; None if there is nothing to say."""


class DailyReminders(MessageKind):
    """One direct message for each person and day, of one kind.

    parts_of: makes one for a person. is_on_duty: whether this process sends them.
    """

    idle_seconds = 10.0
    gives_up_at = (Delivered.CHANNEL_REFUSED,)

    def __init__(
        self,
        kind: ReminderKind,
        parts_of: Callable[[int, Text], Awaitable[Parts]],
        reminders: Reminders,
        texts: Texts,
        settings: SettingsCache,
        is_on_duty: Callable[[], bool],
    ) -> None:
        self.name = f"{kind}-dm"
        self._kind = kind
        self._parts_of = parts_of
        self._reminders = reminders
        self._texts = texts
        self._settings = settings
        self._is_on_duty = is_on_duty

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:  # noqa: ARG002
        due = await self._reminders.due(self._kind) if self._is_on_duty() else []
        return [
            Wanted(one.user_id, one.due_at.toordinal(), direct(one.user_id, one.locale), item=one)
            for one in due
        ]

    async def draw(self, wanted: Wanted) -> Content | None:
        t = self._texts.of(self._settings.person(wanted.subject).language or wanted.place.locale)
        made = await self._parts_of(wanted.subject, t)
        if made is None:
            return None
        items, buttons = made
        stop = remind_button(t, self._kind, is_on=False)
        return Content(box(*items, ui.ActionRow(*buttons, stop)))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:  # noqa: ARG002
        return REMIND(self._kind, False) in custom_ids(message)

    async def done(self, wanted: Wanted) -> bool:
        await self._reminders.note_sent(wanted.item)
        return True

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        """Stop for good: the person has closed their direct messages, or left Discord."""
        await self._reminders.stop(wanted.subject, self._kind)
        return True


def remind_button(t: Text, kind: ReminderKind, *, is_on: bool = True) -> ui.Button[Any]:
    """Return the button that turns the presser's reminder on, or off."""
    label = t("button_remind_on" if is_on else "button_remind_off")
    return ui.Button(label=label, emoji="🔔" if is_on else "🔕", custom_id=REMIND(kind, is_on))


async def set_reminder(interaction: Interaction, kind: ReminderKind, is_on: bool) -> None:
    """Turn the person's reminder on or off, and say so privately."""
    service, t = interaction.client.services.reminders, own_text(interaction)
    if is_on:
        reminder = await service.remind(person_of(interaction), kind, str(interaction.locale))
        told = t(f"remind_set_{kind}", when=f"<t:{int(reminder.due_at.timestamp())}:t>")
    else:
        await service.stop(interaction.user.id, kind)
        told = t(f"remind_ended_{kind}")
    await respond(interaction, box(lines(told), ui.ActionRow(remind_button(t, kind, is_on=not is_on))))
