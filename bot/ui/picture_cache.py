"""PictureCache and animations, each drawn once in a thread and cached."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor

from bot.domain.lru_dict import LruDict

MAX_PICTURES, MAX_ANIMATIONS = 256, 64
"""Some tens of kilobytes each; an animation has a few hundred at most."""


class PictureCache:
    """Draws one picture at a time and keeps the latest ones. Lives on the event loop. limit: how many."""

    def __init__(self, limit: int) -> None:
        self._drawn: LruDict[Hashable, asyncio.Future[bytes]] = LruDict(limit)
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="pictures")

    async def get(self, content: Hashable, draw: Callable[[], bytes]) -> bytes:
        """Return the bytes that `draw` makes, drawn once for all callers with equal content."""
        drawing = self._drawn.get(content)
        if drawing is None:
            drawing = self._drawn[content] = asyncio.get_running_loop().run_in_executor(self._thread, draw)
        try:
            return await asyncio.shield(drawing)
        except Exception:
            self._drawn.pop(content, None)
            raise

    def __len__(self) -> int:
        return len(self._drawn)

    def close(self) -> None:
        """Start no more drawings; the current one is finished."""
        self._thread.shutdown(wait=False, cancel_futures=True)
