"""Stepping through a finished match: the buttons that reviews and replays share."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Any, ClassVar, Self

from discord import ui

from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import check_sees
from bot.ui.errors import guarded
from bot.ui.ids import MATCH, PREFIX

ARROWS = MappingProxyType({"first": "⏮️", "back": "◀️", "forward": "▶️", "last": "⏭️"})
SLOTS = (*ARROWS, "worst")
"""Part of each custom_id: two buttons of a row may lead to the same ply, but no two may have one id."""


def step_ids(letter: str) -> str:
    """The custom_ids of the steps of one kind of view."""
    return rf"{PREFIX}:{letter}:{MATCH}:(?P<slot>{'|'.join(SLOTS)}):(?P<ply>[0-9]{{1,4}})"


class StepButton(ui.DynamicItem[ui.Button[Any]], template=step_ids("[a-z]")):
    """Shows a finished match after so many moves; each kind of view has its letter, and says how."""

    letter: ClassVar[str]

    def __init__(
        self, match_id: int, slot: str, ply: int, *, label: str | None = None, disabled: bool = False
    ) -> None:
        custom_id = f"{PREFIX}:{self.letter}:{match_id}:{slot}:{ply}"
        emoji = None if label else ARROWS.get(slot, "❌")
        super().__init__(ui.Button(label=label, emoji=emoji, disabled=disabled, custom_id=custom_id))
        self.match_id, self.ply = match_id, ply

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["match"]), match["slot"], int(match["ply"]))

    @classmethod
    def arrows(cls, match: Match, ply: int) -> list[Self]:
        """To the beginning, a move back, a move on, to the end; what is shown already is disabled."""
        last = len(match.turns)
        plies = (0, max(0, ply - 1), min(last, ply + 1), last)
        return [
            cls(match.id, slot, there, disabled=there == ply)
            for slot, there in zip(ARROWS, plies, strict=True)
        ]

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, self.match_id)

    async def _press(self, interaction: Interaction) -> None:
        match = await interaction.client.service.match(self.match_id)
        check_finished(interaction, match)
        await self.show(interaction, match, min(self.ply, len(match.turns)))

    async def show(self, interaction: Interaction, match: Match, ply: int) -> None:
        """Edits the message that was pressed."""
        raise NotImplementedError


def check_finished(interaction: Interaction, match: Match) -> None:
    """Raises a Refusal unless the match is over, has a move, and is the person's to look at."""
    check_sees(interaction, match)
    if not match.is_over:
        raise MatchError("not_over")
    if not match.turns:
        raise MatchError("nothing_to_review")
