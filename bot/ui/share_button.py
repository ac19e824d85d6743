"""The button that shares: where it stands, and what it says of what it shares."""

from __future__ import annotations

import enum
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.ui.client import Interaction
from bot.ui.context import own_text
from bot.ui.routing import Part, number, route


class What(enum.StrEnum):
    """What can be shared, and what its number names."""

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


SHARE = route("sx", Part("|".join(What), What), number(20, least=1))


def may_share(interaction: Interaction) -> bool:
    """Whether the server lets people share, and the bot and this person may write in the channel."""
    if interaction.guild_id is None or interaction.channel is None:
        return False
    is_thread = isinstance(interaction.channel, discord.Thread)
    may_write = all(
        allowed.view_channel and (allowed.send_messages_in_threads if is_thread else allowed.send_messages)
        for allowed in (interaction.app_permissions, interaction.permissions)
    )
    settings = interaction.client.services.settings.server(interaction.guild_id)
    return may_write and interaction.app_permissions.attach_files and settings.is_sharing


def with_sharing(interaction: Interaction, view: ui.LayoutView, what: What, subject: int) -> ui.LayoutView:
    """The view, with a button to share it below where that is allowed."""
    container = view.children[0]
    if may_share(interaction) and isinstance(container, ui.Container):
        container.add_item(ui.ActionRow(share_button(own_text(interaction), what, subject)))
    return view


def share_button(t: Text, what: What, subject: int) -> ui.Button[Any]:
    return ui.Button(label=t("button_share"), emoji="📣", custom_id=SHARE(what, subject))
