"""Sharing: a private message posted in the channel, once."""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import discord
from discord import ui

from bot.domain.errors import SetupError
from bot.i18n import Text, plain
from bot.ui.answers import acknowledge
from bot.ui.client import Interaction
from bot.ui.context import location_text, own_text, person_of
from bot.ui.followups import follow_up
from bot.ui.layout import Item, lines
from bot.ui.routing import IdPart, number, route


class What(enum.StrEnum):
    """Kinds of shared content, each with a number: the id of its subject."""

    REVIEW = "review"
    """A match."""
    REPLAY = "replay"
    """A match."""
    PROFILE = "profile"
    """A person."""
    PUZZLE = "puzzle"
    """An attempt."""
    COURSE = "course"
    """A storm or a streak of puzzles."""
    AWARDS = "awards"
    """A person."""


SHARE = route("sx", IdPart("|".join(What), What), number(19, least=1))


@dataclass(frozen=True, slots=True)
class Shared:
    """A message to post: a view of one container, its files, and the buttons below it."""

    view: ui.LayoutView
    files: tuple[discord.File, ...] = ()
    buttons: tuple[Item, ...] = ()


Sharers = Mapping[What, Callable[[Interaction, Text, int], Awaitable[Shared]]]


def may_share(interaction: Interaction) -> bool:
    """Return whether the server allows sharing, and the bot and this person may write in the channel."""
    if interaction.guild_id is None or interaction.channel is None:
        return False
    is_thread = isinstance(interaction.channel, discord.Thread)
    may_write = all(
        allowed.view_channel and (allowed.send_messages_in_threads if is_thread else allowed.send_messages)
        for allowed in (interaction.app_permissions, interaction.permissions)
    )
    settings = interaction.client.services.settings.server(interaction.guild_id)
    return may_write and interaction.app_permissions.attach_files and settings.is_sharing


def share_buttons(interaction: Interaction, what: What, subject: int) -> list[ui.Button[Any]]:
    """Return the button that shares a view, where that is allowed."""
    if not may_share(interaction):
        return []
    label = own_text(interaction)("button_share")
    return [ui.Button(label=label, emoji="📣", custom_id=SHARE(what, subject))]


def with_sharing(interaction: Interaction, view: ui.LayoutView, what: What, subject: int) -> ui.LayoutView:
    """Add that button to the view."""
    container, buttons = view.children[0], share_buttons(interaction, what, subject)
    if buttons and isinstance(container, ui.Container):
        container.add_item(ui.ActionRow(*buttons))
    return view


def sharing(sharers: Sharers) -> Callable[[Interaction, What, int], Awaitable[None]]:
    """Return the handler of the button. sharers: make the message, which may raise Refusal."""

    async def share(interaction: Interaction, what: What, subject: int) -> None:
        if not may_share(interaction):
            raise SetupError("share_not_here")
        action = (interaction.user.id, interaction.channel_id, what, subject)
        with interaction.client.ui.shares.attempt(action) as is_first:
            if not is_first:
                raise SetupError("share_already")
            await acknowledge(interaction)
            t = location_text(interaction)
            shared = await sharers[what](interaction, t, subject)
            _make_public(shared, t("shared_by", name=plain(person_of(interaction).name)))
            await follow_up(interaction, view=shared.view, files=shared.files)

    return share


def _make_public(shared: Shared, credit: str) -> None:
    """Replace the buttons, which serve the first reader alone, by those for everybody."""
    container = shared.view.children[0]
    if not isinstance(container, ui.Container):
        return
    parts = tuple(container.children)
    container.clear_items()
    for part in parts:
        if isinstance(part, ui.Section):
            for text in part.children:
                container.add_item(text)
        elif not isinstance(part, ui.ActionRow):
            container.add_item(part)
    container.add_item(lines(f"-# {credit}"))
    if shared.buttons:
        container.add_item(ui.ActionRow(*shared.buttons))
