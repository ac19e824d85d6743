"""Compiles the agents' kernels away from the bot's process, then loads them and lets their searches begin."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import time

from bot.process.memory import give_back_now, look_past_what_stays
from bot.search.pool import SearchPool
from engine.agents.warm import STAGES, forget_sources, prepare

log = logging.getLogger(__name__)

_ENDED_BY_SIGNAL = (-signal.SIGINT, -signal.SIGTERM)
"""What a terminal or a service manager sends to a whole group of processes."""


async def warm_up(search: SearchPool) -> None:
    """Returns when all agents can answer at once; until then their searches wait, and all else works.

    Compiling holds Python's lock for long stretches, so a process of its own does it and leaves the result
    in numba's cache, from where this process loads it. The levels that most people play come first.
    """
    began = time.perf_counter()
    compiler = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.agents", stdout=asyncio.subprocess.PIPE
    )
    if compiler.stdout is None:
        raise RuntimeError("a process without the pipe that it was given")
    try:
        for stage in STAGES:
            if not await compiler.stdout.readline():
                if await compiler.wait() in _ENDED_BY_SIGNAL:
                    log.info("the compiling process was told to end, as this one is, too")
                    return
                log.error("the agents could not be compiled apart; that takes place in this process now")
            await asyncio.to_thread(prepare, stage)
            search.release(stage.agents)
            log.info("ready after %.1f s: %s", time.perf_counter() - began, ", ".join(stage.agents))
        await asyncio.to_thread(settle)
        await compiler.wait()
    except asyncio.CancelledError:
        compiler.kill()
        await compiler.wait()
        raise
    log.info("the agents are ready (%.1f s)", time.perf_counter() - began)


async def stop_warming(warming: asyncio.Task[None]) -> None:
    """Ends it while the event loop still runs as usual, so that its process is seen to end."""
    warming.cancel()
    await asyncio.gather(warming, return_exceptions=True)


def settle() -> None:
    """Frees, once every stage is loaded, what loading has left, and sets aside what stays."""
    forget_sources()
    look_past_what_stays()
    give_back_now()
