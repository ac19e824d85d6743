"""Warming up: searches wait for their kernels and for no others, and the log says when they are ready."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numba
import pytest

from bot.domain.asker import Asker
from bot.process import warmup
from bot.process.warmup import warm_up
from bot.search.pool import SearchPool
from bot.search.readiness import Readiness
from engine.agents import make_agent
from engine.agents.warm import STAGES, Stage, forget_sources, libraries, load
from engine.core import Choice, Limit
from engine.games import game
from engine.kernels.line_search import search


@contextmanager
def as_before() -> Iterator[None]:
    """A warm-up frees the intermediate code of this process's kernels, and then no new kernel can call them.

    Tests that compile one may run after these.
    """
    load()
    threshold, before = gc.get_threshold(), [(library, library._shared_module) for library in libraries()]
    yield
    gc.set_threshold(*threshold)
    for library, source in before:
        library._shared_module = source


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    with as_before():
        yield


@pytest.mark.slow
def test_a_kernel_of_a_later_test_can_call_those_that_a_warm_up_freed() -> None:
    (signature,) = search.overloads  # type: ignore[attr-defined]

    def compiled() -> object:
        return numba.njit(lambda *arguments: search(*arguments)).get_call_template(signature, {})

    with as_before():
        forget_sources()
        with pytest.raises(RuntimeError, match="unfit for linking"):
            compiled()
    assert compiled()


async def _ask(pool: SearchPool, key: str, agent: str) -> Choice:
    return await pool.choose(
        agent,
        Asker(1, 1),
        lambda: make_agent(agent),
        game(key).start(),
        Limit(nodes=100),
        kind=agent,
        game=key,
    )


@pytest.mark.slow
async def test_every_agent_answers_after_warming_up_and_the_terminal_says_how_far_it_is(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(warmup, "SAY_AFTER_SECONDS", 0.0)
    said: list[str] = []
    pool = SearchPool(2, readiness=Readiness())
    early = asyncio.create_task(_ask(pool, "connect-four", "mcts"))
    await asyncio.sleep(0.05)
    assert pool.waiting == 1

    await warm_up(pool, said.append)

    assert said[0].startswith("Play now: the engines get ready meanwhile")
    assert f"0 of {len(STAGES)}, about" in said[0]
    assert said[-1] == "All engines are ready."
    assert (await asyncio.wait_for(early, 60)).move in range(7)
    assert (await asyncio.wait_for(_ask(pool, "othello", "pattern"), 60)).move in (19, 26, 37, 44)
    assert "the agents are ready" in caplog.text
    await pool.close()


async def test_a_warm_up_can_be_cancelled() -> None:
    pool = SearchPool(1, readiness=Readiness())
    warming = asyncio.create_task(warm_up(pool))
    await asyncio.sleep(0.2)

    warming.cancel()

    with pytest.raises(asyncio.CancelledError):
        await warming
    await pool.close()


@pytest.mark.slow
async def test_a_stage_that_cannot_be_prepared_keeps_no_search_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    pool = SearchPool(1, readiness=Readiness())
    # The compiling process tells of other stages, which nothing here waits for.
    pool.readiness.missing = {"pattern": Stage("pattern", ("engine.kernels.no_such",), (), 1.0)}
    early = asyncio.create_task(_ask(pool, "othello", "pattern"))

    await asyncio.wait_for(warm_up(pool), 120)

    assert (await asyncio.wait_for(early, 60)).move in (19, 26, 37, 44)
    assert "pattern could not be prepared" in caplog.text
    await pool.close()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs the system's list of processes")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
async def test_the_end_of_the_compiling_process_alone_keeps_no_search_waiting(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warmup, "END_SECONDS", 0.1)
    pool = SearchPool(1, readiness=Readiness())
    pool.readiness.missing = {stage.key: stage for stage in STAGES if stage.key == "pattern"}
    early = asyncio.create_task(_ask(pool, "othello", "pattern"))
    warming = asyncio.create_task(warm_up(pool))
    while not (compilers := _compilers()):
        await asyncio.sleep(0.01)

    os.kill(compilers[0], number)

    assert (await asyncio.wait_for(early, 120)).move in (19, 26, 37, 44)
    await asyncio.wait_for(warming, 60)
    await pool.close()


def _compilers() -> list[int]:
    """Return the compiling processes that this one has started."""
    found = []
    for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split():
        with suppress(OSError):  # it has ended meanwhile
            if b"engine.agents" in Path(f"/proc/{number}/cmdline").read_bytes():
                found.append(int(number))
    return found
