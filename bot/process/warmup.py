"""Compiles the agents' kernels in another process, loads them and releases the searches that need them."""

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
"""Exit codes of a process that ended with its group, by the terminal or the service manager."""


async def warm_up(search: SearchPool) -> None:
    """Prepare all agents; until then their searches wait, while everything else works.

    Compiling holds Python's lock for long stretches, so another process does it and leaves the result in
    numba's cache, where this process finds it. The most popular levels come first.
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
    """Cancel it while the event loop still runs, so that the end of its process is noticed."""
    warming.cancel()
    await asyncio.gather(warming, return_exceptions=True)


def settle() -> None:
    """Free memory that loading has left, and exclude permanent objects from garbage collection."""
    forget_sources()
    look_past_what_stays()
    give_back_now()
