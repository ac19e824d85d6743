"""Whose token still edits a private panel: that of the press or command which it answered last."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, TypeAlias

import discord
from discord import ui

Pressed: TypeAlias = "discord.Interaction[Any]"


class PanelTokens:
    """By the panel's message. most: how many are remembered. Lives only while the process does."""

    def __init__(self, most: int = 500) -> None:
        self._most = most
        self._last: OrderedDict[int, Pressed] = OrderedDict()

    def answered(self, message_id: int | None, interaction: Pressed) -> None:
        """The panel is that interaction's answer."""
        if message_id is None:
            return
        self._last[message_id] = interaction
        self._last.move_to_end(message_id)
        while len(self._last) > self._most:
            self._last.popitem(last=False)

    async def edit(self, message: discord.Message, view: ui.LayoutView, interaction: Pressed) -> None:
        """Shows the view on the panel; interaction: a press on it that was answered by another message.

        Raises what Discord and the network raise.
        """
        last = self._last.pop(message.id, None)
        if last is not None and not last.is_expired():
            await last.edit_original_response(view=view)
        else:
            await interaction.followup.edit_message(message.id, view=view)
