"""What is known of the boards' messages: which version each shows, and which press may still edit it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.domain.match import Match
from bot.ui.answers import has_live_token
from bot.ui.client import Interaction

REMEMBERED = 2000
"""Matches whose last shown version is remembered."""

PATIENCE_SECONDS = 1.5
"""How long a press waits for an earlier edit of its board; Discord wants its answer within 3 seconds."""


class Awaited:
    """A press that waits a moment for something newer than it was about to show."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._has_come = asyncio.Event()

    def offer(self, match: Match) -> None:
        if match.version > self.match.version:
            self.match = match
            self._has_come.set()

    async def newest(self, seconds: float) -> Match:
        """What was offered, as soon as anything was; after that time the match as it was."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_come.wait(), seconds)
        return self.match


@dataclass(slots=True)
class Shown:
    """What is known of one match's message.

    version: what it shows. press: whose answer the message is, so that its token can edit it for a while.
    is_reachable: whether the bot itself can edit it, too. awaited: a press about to be answered.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    version: int = -1
    interaction: Interaction | None = None
    is_reachable: bool = True
    awaited: Awaited | None = None

    def offer(self, match: Match) -> bool:
        """Leaves it to a press that is about to be answered to show the match; False where there is none."""
        if self.awaited is None:
            return False
        self.awaited.offer(match)
        return True

    def settle(self, awaited: Awaited | None) -> None:
        """That press waits no longer."""
        if self.awaited is awaited:
            self.awaited = None

    def live_press(self) -> Interaction | None:
        """The press whose token still edits the message."""
        return self.interaction if self.interaction is not None and has_live_token(self.interaction) else None


class ShownBoards:
    """By match. Lives on the event loop, and only while the process does."""

    def __init__(self) -> None:
        self._boards: OrderedDict[int, Shown] = OrderedDict()

    def __len__(self) -> int:
        return len(self._boards)

    def of(self, match_id: int) -> Shown:
        """What is known of the match's message; the oldest are forgotten, never one that is being edited."""
        found = self._boards.get(match_id)
        if found is None:
            while len(self._boards) >= REMEMBERED:
                idle = next((key for key, other in self._boards.items() if not other.lock.locked()), None)
                if idle is None:
                    break
                del self._boards[idle]
            found = self._boards[match_id] = Shown()
        self._boards.move_to_end(match_id)
        return found

    @asynccontextmanager
    async def soon(self, match_id: int) -> AsyncIterator[bool]:
        """Holds the match's lock, or yields False when it was not free in time."""
        lock = self.of(match_id).lock
        try:
            await asyncio.wait_for(lock.acquire(), PATIENCE_SECONDS)
        except TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()
