"""Compiles the agents' kernels away from the bot's process, then loads them and opens the search pool."""

from __future__ import annotations

import asyncio
import logging
import sys
import time

from bot.search import SearchPool
from engine.core import Limit

log = logging.getLogger(__name__)


async def warm_up(search: SearchPool) -> None:
    """Returns when agents can answer at once; until then searches wait, and everything else works.

    Compiling holds Python's lock for long stretches, so a process of its own does it and leaves the result
    in numba's cache, from where this process loads it.
    """
    began = time.perf_counter()
    compiler = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.kernels", stdout=asyncio.subprocess.DEVNULL
    )
    try:
        status = await compiler.wait()
    except asyncio.CancelledError:
        compiler.kill()
        await compiler.wait()
        raise
    if status != 0:
        log.error("compiling the agents failed with status %d; they compile when first used", status)
    await asyncio.to_thread(load_agents)
    search.release()
    log.info("the agents are ready (%.1f s)", time.perf_counter() - began)


def load_agents() -> None:
    """Imports and loads now what the first search would else load while the event loop waits."""
    from engine.agents import AGENTS, make_agent
    from engine.games import GAMES
    from engine.kernels.warm import load

    load()
    for key, spec in AGENTS.items():
        for game in spec.games:
            make_agent(key).choose(GAMES[game].start(), Limit(nodes=50, depth=1))
