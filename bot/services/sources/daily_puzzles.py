"""Daily puzzles that are due in the channels that servers chose."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final, Protocol

from bot.domain.puzzle import Post, PostStatus
from bot.services.ports import Delivered
from bot.services.reconciler import Delivery
from bot.store.puzzle_posts import PuzzlePostStore

log = logging.getLogger(__name__)


class PuzzleSettings(Protocol):
    """A server's settings. puzzle_hour: UTC, 0 to 23."""

    @property
    def puzzle_channel(self) -> int | None: ...
    @property
    def puzzle_hour(self) -> int: ...


class PuzzlePoster(Protocol):
    """Where the puzzles are displayed."""

    async def post(self, post: Post) -> int | Delivered:
        """Send the puzzle: the message's id, or why there is none. Repeated soon, it sends no second one."""

    async def find(self, post: Post) -> int | None:
        """Find the message, if it was sent and its id was lost."""


class DailyPuzzles:
    """One message per server and day. settings: of the servers that are this process's, by their id."""

    name: Final = "daily puzzle of server"
    idle_seconds: Final = 60.0

    def __init__(
        self,
        store: PuzzlePostStore,
        poster: PuzzlePoster,
        settings: Callable[[], Mapping[int, PuzzleSettings]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._poster = poster
        self._settings = settings
        self._clock = clock

    async def stale(self, limit: int) -> Sequence[Delivery[Post]]:
        now = self._clock()
        day = now.date()
        due = {
            guild_id: chosen.puzzle_channel
            for guild_id, chosen in self._settings().items()
            if chosen.puzzle_channel is not None and now.hour >= chosen.puzzle_hour
        }
        known = await self._store.of(day) if due else {}
        posts = (known.get(key, Post(key, day, channel_id)) for key, channel_id in due.items())
        waiting = (post for post in posts if post.status is PostStatus.CLAIMED)
        found = [Delivery(post.guild_id, post, post.channel_id, day.toordinal()) for post in waiting]
        return found[:limit]

    async def deliver(self, delivery: Delivery[Post]) -> Delivered:
        post = delivery.item
        # Claimed before it is sent: an older claim may be of a process that died while sending.
        sent: int | Delivered | None = None
        if not await self._store.claim(post):
            sent = await self._poster.find(post)
        if sent is None:
            sent = await self._poster.post(post)
        if isinstance(sent, int):
            await self._store.save(replace(post, status=PostStatus.SENT, message_id=sent))
            return Delivered.DELIVERED
        if sent is Delivered.CHANNEL_REFUSED:
            await self.give_up(delivery)
        return sent

    async def give_up(self, delivery: Delivery[Post]) -> None:
        """Post no more that day; tomorrow the server may have repaired it."""
        post = delivery.item
        log.warning("server %d gets no puzzle of %s", post.guild_id, post.day)
        await self._store.save(replace(post, status=PostStatus.REFUSED))
