"""What the bot does by itself, again and again: clocks, news, and whatever else its parts have to look at."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from discord.ext import tasks

from bot.domain.errors import Unavailable

log = logging.getLogger(__name__)

TICK_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Job:
    """Something to be done every so many seconds, the first time after a delay.

    name: what the log calls it.
    """

    name: str
    action: Callable[[], Awaitable[object]]
    seconds: float = TICK_SECONDS
    delay_seconds: float = 0.0


class Jobs:
    """The recurring jobs of one process, none of which waits for another."""

    def __init__(self, *jobs: Job) -> None:
        self._loops = [_loop(job) for job in jobs]

    def start(self) -> None:
        for loop in self._loops:
            loop.start()

    def stop(self) -> None:
        for loop in self._loops:
            loop.cancel()


def _loop(job: Job) -> tasks.Loop[Callable[[], Coroutine[Any, Any, None]]]:
    async def run() -> None:
        try:
            await job.action()
        except Unavailable as refusal:
            log.warning("the job %r is done later: %s", job.name, refusal)
        except Exception:
            # The next time tries again; a loop that died would let every clock stand still.
            log.exception("the job %r failed", job.name)

    async def wait() -> None:
        await asyncio.sleep(job.delay_seconds)

    loop = tasks.loop(seconds=job.seconds)(run)
    if job.delay_seconds:
        loop.before_loop(wait)
    return loop
