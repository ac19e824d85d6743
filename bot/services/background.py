"""Tasks that follow a change in the background: each by itself, or one at a time for each key.

Presses wait for them a limited time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar

from bot.domain.errors import Unavailable

log = logging.getLogger(__name__)

K = TypeVar("K")
V = TypeVar("V")


@asynccontextmanager
async def held_soon(lock: asyncio.Lock, seconds: float) -> AsyncIterator[bool]:
    """Hold the lock, or yield False if it is not free in time.

    A free one is taken at once: before a subscriber of the change that a press made begins to edit.
    `asyncio.wait_for` would let that go first, since it begins a task on Python 3.11.
    """
    try:
        async with asyncio.timeout(seconds):
            await lock.acquire()
    except TimeoutError:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


class Background:
    """The running background tasks of one process."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, V]) -> asyncio.Task[V]:
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

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Unavailable):
            log.warning("background task failed: database unavailable: %s", error)
        elif error is not None:
            log.error("background task failed", exc_info=error)


class Coalescer(Generic[K, V]):
    """Runs `work` in the background, one at a time for each key, and skips values that are not the newest.

    most: keys at once; values of further keys are dropped, so something else must find their work.
    """

    def __init__(self, background: Background, work: Callable[[V], Awaitable[object]], most: int) -> None:
        self._background = background
        self._work = work
        self._most = most
        self._newest: dict[K, V | None] = {}

    def offer(self, key: K, value: V) -> None:
        """Run the work with this value, once the running one of the same key is done."""
        if key in self._newest:
            self._newest[key] = value
        elif len(self._newest) < self._most:
            self._newest[key] = value
            self._background.spawn(self._run(key))

    async def _run(self, key: K) -> None:
        try:
            while (value := self._newest[key]) is not None:
                self._newest[key] = None
                await self._work(value)
        finally:
            del self._newest[key]
