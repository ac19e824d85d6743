"""What is known of the boards' messages: which version each shows, and who may edit it at the moment."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from bot.ui.client import Interaction

REMEMBERED = 2000
"""Matches whose last shown version is remembered."""

PATIENCE_SECONDS = 1.5
"""How long a press waits for an earlier edit of its board; Discord wants its answer within 3 seconds."""


@dataclass(slots=True)
class Shown:
    """What is known of one match's message. press: how to edit it where the bot's own token cannot."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    version: int = -1
    interaction: Interaction | None = None


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
