"""Going online: the bot on the real Discord, from its login to its orderly end."""

from __future__ import annotations

import asyncio
import logging
import sys

import aiohttp
import discord

from bot.app import Discade, build
from bot.config import Settings
from bot.interrupts import Interrupts
from bot.store.lock import held
from bot.warmup import stop_warming, warm_up

EXIT_OK = 0
EXIT_UNREACHABLE = 1
EXIT_SETTINGS = 2

DRAIN_SECONDS = 8.0
"""For agents' last answers after the first signal: container engines kill what has not ended after ten."""

PRESS_SECONDS = 1.0
"""For the answers to people's last presses after that."""

log = logging.getLogger(__name__)


async def go_online(
    settings: Settings, token: str, interrupts: Interrupts, *, only_sync: bool = False
) -> int:
    """Runs until it is interrupted; returns the exit code. only_sync: registers the commands and returns.

    Raises Unusable for the database.
    """
    with held(settings.database_url):
        return await _log_in(build(settings), token, interrupts, only_sync=only_sync)


async def _log_in(bot: Discade, token: str, interrupts: Interrupts, *, only_sync: bool) -> int:
    async with bot:
        try:
            await bot.login(token)
        except discord.LoginFailure:
            return _fail(
                "DISCORD_TOKEN was refused by Discord: copy it again from the page “Bot” of your "
                "application, or reset it there.",
                EXIT_SETTINGS,
            )
        except (aiohttp.ClientConnectionError, OSError):
            return _fail("Discord cannot be reached from here. Is the network up?", EXIT_UNREACHABLE)
        if only_sync:
            await bot.sync_commands(force=True)
            print("The commands are registered with Discord.")  # noqa: T201
            return EXIT_OK
        await _serve(bot, interrupts)
    return EXIT_OK


async def _serve(bot: Discade, interrupts: Interrupts) -> None:
    """Listens to Discord until a signal asks for the end, then ends in the order that loses nothing."""
    warming = asyncio.create_task(warm_up(bot.search))
    connected = asyncio.create_task(bot.connect())
    try:
        if not await interrupts.came_before(connected):
            return connected.result()
        log.info("ending: agents finish what they are thinking about; a second signal quits at once")
        await stop_warming(warming)
        await bot.drain(DRAIN_SECONDS)
        # Nothing more is heard from here on, and what has been heard is answered before the end.
        connected.cancel()
        await asyncio.wait((connected,))
        await bot.finish_presses(PRESS_SECONDS)
    finally:
        connected.cancel()
        await asyncio.gather(connected, return_exceptions=True)
        await stop_warming(warming)


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)  # noqa: T201
    return code
