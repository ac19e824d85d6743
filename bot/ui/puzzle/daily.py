"""The daily puzzle in a channel: one message, whose button opens the puzzle privately for each person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import date, datetime, timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.outgoing import Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.domain.puzzle import Task, daily
from bot.i18n import Text
from bot.presentation import CLASSIC, Look, names
from bot.services.outgoing import MessageKind
from bot.services.ports import Delivered
from bot.services.puzzles import Puzzles
from bot.ui.layout import box, custom_ids, lines
from bot.ui.messages import Content
from bot.ui.puzzle.routes import DAY
from bot.ui.puzzle.views import stars, task_board, task_line
from bot.ui.server_notices import ServerTexts
from engine.analysis.puzzles import puzzles

log = logging.getLogger(__name__)


class DailyPuzzle(MessageKind):
    """One message per server and day, from the hour on that the server chose. servers: by their id."""

    name = "daily"
    idle_seconds = 60.0
    gives_up_at = (Delivered.CHANNEL_REFUSED,)

    def __init__(
        self,
        client: discord.Client,
        texts: ServerTexts,
        puzzles: Puzzles,
        servers: Callable[[], Mapping[int, ServerSettings]],
        emoji: Mapping[Hashable, str],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._client = client
        self._texts = texts
        self._puzzles = puzzles
        self._servers = servers
        self._emoji = emoji
        self._clock = clock

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:  # noqa: ARG002
        now = self._clock()
        return [
            Wanted(guild_id, now.toordinal(), Place(chosen.puzzle_channel, guild_id))
            for guild_id, chosen in self._servers().items()
            if chosen.puzzle_channel is not None and now.hour >= chosen.puzzle_hour
        ]

    async def draw(self, wanted: Wanted) -> Content:
        day, t = date.fromordinal(wanted.part), self._texts.of(self._client.get_guild(wanted.subject))
        before = await self._puzzles.results_of_day(day - timedelta(days=1), wanted.subject)
        await asyncio.to_thread(puzzles)  # reading them for the first time takes more than half a second
        return Content(daily_view(day, t, before, CLASSIC.written_in(self._emoji)))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return DAY(date.fromordinal(wanted.part)) in custom_ids(message)

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:  # noqa: ARG002
        """Post no more that day; tomorrow the server may have repaired it."""
        log.warning("server %d gets no puzzle of %s", wanted.subject, date.fromordinal(wanted.part))
        return False


def daily_view(day: date, t: Text, before: tuple[int, int] = (0, 0), look: Look = CLASSIC) -> ui.LayoutView:
    """Build the message. before: how many people solved and tried the puzzle of the day before."""
    puzzle = daily(day)
    game, task = puzzle.game, Task.of(puzzle)
    title = t("puzzle_daily_title", day=t.day(day), game=names.game_title(t, game))
    solved, answered = before
    note = t("puzzle_daily_note")
    if answered:
        note = f"{note}\n-# {t('puzzle_daily_before', n=answered, solved=solved)}"
    button: ui.Button[Any] = ui.Button(
        label=t("button_puzzle_solve"), emoji="🧩", style=discord.ButtonStyle.primary, custom_id=DAY(day)
    )
    return box(
        lines(f"### {title}", f"-# {stars(t, puzzle.grade)}"),
        task_board(t, task, look),
        lines(task_line(t, task, look), f"-# {note}"),
        ui.ActionRow(button),
        colour=names.accent(game, task.state.to_move),
    )
