"""Tasks that follow a change in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine

from bot.domain.errors import Unavailable

log = logging.getLogger(__name__)


class Background:
    """The running background tasks of one process."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Start the work; an exception is logged and affects nothing else."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    async def drain(self) -> None:
        """Wait until no task is running."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))

    async def close(self) -> None:
        """Cancel every task; the next start resumes the unfinished work."""
        for task in tuple(self._tasks):
            task.cancel()
        await self.drain()

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Unavailable):
            log.warning("background task failed: database unavailable: %s", error)
        elif error is not None:
            log.error("background task failed", exc_info=error)
