"""Reminders: a direct message each day with the matches that wait for the person."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from discord import ui

from bot.domain.match import Location, Match
from bot.domain.reminder import ReminderKind
from bot.i18n import Text, Texts
from bot.presentation import status
from bot.services.matches import Matches
from bot.services.reminders import Reminders
from bot.services.settings import SettingsCache
from bot.ui.layout import Item, as_many, linked
from bot.ui.reminders import DailyReminders

BoardOf = Callable[[Match, int], Location]
"""Returns the board of a match on which that person plays."""

LEAST_TO_MOVE = timedelta(days=1).total_seconds()
"""Seconds for a move from which on a match can wait for days."""


class TurnReminders(DailyReminders):
    """Tells people of the matches with days for a move in which it is their turn."""

    name = "turns-dm"
    reminds_of = ReminderKind.TURNS

    def __init__(
        self,
        reminders: Reminders,
        texts: Texts,
        settings: SettingsCache,
        is_on_duty: Callable[[], bool],
        *,
        matches: Matches,
        board_of: BoardOf,
    ) -> None:
        super().__init__(reminders, texts, settings, is_on_duty)
        self._matches = matches
        self._board_of = board_of

    async def parts(self, user_id: int, t: Text) -> tuple[list[Item], list[ui.Button[Any]]] | None:
        waiting = [
            match
            for match in await self._matches.running(user_id)
            if match.awaits(user_id) and lasts_days(match)
        ]
        if not waiting:
            return None
        # In no server: with the names of accounts.
        found = await self._matches.called_in(None, *sorted(waiting, key=lambda one: one.ends_at))
        entries = [
            t(
                "remind_turn",
                match=linked(t, status.summary(t, match, user_id), self._board_of(match, user_id)),
                when=f"<t:{int(match.ends_at.timestamp())}:R>",
            )
            for match in found
        ]
        title = f"### {t('remind_turns', n=len(found))}"
        return [as_many([title, *entries], lambda n: t("and_more", n=n))], []


def lasts_days(match: Match) -> bool:
    """Return whether the match gives days for a move; one against a bot needs a clock for that."""
    clock = match.clock
    if clock is None:
        return not match.has_agent
    return clock.increment is None and clock.seconds >= LEAST_TO_MOVE
