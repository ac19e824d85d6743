"""A simulated Discord that waits for the bot as long as a busy machine may need."""

from __future__ import annotations

import asyncio
from typing import Any

from simcord.env import Env

from tests.bot import quick_simcord as quick_simcord

SETTLE_SECONDS = 30.0
"""For whatever a person asked. simcord waits for every timer that ends before, so it cannot be a minute."""

PIECE_SECONDS = 10.0
"""Simulated time that passes at once. The bot's jobs run 30 times in it."""

LOOK_SECONDS = 0.01
"""How often simcord looks whether all is done; its own 0.05 are mostly spent waiting for nothing."""


class PatientEnv(Env):
    """simcord gives a bot five seconds to start, regardless of its settle timeout."""

    def __init__(self, bot: Any) -> None:
        super().__init__(bot, settle_timeout=SETTLE_SECONDS)
        bot.job_sleep = self._job_sleep

    async def restart_bot(self, bot: Any = None) -> None:
        bot = bot or self.bot
        bot.job_sleep = self._job_sleep
        await super().restart_bot(bot)

    async def _job_sleep(self, seconds: float) -> None:
        """Wait in simulated time, without keeping simcord from settling."""
        await self.external_wait(asyncio.sleep(seconds), reason="the interval of a job")

    async def advance_time(self, seconds: float) -> None:
        """Let the time pass in pieces: simcord's limit in real time is then one for each."""
        while seconds > PIECE_SECONDS:
            await super().advance_time(PIECE_SECONDS)
            seconds -= PIECE_SECONDS
        await super().advance_time(seconds)

    async def _settle_internal(self, *, timeout: float | None = None, **options: Any) -> None:
        options = {"idle": LOOK_SECONDS, **options}
        await super()._settle_internal(timeout=timeout and max(timeout, self.settle_timeout), **options)
