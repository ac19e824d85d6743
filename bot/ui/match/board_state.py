"""BoardStates: the version that each board shows, the lock of its edits, and the press whose answer waits."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, field

from bot.domain.match import Match
from bot.services.shown_versions import ShownVersions

LOCK_WAIT_SECONDS = 1.5
"""How long a press waits for an earlier edit of its board; Discord wants an answer within 3 s."""

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

    version: the displayed one. is_reachable: the bot's own token can edit it, not only that of a press.
    """

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    version: int = -1
    is_reachable: bool = True
    pending: PendingAnswer | None = None


class BoardStates:
    """By match. Lives on the event loop."""

    def __init__(self, versions: ShownVersions) -> None:
        self._versions = versions
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

    def displayed(self, match_id: int, version: int) -> None:
        """Record which version the match's message shows."""
        self.of(match_id).version = version
        self._versions.board(match_id, version)
