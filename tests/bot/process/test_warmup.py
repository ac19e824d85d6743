"""Warming up: searches wait for their kernels and for no others, and the log says when they are ready."""

from __future__ import annotations

import asyncio
import logging

import pytest

from bot.domain.asker import Asker
from bot.process.warmup import warm_up
from bot.search.pool import SearchPool
from engine.agents import AGENTS, make_agent
from engine.core import Choice, Limit
from engine.games import game


async def _ask(pool: SearchPool, key: str, agent: str) -> Choice:
    return await pool.choose(
        agent, Asker(1, 1), lambda: make_agent(agent), game(key).start(), Limit(nodes=100), kind=agent
    )


@pytest.mark.slow
async def test_every_agent_answers_after_warming_up(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    pool = SearchPool(2, held=AGENTS)
    early = asyncio.create_task(_ask(pool, "connect-four", "mcts"))
    await asyncio.sleep(0.05)
    assert pool.waiting == 1

    await warm_up(pool)

    assert (await asyncio.wait_for(early, 60)).move in range(7)
    assert (await asyncio.wait_for(_ask(pool, "othello", "pattern"), 60)).move in (19, 26, 37, 44)
    assert "the agents are ready" in caplog.text
    await pool.close()


async def test_a_warm_up_can_be_cancelled() -> None:
    pool = SearchPool(1, held=AGENTS)
    warming = asyncio.create_task(warm_up(pool))
    await asyncio.sleep(0.2)

    warming.cancel()

    with pytest.raises(asyncio.CancelledError):
        await warming
    await pool.close()
