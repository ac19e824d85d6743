"""Recurring jobs of one process."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.domain.errors import Unavailable

log = logging.getLogger(__name__)

DEFAULT_INTERVAL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Job:
    """Work to repeat every few seconds, first after a delay.

    name: its name in the log.
    """

    name: str
    run_once: Callable[[], Awaitable[object]]
    seconds: float = DEFAULT_INTERVAL_SECONDS
    delay_seconds: float = 0.0


class Jobs:
    """Runs jobs independently of one another. sleep: how to wait; a simulated clock needs its own."""

    def __init__(self, *jobs: Job, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep) -> None:
        self._jobs = jobs
        self._sleep = sleep
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [asyncio.create_task(self._repeat(job), name=f"job {job.name}") for job in self._jobs]

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _repeat(self, job: Job) -> None:
        if job.delay_seconds:
            await self._sleep(job.delay_seconds)
        while True:
            try:
                await job.run_once()
            except Unavailable as refusal:
                log.warning("the job %r is done later: %s", job.name, refusal)
            except Exception:
                # A job that ended here would let every clock stand still.
                log.exception("the job %r failed", job.name)
            await self._sleep(job.seconds)
