"""The state of each board's message in this process: its version and the ways to edit it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from bot.domain.match import Match
from bot.ui.answers import has_live_token
from bot.ui.client import Interaction
from bot.ui.match.answer_waits import LOCK_WAIT_SECONDS

MAX_BOARDS_IN_MEMORY = 2000


class PendingAnswer:
    """A press whose answer waits a moment for a newer version, such as the agent's move."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self._is_newer = asyncio.Event()

    def offer(self, match: Match) -> None:
        if match.version > self.match.version:
            self.match = match
            self._is_newer.set()

    async def newest(self, seconds: float) -> Match:
        """Return the newer match as soon as it is offered, or after that time the match as it was."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._is_newer.wait()
        return self.match


@dataclass(slots=True)
class BoardState:
    """One match's message.

    version: the displayed one. interaction: the press or command that the message answers; its token can
    edit the message for 15 minutes. is_reachable: the bot's own token can edit it, too.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    version: int = -1
    interaction: Interaction | None = None
    is_reachable: bool = True
    pending: PendingAnswer | None = None

    def offer(self, match: Match) -> bool:
        """Leave the match to a pending answer to show; False if there is none."""
        if self.pending is None:
            return False
        self.pending.offer(match)
        return True

    def settle(self, pending: PendingAnswer | None) -> None:
        """End the wait of that answer."""
        if self.pending is pending:
            self.pending = None

    def live_press(self) -> Interaction | None:
        """Return the interaction while its token still edits the message."""
        is_live = self.interaction is not None and has_live_token(self.interaction)
        return self.interaction if is_live else None


class BoardStates:
    """By match. Lives on the event loop."""

    def __init__(self) -> None:
        self._states: OrderedDict[int, BoardState] = OrderedDict()

    def __len__(self) -> int:
        return len(self._states)

    def of(self, match_id: int) -> BoardState:
        """Return the state of the match's message; an unlocked one is evicted beyond the limit."""
        found = self._states.get(match_id)
        if found is None:
            if len(self._states) >= MAX_BOARDS_IN_MEMORY:
                # A second state of a match that is being edited would let two edits overtake each other.
                idle = next((key for key, other in self._states.items() if not other.lock.locked()), None)
                self._states.pop(match_id if idle is None else idle, None)
            found = self._states[match_id] = BoardState()
        self._states.move_to_end(match_id)
        return found

    @asynccontextmanager
    async def locked_soon(self, match_id: int) -> AsyncIterator[bool]:
        """Hold the match's lock, or yield False if it is not free in time.

        A free one is taken at once: before a subscriber of the change that the press made begins to edit.
        `asyncio.wait_for` would let that go first, since it begins a task on Python 3.11.
        """
        lock = self.of(match_id).lock
        try:
            async with asyncio.timeout(LOCK_WAIT_SECONDS):
                await lock.acquire()
        except TimeoutError:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()
