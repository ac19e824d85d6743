"""Pace: how many requests a second the bot makes of its own accord, whoever makes them."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

A_SECOND = 20
"""Requests of the 50 that Discord allows a bot in all; the others are for what people press."""

KEPT = 10
"""Of those, what stays for boards, invitations and calls that are behind."""


class Pace:
    """One for each process; lives on the event loop.

    seconds: the time in which so many requests are made. time: seconds that only grow; the event loop's by
    default.
    """

    def __init__(self, *, seconds: float = 1.0, time: Callable[[], float] | None = None) -> None:
        self._seconds = seconds
        self._time = time or (lambda: asyncio.get_running_loop().time())
        self._made: deque[float] = deque(maxlen=A_SECOND)
        self._turn = asyncio.Lock()

    @property
    def left(self) -> int:
        """How many may be made now."""
        since = self._time() - self._seconds
        while self._made and self._made[0] <= since:
            self._made.popleft()
        return A_SECOND - len(self._made)

    def spend(self, requests: int) -> None:
        """So many are made now."""
        self._made.extend([self._time()] * requests)

    async def wait(self, requests: int = 1) -> None:
        """Waits for a turn to make so many, one after another, and leaves KEPT to those who do not wait."""
        async with self._turn:
            while self.left < KEPT + requests:
                await asyncio.sleep(self._seconds / A_SECOND)
            self.spend(requests)
