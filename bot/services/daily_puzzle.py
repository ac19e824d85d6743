"""The daily puzzle in the channels that servers chose: once a day each, whatever happens to the process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import Protocol

from bot.store.puzzle_posts import Post, PostStatus, PuzzlePostStore

log = logging.getLogger(__name__)


class Wish(Protocol):
    """A server's decision. puzzle_hour: UTC, 0 to 23."""

    @property
    def puzzle_channel(self) -> int | None: ...
    @property
    def puzzle_hour(self) -> int: ...


class CannotPost(Exception):
    """Discord does not let us post there: no such channel, or no permission."""


class PostLater(Exception):
    """It did not work this time: Discord or the network are out of order."""


class Poster(Protocol):
    """Where the puzzles are shown. Everything here may fail for what Discord refuses."""

    async def post(self, post: Post) -> int:
        """Sends the puzzle and returns the message's id; sending again soon after makes no second message.

        Raises CannotPost where it will not go another time either, and PostLater where it may.
        """

    async def find(self, post: Post) -> int | None:
        """The id of the message if it was sent after all; raises as `post` does."""


class PuzzlePosts:
    """Posts what is due. wishes: what servers want, by their id; clock: the current UTC time."""

    def __init__(
        self,
        store: PuzzlePostStore,
        poster: Poster,
        wishes: Callable[[], Mapping[int, Wish]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._poster = poster
        self._wishes = wishes
        self._clock = clock
        self._posting = asyncio.Lock()

    async def post_due(self) -> None:
        """Posts the day's puzzle wherever its hour has come and it is not there yet."""
        # What somebody else is just sending looks like what a process that died has left.
        async with self._posting:
            await self._post_due()

    async def _post_due(self) -> None:
        now = self._clock()
        due = {
            guild_id: wish.puzzle_channel
            for guild_id, wish in self._wishes().items()
            if wish.puzzle_channel is not None and now.hour >= wish.puzzle_hour
        }
        if not due:
            return
        known = await self._store.of(now.date())
        for guild_id, channel_id in due.items():
            if guild_id not in known:
                await self._begin(guild_id, channel_id, now.date())
            elif known[guild_id].status is PostStatus.CLAIMED:
                await self._go_on(known[guild_id])

    async def _begin(self, guild_id: int, channel_id: int, day: date) -> None:
        post = Post(guild_id, day, channel_id)
        if await self._store.claim(post):
            await self._send(post)

    async def _go_on(self, post: Post) -> None:
        """What was claimed and never noted as sent may stand in the channel all the same."""
        try:
            message_id = await self._poster.find(post)
        except (CannotPost, PostLater) as error:
            log.info("server %d: its channel could not be looked through: %s", post.guild_id, error)
            message_id = None
        if message_id is None:
            await self._send(post)
        else:
            await self._store.save(replace(post, status=PostStatus.SENT, message_id=message_id))

    async def _send(self, post: Post) -> None:
        try:
            message_id = await self._poster.post(post)
        except CannotPost as error:
            # Said once: nothing more happens today. Tomorrow the server may have mended it.
            log.warning("server %d gets no puzzle of %s: %s", post.guild_id, post.day, error)
            await self._store.save(replace(post, status=PostStatus.REFUSED))
        except PostLater as error:
            log.info("server %d: its puzzle is sent again later: %s", post.guild_id, error)
        else:
            await self._store.save(replace(post, status=PostStatus.SENT, message_id=message_id))
