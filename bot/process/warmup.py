"""Compiles the agents' kernels in another process, loads them and releases the searches that need them."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from bot.process.memory import give_back_now, look_past_what_stays
from bot.search.pool import SearchPool
from bot.search.readiness import Readiness
from engine.agents.warm import STAGES, Stage, forget_sources, prepare

log = logging.getLogger(__name__)

SAY_AFTER_SECONDS, SAY_EACH_SECONDS = 4.0, 10.0
"""When progress is first said, and how often; a usual start is over before."""

END_SECONDS = 5.0
"""In which this process is told to end, too, after the signal that ended the compiling one."""

_ENDED_BY_SIGNAL = (-signal.SIGINT, -signal.SIGTERM)
"""Exit codes of a process that ended with its group, by the terminal or the service manager."""


async def warm_up(search: SearchPool, tell: Callable[[str], None] | None = None) -> None:
    """Prepare all agents; until then their searches wait, while everything else works.

    Compiling holds Python's lock for long stretches, so another process does it and leaves the result in
    numba's cache, where this process finds it. The kernels that a search waits for come first.

    tell: is told how far it is, every few seconds if it takes long.
    """
    began, readiness = time.perf_counter(), search.readiness
    compiler = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "engine.agents", stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    if compiler.stdin is None or compiler.stdout is None:
        raise RuntimeError("a process without the pipes that it was given")
    asked, is_apart = compiler.stdin, True
    readiness.begin(lambda key: asked.write(f"{key}\n".encode()))
    ready = asyncio.Event()
    saying = None if tell is None else asyncio.create_task(_say_progress(readiness, tell, ready))
    try:
        while readiness.missing:
            line = await compiler.stdout.readline() if is_apart else b""
            key = line.decode(errors="replace").partition(":")[0]
            if is_apart and not line:
                is_apart = False
                if await compiler.wait() in _ENDED_BY_SIGNAL:
                    # With its group: then this process ends, too, and this task is cancelled meanwhile.
                    await asyncio.sleep(END_SECONDS)
                log.error("the agents could not be compiled apart; that takes place in this process now")
            if not is_apart:
                key = next(iter(readiness.missing))
            if key in readiness.missing:
                await _prepared(readiness.missing[key])
                search.finish(key)
                log.info("ready after %.1f s: %s", time.perf_counter() - began, key)
        await asyncio.to_thread(settle)
        await compiler.wait()
        ready.set()
        if saying is not None:
            await saying
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):
            compiler.kill()
        await compiler.wait()
        raise
    finally:
        if saying is not None:
            saying.cancel()
    log.info("the agents are ready (%.1f s)", time.perf_counter() - began)


async def _prepared(stage: Stage) -> None:
    """Prepare the stage; if it fails, its searches begin all the same, and fail instead of waiting."""
    try:
        await asyncio.to_thread(prepare, stage)
    except Exception:
        log.exception("%s could not be prepared", stage.key)


async def _say_progress(readiness: Readiness, tell: Callable[[str], None], ready: asyncio.Event) -> None:
    """Say how far it is, and then that all is ready; a start with all in the cache says nothing."""
    if await _is_set_within(ready, SAY_AFTER_SECONDS):
        return
    while not ready.is_set():
        if readiness.missing:
            tell(
                f"Play now: the engines get ready meanwhile, which the first start alone needs. "
                f"{len(STAGES) - len(readiness.missing)} of {len(STAGES)}, "
                f"about {readiness.seconds_left_in_all} s more."
            )
        await _is_set_within(ready, SAY_EACH_SECONDS)
    tell("All engines are ready.")


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    with suppress(TimeoutError):
        await asyncio.wait_for(event.wait(), seconds)
    return event.is_set()


def say_in_terminal(line: str) -> None:
    print(line, flush=True)  # noqa: T201


async def stop_warming(warming: asyncio.Task[None]) -> None:
    """Cancel it while the event loop still runs, so that the end of its process is noticed."""
    warming.cancel()
    await asyncio.gather(warming, return_exceptions=True)


def settle() -> None:
    """Free memory that loading has left, and exclude permanent objects from garbage collection."""
    forget_sources()
    look_past_what_stays()
    give_back_now()
