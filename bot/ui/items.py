"""The buttons and selects of boards and invitations; each works after any restart.

A custom_id carries a version prefix and what the press means. It is a claim, not a right: Discord does not
promise that it is one of ours, so it is parsed strictly here and authorised by the service.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Self

import discord
from discord import ui

from bot.ui.client import AnyInteraction, Interaction
from bot.ui.errors import guarded
from bot.ui.ids import MATCH, PREFIX, TURN
from bot.ui.match import handlers as actions
from bot.ui.match.handlers import Action
from bot.ui.people.standings import PageButton, SeasonSelect
from bot.ui.puzzle.items import PUZZLE_ITEMS
from bot.ui.review.play_from import PlayFromButton
from bot.ui.review.replay import ReplayButton, ReplayStep
from bot.ui.review.views import ReviewButton, ReviewStep
from bot.ui.settings.preferences import WishSelect
from bot.ui.settings.privacy import DeleteButton
from bot.ui.settings.server import SETTING_ITEMS
from bot.ui.tournament.items import TOURNAMENT_ITEMS
from engine.core import Move


class MoveButton(
    ui.DynamicItem[ui.Button[Any]], template=rf"{PREFIX}:m:{MATCH}:{TURN}:(?P<move>[0-9]{{1,4}})"
):
    """One legal move, made against one turn."""

    def __init__(
        self,
        match_id: int,
        turn: int,
        move: Move,
        *,
        label: str | None = None,
        emoji: str | None = None,
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
        disabled: bool = False,
    ) -> None:
        custom_id = f"{PREFIX}:m:{match_id}:{turn}:{move}"
        super().__init__(
            ui.Button(label=label, emoji=emoji, style=style, disabled=disabled, custom_id=custom_id)
        )
        self.match_id, self.turn, self.move = match_id, turn, move

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["match"]), int(match["turn"]), int(match["move"]), label="·")

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, self.match_id)

    async def _press(self, interaction: Interaction) -> None:
        await actions.play(interaction, self.match_id, self.turn, self.move)


class MoveSelect(
    ui.DynamicItem[ui.Select[Any]], template=rf"{PREFIX}:s:{MATCH}:{TURN}:(?P<page>[0-9]{{1,2}})"
):
    """One page of legal moves, where they are too many for buttons."""

    MORE = "more"

    def __init__(
        self, match_id: int, turn: int, page: int, options: Sequence[discord.SelectOption], placeholder: str
    ) -> None:
        custom_id = f"{PREFIX}:s:{match_id}:{turn}:{page}"
        super().__init__(ui.Select(custom_id=custom_id, options=list(options), placeholder=placeholder))
        self.match_id, self.turn, self.page = match_id, turn, page

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        option = discord.SelectOption(label="·")
        return cls(int(match["match"]), int(match["turn"]), int(match["page"]), [option], "")

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, self.match_id)

    async def _press(self, interaction: Interaction) -> None:
        value = self.item.values[0] if self.item.values else ""
        if value == self.MORE:
            await actions.turn_page(interaction, self.match_id, self.turn, self.page + 1)
        elif re.fullmatch(r"[0-9]{1,4}", value):
            await actions.play(interaction, self.match_id, self.turn, int(value))


class ActionButton(
    ui.DynamicItem[ui.Button[Any]],
    template=rf"{PREFIX}:a:{MATCH}:{TURN}:(?P<action>{'|'.join(map(re.escape, Action))})",
):
    """Resign, draw, undo, rematch, and the answers to them."""

    def __init__(
        self,
        match_id: int,
        turn: int,
        action: Action,
        *,
        label: str = "·",
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    ) -> None:
        custom_id = f"{PREFIX}:a:{match_id}:{turn}:{action}"
        super().__init__(ui.Button(label=label, style=style, custom_id=custom_id))
        self.match_id, self.turn, self.action = match_id, turn, action

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["match"]), int(match["turn"]), Action(match["action"]))

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, self.match_id)

    async def _press(self, interaction: Interaction) -> None:
        await actions.act(interaction, self.match_id, self.turn, self.action)


class ChallengeButton(
    ui.DynamicItem[ui.Button[Any]],
    template=rf"{PREFIX}:c:(?P<challenge>[1-9][0-9]{{0,17}}):(?P<answer>accept|decline)",
):
    """Accept an invitation, or decline or withdraw it."""

    def __init__(
        self,
        challenge_id: int,
        *,
        accept: bool,
        label: str = "·",
        style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    ) -> None:
        custom_id = f"{PREFIX}:c:{challenge_id}:{'accept' if accept else 'decline'}"
        super().__init__(ui.Button(label=label, style=style, custom_id=custom_id))
        self.challenge_id, self.accept = challenge_id, accept

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["challenge"]), accept=match["answer"] == "accept")

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await actions.answer_challenge(interaction, self.challenge_id, self.accept)


DYNAMIC_ITEMS: tuple[type[ui.DynamicItem[Any]], ...] = (
    MoveButton,
    MoveSelect,
    ActionButton,
    ChallengeButton,
    PageButton,
    SeasonSelect,
    ReviewButton,
    ReviewStep,
    ReplayButton,
    ReplayStep,
    PlayFromButton,
    *PUZZLE_ITEMS,
    WishSelect,
    DeleteButton,
    *SETTING_ITEMS,
    *TOURNAMENT_ITEMS,
)
"""Everything that app.py registers, so that presses on messages of earlier processes find their way."""
