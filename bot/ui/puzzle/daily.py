"""The daily puzzle in a channel: a message for everybody, whose button opens it for each person alone."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Hashable, Mapping
from datetime import date, timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.puzzle import Task
from bot.i18n import Text, Texts
from bot.presentation import CLASSIC, Look, names
from bot.services.daily_puzzle import CannotPost, PostLater
from bot.services.puzzles import Puzzles
from bot.services.settings import SettingsCache
from bot.store.puzzle_posts import Post
from bot.ui.board import pictures_of
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, custom_ids, lines
from bot.ui.puzzle.routes import DAY
from bot.ui.puzzle.views import stars, task_board, task_line
from engine.analysis.puzzles import daily, puzzles

log = logging.getLogger(__name__)

LOOKED_THROUGH = 50
"""Messages of the channel among which one that was sent and not noted is looked for."""


class DailyPoster:
    """Sends the day's puzzle as the bot itself."""

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

    async def post(self, post: Post) -> int:
        """The new message's id; raises CannotPost or PostLater."""
        channel = self._channel(post)
        before = await self._puzzles.results_of_day(post.day - timedelta(days=1), post.guild_id)
        await asyncio.to_thread(puzzles)  # the first reading of them takes more than half a second
        view = daily_view(post.day, self._text(post), before, CLASSIC.written_in(self._emoji))
        try:
            # The nonce makes a second sending harmless, if the process dies before it has noted the first.
            message = await channel.send(
                view=view,
                files=await pictures_of(view),
                nonce=f"{post.guild_id}{post.day.toordinal() % 100_000}",
            )
        except (discord.Forbidden, discord.NotFound) as error:
            raise CannotPost(f"channel {post.channel_id}: {error}") from error
        except DISCORD_ERRORS as error:
            raise PostLater(str(error)) from error
        return message.id

    async def find(self, post: Post) -> int | None:
        """The message of that day among the channel's last ones; raises CannotPost or PostLater."""
        wanted, user = DAY(post.day), self._client.user
        try:
            async for message in self._channel(post).history(limit=LOOKED_THROUGH):
                if message.author == user and wanted in custom_ids(message):
                    return message.id
        except (discord.Forbidden, discord.NotFound) as error:
            raise CannotPost(f"channel {post.channel_id}: {error}") from error
        except DISCORD_ERRORS as error:
            raise PostLater(str(error)) from error
        return None

    def _channel(self, post: Post) -> discord.abc.Messageable:
        guild = self._client.get_guild(post.guild_id)
        if guild is None:
            raise CannotPost("the bot is not there any more")
        if guild.unavailable:
            raise PostLater("the server is out of order")
        return self._client.get_partial_messageable(post.channel_id, guild_id=post.guild_id)

    def _text(self, post: Post) -> Text:
        """In the server's language."""
        guild = self._client.get_guild(post.guild_id)
        spoken = None if guild is None else str(guild.preferred_locale)
        return self._texts.of(self._settings_cache.server(post.guild_id).language or spoken or "")


def daily_view(day: date, t: Text, before: tuple[int, int] = (0, 0), look: Look = CLASSIC) -> ui.LayoutView:
    """The day's position, and how many solved the day's before: (solved, answered)."""
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
