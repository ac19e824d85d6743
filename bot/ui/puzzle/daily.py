"""The daily puzzle in a channel: one message, whose button opens the puzzle privately for each person."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Mapping
from datetime import date, timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.puzzle import Post, Task, daily
from bot.i18n import Text, Texts
from bot.presentation import CLASSIC, Look, names
from bot.services.ports import Delivered
from bot.services.puzzles import Puzzles
from bot.services.settings import SettingsCache
from bot.ui.board import pictures_of
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.layout import box, custom_ids, lines
from bot.ui.puzzle.routes import DAY
from bot.ui.puzzle.views import stars, task_board, task_line
from engine.analysis.puzzles import puzzles

log = logging.getLogger(__name__)

MAX_SEARCHED = 50
"""Messages of the channel that are searched for one whose id was lost."""


class DailyPoster:
    """Posts daily puzzles with the bot's own token."""

    def __init__(
        self,
        client: discord.Client,
        texts: Texts,
        settings_cache: SettingsCache,
        puzzles: Puzzles,
        emoji: Mapping[Hashable, str],
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._puzzles = puzzles
        self._emoji = emoji

    async def post(self, post: Post) -> int | Delivered:
        """Send the puzzle: the message's id, or why there is none."""
        guild = self._client.get_guild(post.guild_id)
        if guild is None:
            return Delivered.GONE
        if guild.unavailable:
            return Delivered.MESSAGE_REFUSED
        before = await self._puzzles.results_of_day(post.day - timedelta(days=1), post.guild_id)
        await asyncio.to_thread(puzzles)  # reading them for the first time takes more than half a second
        view = daily_view(post.day, self._text(post), before, CLASSIC.written_in(self._emoji))
        channel = self._client.get_partial_messageable(post.channel_id, guild_id=post.guild_id)
        try:
            # By the nonce a repeated request makes no second message.
            message = await channel.send(
                view=view,
                files=await pictures_of(view),
                nonce=f"{post.guild_id}{post.day.toordinal() % 100_000}",
            )
        except DISCORD_ERRORS as error:
            log.info("server %d: its puzzle could not be posted: %r", post.guild_id, error)
            return classify(error)
        return message.id

    async def find(self, post: Post) -> int | None:
        """Find the day's message among the last ones of the channel; None if it is not there, or unknown."""
        wanted, user = DAY(post.day), self._client.user
        channel = self._client.get_partial_messageable(post.channel_id, guild_id=post.guild_id)
        try:
            async for message in channel.history(limit=MAX_SEARCHED):
                if message.author == user and wanted in custom_ids(message):
                    return message.id
        except DISCORD_ERRORS as error:
            log.info("server %d: its channel could not be searched: %r", post.guild_id, error)
        return None

    def _text(self, post: Post) -> Text:
        """Texts in the server's language."""
        guild = self._client.get_guild(post.guild_id)
        spoken = None if guild is None else str(guild.preferred_locale)
        return self._texts.of(self._settings_cache.server(post.guild_id).language or spoken or "")


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
