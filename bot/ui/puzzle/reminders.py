"""Reminders: a direct message each day that says there is a new puzzle."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from discord import ui

from bot.domain.puzzle import daily
from bot.domain.reminder import ReminderKind
from bot.i18n import Text, Texts
from bot.presentation.puzzle_texts import days_title, stars
from bot.services.puzzles import Puzzles
from bot.services.reminders import Reminders
from bot.services.settings import SettingsCache
from bot.ui.layout import Item, lines
from bot.ui.puzzle.views import solve_button
from bot.ui.reminders import DailyReminders


class PuzzleReminders(DailyReminders):
    """Tells people of the day's puzzle that they have not answered yet."""

    name = "puzzle-dm"
    reminds_of = ReminderKind.PUZZLE

    def __init__(
        self,
        reminders: Reminders,
        texts: Texts,
        settings: SettingsCache,
        is_on_duty: Callable[[], bool],
        *,
        puzzles: Puzzles,
    ) -> None:
        super().__init__(reminders, texts, settings, is_on_duty)
        self._puzzles = puzzles

    async def parts(self, user_id: int, t: Text) -> tuple[list[Item], list[ui.Button[Any]]] | None:
        today = self._puzzles.today
        attempt = await self._puzzles.days_attempt(user_id, today)
        if attempt is not None and attempt.is_over:
            return None
        puzzle = await asyncio.to_thread(daily, today)
        told = f"### {days_title(t, today, puzzle.game)}", t("remind_today", grade=stars(t, puzzle.grade))
        return [lines(*told)], [solve_button(t, today)]
