"""The buttons of tournaments and the menu of agents; each works after any restart."""

from __future__ import annotations

import re
from typing import Any, Self

import discord
from discord import ui

from bot.ui.client import AnyInteraction, Interaction
from bot.ui.errors import guarded
from bot.ui.tournament import handlers as actions
from bot.ui.tournament.ids import ACTION, AGENTS, TournamentAction


class TournamentButton(ui.DynamicItem[ui.Button[Any]], template=ACTION):
    """One thing to do with one tournament."""

    def __init__(self, match: re.Match[str]) -> None:
        super().__init__(ui.Button(label="·", custom_id=match.string))
        self.tournament_id, self.action = int(match["tournament"]), TournamentAction(match["action"])

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await actions.act(interaction, self.tournament_id, self.action)


class AgentSelect(ui.DynamicItem[ui.Select[Any]], template=AGENTS):
    """Which agents take part."""

    def __init__(self, match: re.Match[str]) -> None:
        option = discord.SelectOption(label="·")
        super().__init__(ui.Select(custom_id=match.string, options=[option]))
        self.tournament_id = int(match["tournament"])

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await actions.choose_agents(interaction, self.tournament_id, self.item.values)


TOURNAMENT_ITEMS: tuple[type[ui.DynamicItem[Any]], ...] = (TournamentButton, AgentSelect)
