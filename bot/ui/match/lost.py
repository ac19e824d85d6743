"""Boards that were deleted: shown again at once where Discord says so, else looked for after a start.

Of what is deleted while the bot is away it is never told.
"""

from __future__ import annotations

import asyncio
import enum
import logging
from collections.abc import Callable, Collection
from datetime import datetime, timedelta

import discord

from bot.domain.errors import MatchError, NotFound
from bot.domain.match import Location, Match
from bot.services.backoff import Backoff
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.store.shown import ShownStore, Standing
from bot.ui.discord_errors import DISCORD_ERRORS, UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, classify
from bot.ui.match.display import MessageDisplay

log = logging.getLogger(__name__)

AT_A_LOOK = 20
"""Boards that are looked for at once, so that those of a large community take minutes and disturb nobody."""

LONGEST_PAUSE = 60.0
"""Seconds between two tries to look for a board at which Discord fails again and again."""

AGAIN, AGAIN_WITHIN = 2, timedelta(minutes=1)
"""How often, in which time, a board comes back at once: whoever deletes it once more means it."""

_FIRST = 2**62
"""Above every match's number."""


class Found(enum.Enum):
    """What became of a board; UNKNOWN: Discord does not say. LATER: it may say so soon."""

    THERE = enum.auto()
    NO_MESSAGE = enum.auto()
    NO_PLACE = enum.auto()
    UNKNOWN = enum.auto()
    LATER = enum.auto()


class LostBoards:
    """One a client. proceed: calls or wakes whoever is to move, once they can see where."""

    def __init__(
        self,
        client: discord.Client,
        store: ShownStore,
        changes: Changes,
        display: MessageDisplay,
        proceed: Callable[[Match], None],
        pace: RateWindow,
    ) -> None:
        self._client = client
        self._store = store
        self._changes = changes
        self._display = display
        self._proceed = proceed
        self._pace = pace
        self._left: dict[int | None, int] = {None: _FIRST}
        self._failed: dict[int, Standing] = {}
        self._patience = Backoff()
        self._replaced: dict[int, list[datetime]] = {}

    def again(self, guild_id: int | None = None) -> None:
        """Something may have been deleted there of which nobody was told; None: anywhere."""
        if guild_id is None:
            self._left.clear()
            self._failed.clear()
            self._patience.keep(())
        if self._left.get(None) != _FIRST:
            self._left[guild_id] = _FIRST

    async def look(self) -> None:
        """The next few running matches, the latest first; none once all were looked at.

        Where Discord fails it ends. The next one goes on after that board, which may be the only one, and is
        looked for again later. Raises Unavailable; called again, it goes on.
        """
        most = AT_A_LOOK
        for board in self._due_again()[:most]:
            found = await self._find(board.location)
            if found is Found.LATER:
                self._fail(board)
                return
            await self._is_moved(board, found)
            self._failed.pop(board.match_id, None)
            self._patience.succeed(board.match_id)
            most -= 1
        while self._left and most > 0:
            most -= await self._look_below(*self._left.popitem(), most)

    async def _look_below(self, guild_id: int | None, before: int, most: int) -> int:
        """Looks at so many matches with numbers below that one; returns what is to be counted for it."""
        left: int | None = before
        try:
            boards = await self._store.standing(before, most, guild_id)
            gone: set[int] = set()
            for board in boards:
                if board.location.channel_id not in gone:
                    found = await self._find(board.location)
                    if found is Found.LATER:
                        self._fail(board)
                        left = board.match_id
                        return most
                    if await self._is_moved(board, found):
                        gone.add(board.location.channel_id)
                left = board.match_id
            if len(boards) < most:
                left = None
        finally:
            # Where it was asked for anew meanwhile, it begins anew.
            if left is not None and self._left.get(None) != _FIRST:
                self._left.setdefault(guild_id, left)
        return max(1, len(boards))

    def _due_again(self) -> list[Standing]:
        now = asyncio.get_running_loop().time()
        return [board for key, board in self._failed.items() if not self._patience.is_waiting(key, now)]

    def _fail(self, board: Standing) -> None:
        self._failed[board.match_id] = board
        self._patience.fail(board.match_id, asyncio.get_running_loop().time(), longest=LONGEST_PAUSE)

    async def heard(self, channel_id: int, message_ids: Collection[int]) -> None:
        """These messages were just deleted; boards among them come back, unless deleted on and on.

        Raises Unavailable; called again, it goes on.
        """
        for board in await self._store.standing_among(channel_id, message_ids):
            if self._may_return(board.match_id):
                await self._pace.wait()
                await self._replace(board)
                self._replaced.setdefault(board.match_id, []).append(self._changes.now())
            else:
                log.info(
                    "match %d: its board is deleted again and again, and waits for a move", board.match_id
                )

    async def leave_thread(self, thread_id: int, parent_id: int) -> None:
        """Matches that stood in a thread that is gone go on in the channel around it; raises Unavailable."""
        for match in await self._changes.move_out(thread_id, parent_id):
            self._proceed(await self._display.open(match, note="thread_was_deleted"))

    async def _is_moved(self, board: Standing, found: Found) -> bool:
        """Sends it again where it is gone; whether all that stood in its thread was moved out of it."""
        if found is Found.NO_MESSAGE:
            await self._replace(board)
        if found is not Found.NO_PLACE or board.location.parent_id is None:
            return False
        log.info("thread %d was deleted; its matches go on around it", board.location.channel_id)
        await self.leave_thread(board.location.channel_id, board.location.parent_id)
        return True

    async def _replace(self, board: Standing) -> None:
        log.info("match %d: its board was deleted and is sent again", board.match_id)
        try:
            match = await self._display.replace_deleted(board.match_id, board.location)
        except (MatchError, NotFound) as refusal:
            log.warning("match %d: its board stays deleted: %s", board.match_id, refusal)
            return
        if match is not None:
            self._proceed(match)

    def _may_return(self, match_id: int) -> bool:
        """Whether it has not come back too often of late."""
        since = self._changes.now() - AGAIN_WITHIN
        self._replaced = {
            key: kept
            for key, times in self._replaced.items()
            if (kept := [one for one in times if one > since])
        }
        return len(self._replaced.get(match_id, ())) < AGAIN

    async def _find(self, place: Location) -> Found:
        if place.guild_id is not None and self._client.get_guild(place.guild_id) is None:
            return Found.UNKNOWN
        await self._pace.wait()
        channel = self._client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        try:
            await channel.fetch_message(place.message_id or 0)
        except discord.NotFound as error:
            kinds = {UNKNOWN_MESSAGE: Found.NO_MESSAGE, UNKNOWN_CHANNEL: Found.NO_PLACE}
            return kinds.get(error.code, Found.UNKNOWN)
        except DISCORD_ERRORS as error:
            log.info("message %s cannot be looked for: %r", place.message_id, error)
            return Found.LATER if classify(error) is Delivered.DISCORD_DOWN else Found.UNKNOWN
        return Found.THERE
