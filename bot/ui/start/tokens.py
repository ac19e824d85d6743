"""Whose token still edits a private panel: that of the press or command which it answered last."""

from __future__ import annotations

from typing import Any, TypeAlias

import discord
from discord import ui

from bot.domain.lru_dict import LruDict

Pressed: TypeAlias = "discord.Interaction[Any]"


REMEMBERED = 500


class PanelTokens:
    """By the panel's message. Lives only while the process does."""

    def __init__(self) -> None:
        self._last: LruDict[int, Pressed] = LruDict(REMEMBERED)

    def answered(self, message_id: int | None, interaction: Pressed) -> None:
        """The panel is that interaction's answer."""
        if message_id is not None:
            self._last[message_id] = interaction

    async def edit(self, message: discord.Message, view: ui.LayoutView, interaction: Pressed) -> None:
        """Shows the view on the panel; interaction: a press on it that was answered by another message.

        Raises what Discord and the network raise.
        """
        last = self._last.pop(message.id, None)
        if last is not None and not last.is_expired():
            await last.edit_original_response(view=view)
        else:
            await interaction.followup.edit_message(message.id, view=view)
