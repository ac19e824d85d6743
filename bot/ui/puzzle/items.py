"""What can be pressed under puzzles; each works after any restart, and only for whose attempt it is."""

from __future__ import annotations

import re
from datetime import date
from typing import Any, Self

import discord
from discord import ui

from bot.domain.errors import Refusal
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.errors import guarded
from bot.ui.puzzle import handlers as actions
from bot.ui.puzzle import ids
from bot.ui.puzzle.standings import turn_page


class PuzzleMove(ui.DynamicItem[ui.Button[Any]], template=ids.MOVE):
    """One answer, given at one point of an attempt."""

    def __init__(self, match: re.Match[str]) -> None:
        super().__init__(_button(match))
        self.attempt_id, self.turn, self.move = (int(match[name]) for name in ("attempt", "turn", "move"))

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await actions.answer(interaction, self.attempt_id, self.turn, self.move)


class PuzzleSelect(ui.DynamicItem[ui.Select[Any]], template=ids.SELECT):
    """One page of answers, where they are too many for buttons."""

    def __init__(self, match: re.Match[str]) -> None:
        option = discord.SelectOption(label="·")
        super().__init__(ui.Select(custom_id=match.string, options=[option]))
        self.attempt_id, self.turn, self.page = (int(match[name]) for name in ("attempt", "turn", "page"))

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        value = self.item.values[0] if self.item.values else ""
        if value == ids.MORE:
            await actions.turn_select(interaction, self.attempt_id, self.page + 1)
        elif re.fullmatch(r"[0-9]{1,4}", value):
            await actions.answer(interaction, self.attempt_id, self.turn, int(value))


class PuzzleStep(ui.DynamicItem[ui.Button[Any]], template=ids.STEP):
    """Another try, the solution, or the next puzzle."""

    def __init__(self, match: re.Match[str]) -> None:
        super().__init__(_button(match))
        self.attempt_id, self.step = int(match["attempt"]), ids.Step(match["step"])

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        if self.step is ids.Step.AGAIN:
            await actions.again(interaction, self.attempt_id)
        elif self.step is ids.Step.SOLUTION:
            await actions.show_solution(interaction, self.attempt_id)
        else:
            await actions.show_next(interaction, self.attempt_id)


class PuzzleDay(ui.DynamicItem[ui.Button[Any]], template=ids.DAY):
    """Opens the puzzle of a day, privately for whoever presses."""

    def __init__(self, match: re.Match[str]) -> None:
        super().__init__(_button(match))
        self.day = match["day"]

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        try:
            day = date.fromisoformat(self.day)
        except ValueError:
            raise Refusal("puzzle_day_over") from None
        await actions.open_daily(interaction, day)


class PuzzlePage(ui.DynamicItem[ui.Button[Any]], template=ids.PAGE):
    """Another page of the leaderboard."""

    def __init__(self, match: re.Match[str]) -> None:
        super().__init__(_button(match))
        self.reader_id, self.guild_id = int(match["reader"]), int(match["guild"]) or None
        self.page = int(match["page"])

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match)

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        await turn_page(interaction, self.reader_id, self.guild_id, self.page)


def _button(match: re.Match[str]) -> ui.Button[Any]:
    return ui.Button(label="·", custom_id=match.string)


PUZZLE_ITEMS: tuple[type[ui.DynamicItem[Any]], ...] = (
    PuzzleMove,
    PuzzleSelect,
    PuzzleStep,
    PuzzleDay,
    PuzzlePage,
)
