"""Later: what has to follow by itself, and the database refused, is done when it can be."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable

from bot.domain.errors import Unavailable
from bot.domain.lru_dict import LruDict

log = logging.getLogger(__name__)

MOST = 10_000
"""Deeds that wait; beyond them the oldest are left to the next start, which looks for what was missed."""

Deed = Callable[[], Awaitable[object]]
"""Something that may be begun again from its beginning, however far it came."""


class Later:
    """One for each process; lives on the event loop, in whose memory the deeds wait until `look`."""

    def __init__(self) -> None:
        self._waiting: LruDict[Hashable, Deed] = LruDict(MOST)

    async def do(self, key: Hashable, deed: Deed) -> None:
        """Does it now, or later where the database cannot answer. A newer one of that key replaces it."""
        self.drop(key)
        try:
            await deed()
        except Unavailable:
            self.put(key, deed)

    def put(self, key: Hashable, deed: Deed) -> None:
        """Leaves it to the next look."""
        log.info("%s is left for later", key)
        self._waiting[key] = deed

    def drop(self, key: Hashable) -> None:
        """Somebody else does it now, if it waits."""
        self._waiting.pop(key, None)

    async def look(self) -> None:
        """Does what waits, the oldest first, until the database refuses once more; raises nothing."""
        while self._waiting:
            key, deed = next(iter(self._waiting.items()))
            try:
                await deed()
            except Unavailable:
                return
            except Exception:
                # One that cannot be done must not keep the others waiting.
                log.exception("%s could not be done", key)
            if self._waiting.get(key) is deed:
                del self._waiting[key]
