"""Deleted boards: sent again at once where Discord tells of it, otherwise searched for after a start.

Discord does not report deletions to a bot that was away, so every board of a running match is fetched
once after a start, and those of one server when the bot can see it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

import discord

from bot.domain.boards import BoardLocation
from bot.domain.errors import MatchError, NotFound
from bot.services.changes import Changes
from bot.services.ports import Delivered, RunningBoards
from bot.services.rate_window import RateWindow
from bot.services.reconciler import Delivery
from bot.ui.discord_errors import DISCORD_ERRORS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, classify
from bot.ui.match.display import MessageDisplay

log = logging.getLogger(__name__)

BOARDS_PER_BATCH = 20
BATCH_SECONDS = 5.0
"""Pause between batches: the boards of a large community take minutes, and delay no other request."""

MAX_REPLACEMENTS, REPLACEMENTS_WITHIN = 2, timedelta(minutes=1)
"""How often a board comes back at once; people who delete it again after that mean it."""

NEWEST = 2**62
"""Above every match's number."""


class DeletedBoards:
    """One per client."""

    name: Final = "deleted board of match"
    idle_seconds: Final = BATCH_SECONDS

    def __init__(
        self,
        client: discord.Client,
        store: RunningBoards,
        changes: Changes,
        display: MessageDisplay,
        rate: RateWindow,
    ) -> None:
        self._client = client
        self._store = store
        self._changes = changes
        self._display = display
        self._rate = rate
        self._before: dict[int | None, int] = {None: NEWEST}
        self._read_at = 0.0
        self._unchecked: dict[int, BoardLocation] = {}
        self._failed: dict[int, BoardLocation] = {}
        self._leaving = asyncio.Lock()
        self._replaced: dict[int, list[datetime]] = {}

    def search_again(self, guild_id: int | None = None) -> None:
        """Search that server, or all, for deleted boards that Discord may not have reported."""
        if guild_id is None:
            self._before.clear()
        if self._before.get(None) != NEWEST:
            self._before[guild_id] = NEWEST

    # As a source of the reconciler: an unchecked board is stale until it has been fetched

    async def stale(self, _limit: int) -> Sequence[Delivery[BoardLocation]]:
        now = asyncio.get_running_loop().time()
        if self._before and not self._unchecked and now >= self._read_at:
            self._read_at = now + BATCH_SECONDS
            await self._read_batch()
        # Without a channel: where the bot may not read, it may write all the same.
        return [Delivery(key, board) for key, board in (self._failed | self._unchecked).items()]

    async def deliver(self, delivery: Delivery[BoardLocation]) -> Delivered:
        board, place = delivery.item, delivery.item.location
        if place.guild_id is None or self._client.get_guild(place.guild_id) is not None:
            channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
            try:
                await channel.fetch_message(place.message_id or 0)
            except DISCORD_ERRORS as error:
                if classify(error) is Delivered.DISCORD_DOWN:
                    self._unchecked.pop(board.match_id, None)
                    self._failed[board.match_id] = board
                    return Delivered.DISCORD_DOWN
                await self._replace_missing(board, error)
        await self.give_up(delivery)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[BoardLocation]) -> None:
        self._unchecked.pop(delivery.item.match_id, None)
        self._failed.pop(delivery.item.match_id, None)

    async def _read_batch(self) -> None:
        """Read the next boards, newest first. A server without boards counts as one, to bound the queries."""
        left = BOARDS_PER_BATCH
        while self._before and left > 0:
            guild_id, before = self._before.popitem()
            try:
                boards = await self._store.running_boards(before, left, guild_id)
            except BaseException:
                self._before.setdefault(guild_id, before)
                raise
            if len(boards) == left and self._before.get(None) != NEWEST:
                # Otherwise a new search of all boards was asked for meanwhile.
                self._before.setdefault(guild_id, boards[-1].match_id)
            self._unchecked |= {board.match_id: board for board in boards}
            left -= max(1, len(boards))

    async def _replace_missing(self, board: BoardLocation, error: Exception) -> None:
        code, place = getattr(error, "code", None), board.location
        if code == UNKNOWN_MESSAGE:
            await self._replace(board)
        elif code == UNKNOWN_CHANNEL and place.parent_id is not None:
            log.info("thread %d was deleted; its matches go on around it", place.channel_id)
            await self.leave_thread(place.channel_id, place.parent_id)
        elif code == UNKNOWN_CHANNEL:
            await self.lose_channel(place.channel_id)
        else:
            log.info("message %s cannot be fetched: %r", place.message_id, error)

    # As Discord tells

    async def on_deleted(self, channel_id: int, message_ids: Collection[int]) -> None:
        """Send boards among these deleted messages again; raises Unavailable, and may then be repeated."""
        for board in await self._store.boards_among(channel_id, message_ids):
            if self._may_return(board.match_id):
                await self._rate.wait()
                await self._replace(board)
                self._replaced.setdefault(board.match_id, []).append(self._changes.now())
            else:
                log.info("match %d: its board is deleted repeatedly and waits for a move", board.match_id)

    async def leave_thread(self, thread_id: int, parent_id: int) -> None:
        """Continue the matches of a deleted thread in the channel around it; raises Unavailable."""
        async with self._leaving:  # two at once would send every board twice
            for match in await self._changes.move_out(thread_id, parent_id):
                await self._display.open(match, note="thread_was_deleted")

    async def lose_channel(self, channel_id: int) -> None:
        """Let the clocks of the matches in a deleted channel stand; raises Unavailable."""
        log.info("channel %d was deleted; the clocks of its matches stand", channel_id)
        await self._changes.lose_channel(channel_id)

    async def _replace(self, board: BoardLocation) -> None:
        log.info("match %d: its board was deleted and is sent again", board.match_id)
        try:
            await self._display.replace_deleted(board.match_id, board.location)
        except (MatchError, NotFound) as refusal:
            log.warning("match %d: its board stays deleted: %s", board.match_id, refusal)

    def _may_return(self, match_id: int) -> bool:
        since = self._changes.now() - REPLACEMENTS_WITHIN
        recent = {key: [at for at in times if at > since] for key, times in self._replaced.items()}
        self._replaced = {key: times for key, times in recent.items() if times}
        return len(self._replaced.get(match_id, ())) < MAX_REPLACEMENTS
