"""What the bot does by itself, again and again: clocks, invitations that expire, forgotten matches."""

from __future__ import annotations

import logging

from discord.ext import tasks

from bot.service import MatchService

log = logging.getLogger(__name__)

TICK_SECONDS = 5.0


class Jobs:
    """The recurring jobs of one process."""

    def __init__(self, service: MatchService) -> None:
        self._service = service

    def start(self) -> None:
        self._tick.start()

    def stop(self) -> None:
        self._tick.cancel()

    @tasks.loop(seconds=TICK_SECONDS)
    async def _tick(self) -> None:
        try:
            await self._service.tick()
        except Exception:
            # The next tick tries again; a loop that died would let every clock stand still.
            log.exception("the clocks could not be looked at")
