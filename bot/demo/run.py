"""The demo: the same bot as on Discord, in a simulated one that a browser shows."""

from __future__ import annotations

import asyncio
import logging
import sys

from bot.app import build
from bot.config import Settings
from bot.warmup import stop_warming, warm_up


async def run_demo(settings: Settings) -> int:
    """Serves the demo until it is interrupted or ended on its page; returns the exit code."""
    # discord.py warns about missing voice libraries, and about the intents of a client that simcord makes to
    # examine it, here on import: nothing that the person at the demo can act on.
    logging.getLogger("discord").setLevel(logging.ERROR)
    from bot.demo.simulated import PortTaken, SimulatedDiscord

    bot = build(settings.for_demo())
    try:
        async with SimulatedDiscord(bot, port=settings.demo_port) as simulated:
            print("Open this address in a browser on this machine; Ctrl-C ends the demo.")  # noqa: T201
            print(simulated.url, flush=True)  # noqa: T201
            warming = asyncio.create_task(warm_up(bot.search))
            try:
                await simulated.run()
            finally:
                await stop_warming(warming)
    except PortTaken:
        print(  # noqa: T201
            f"DISCADE_DEMO_PORT={settings.demo_port} is taken by another program: choose another port, "
            "or leave the variable out.",
            file=sys.stderr,
        )
        return 1
    return 0
