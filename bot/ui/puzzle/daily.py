"""The daily puzzle in a channel: one message, whose button opens the puzzle privately for each person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

import discord
from discord import ui

from bot.domain.outgoing import Fate, Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.domain.puzzle import DayResult, Solver, Task, daily
from bot.domain.reminder import ReminderKind
from bot.i18n import Text, plain
from bot.presentation import CLASSIC, Look, icons, names
from bot.presentation.puzzle_texts import days_title, marks_of_answers, run_words, stars, task_line
from bot.services.outgoing import MessageKind
from bot.services.ports import Delivered
from bot.services.puzzles import Puzzles
from bot.ui.layout import Item, box, custom_ids, lines
from bot.ui.messages import Content
from bot.ui.puzzle.routes import DAY
from bot.ui.puzzle.views import solve_button, task_board
from bot.ui.reminders import Parts, remind_button
from bot.ui.server_notices import ServerTexts
from engine.analysis.puzzles import puzzles

log = logging.getLogger(__name__)


OVER = "over"
"""The content of a day's message once the day is over: it is edited once more, and left as it is."""

RECOUNTED = timedelta(seconds=20)
"""How often the solvers are counted, and so the shortest time between two edits of a message."""

MOST_BEST = 3
"""People who are named as the best of the day before."""


class DailyPuzzle(MessageKind):
    """One message per server and day, from the hour on that the server chose. servers: by their id.

    It names those who have solved the puzzle there. People who delete it have it away for the day.
    """

    name = "daily"
    idle_seconds = 20.0
    is_standing = True
    is_restored = False
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
        self._solved: Mapping[int, int] = {}
        self._counted_at: datetime | None = None

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        now = self._clock()
        today, counted_at = now.toordinal(), self._counted_at
        # The reconciler asks again at once after it has delivered something.
        if counted_at is None or counted_at.date() != now.date() or now - counted_at >= RECOUNTED:
            self._solved, self._counted_at = await self._puzzles.solved_today(), now
        # A message that never came is not sent when its day is over.
        over = [
            Wanted(note.subject, note.part, note.place, OVER)
            for note in notes
            if note.part < today and note.fate is Fate.SHOWN
        ]
        return over + [
            Wanted(
                guild_id, today, Place(chosen.puzzle_channel, guild_id), str(self._solved.get(guild_id, ""))
            )
            for guild_id, chosen in self._servers().items()
            if chosen.puzzle_channel is not None and now >= chosen.posts_at(now.date())
        ]

    async def draw(self, wanted: Wanted) -> Content:
        day, t = date.fromordinal(wanted.part), self._texts.of(self._client.get_guild(wanted.subject))
        before = await self._puzzles.result_of_day(day - timedelta(days=1), wanted.subject)
        result = await self._puzzles.result_of_day(day, wanted.subject)
        await asyncio.to_thread(puzzles)  # reading them for the first time takes more than half a second
        return Content(daily_view(day, t, before, result, CLASSIC.written_in(self._emoji)))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return DAY(date.fromordinal(wanted.part)) in custom_ids(message)

    async def done(self, wanted: Wanted) -> bool:
        return wanted.shows == OVER

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        """Post no more that day; tomorrow the server may have repaired it."""
        if not was_shown:
            log.warning("server %d gets no puzzle of %s", wanted.subject, date.fromordinal(wanted.part))
        return wanted.shows == OVER


def daily_view(
    day: date,
    t: Text,
    before: DayResult,
    result: DayResult,
    look: Look = CLASSIC,
) -> ui.LayoutView:
    """Build the message. before: of the day before. result: so far."""
    puzzle = daily(day)
    game, task = puzzle.game, Task.of(puzzle)
    note = (f"-# {t('puzzle_daily_note')}", f"-# {line}" if (line := _before_line(t, before)) else "")
    parts: list[Item] = [
        lines(f"### {days_title(t, day, game)}", f"-# {stars(t, puzzle.grade)}"),
        task_board(t, task, look),
        lines(task_line(t, task, icons(game, look)), *note),
    ]
    if result.best:
        parts.append(
            lines(f"**{t('daily_so_far')}**", *map(partial(_solver_line, t), result.best), _more(t, result))
        )
    return box(
        *parts,
        ui.ActionRow[Any](solve_button(t, day), remind_button(t, ReminderKind.PUZZLE)),
        colour=names.accent(game, task.state.to_move),
    )


async def unanswered_puzzle(puzzles: Puzzles, user_id: int, t: Text) -> Parts:
    """Return the direct message about the day's puzzle; None if the person has answered it."""
    today = puzzles.today
    attempt = await puzzles.days_attempt(user_id, today)
    if attempt is not None and attempt.is_over:
        return None
    puzzle = await asyncio.to_thread(daily, today)
    told = f"### {days_title(t, today, puzzle.game)}", t("remind_today", grade=stars(t, puzzle.grade))
    return [lines(*told)], [solve_button(t, today)]


def _before_line(t: Text, before: DayResult) -> str:
    """Yesterday's figures, its best solvers, and the server's run; "" if there was none who tried."""
    if not before.answered:
        return ""
    said = [t("puzzle_daily_before", n=before.answered, solved=before.solved)]
    marks = before.best[0].marks if before.best else ()
    if marks:
        equal = [f"**{plain(one.name)}**" for one in before.best if one.marks == marks]
        squares = "\u2060".join(marks_of_answers(marks))  # word joiners: they stay on one line
        said.append(t("daily_best", names=t.listed(equal[:MOST_BEST]), marks=squares))
    if before.run > 1:
        said.append(t("daily_server_run", n=before.run))
    return " ".join(said)


def _solver_line(t: Text, solver: Solver) -> str:
    # Without marks: begun before answers had them.
    marks = marks_of_answers(solver.marks) or "✅"
    return " · ".join(
        part for part in (f"{marks} **{plain(solver.name)}**", run_words(t, solver.days)) if part
    )


def _more(t: Text, result: DayResult) -> str:
    others = result.solved - len(result.best)
    return f"-# {t('daily_more', n=others)}" if others > 0 else ""
