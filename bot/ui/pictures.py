"""Pictures, drawn beside the loop one at a time and kept while there is room: one for the same content."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

from bot.domain.lru_dict import LruDict

KEPT = 256
"""Pictures; each has some tens of kilobytes."""


class Pictures:
    """One for each process; lives on the event loop. Drawing takes one processor at most."""

    def __init__(self) -> None:
        self._drawn: LruDict[Hashable, asyncio.Future[bytes]] = LruDict(KEPT)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pictures")

    async def of(self, content: Hashable, draw: Callable[[], bytes]) -> bytes:
        """What `draw` returns, once for all who ask for that content."""
        drawing = self._drawn.get(content)
        if drawing is None:
            drawing = asyncio.get_running_loop().run_in_executor(self._thread, draw)
        self._drawn[content] = drawing
        try:
            return await asyncio.shield(drawing)
        except Exception:
            self._drawn.pop(content, None)
            raise

    def __len__(self) -> int:
        return len(self._drawn)

    def close(self) -> None:
        """Draws nothing more; what is being drawn comes to its end."""
        self._thread.shutdown(wait=False, cancel_futures=True)
