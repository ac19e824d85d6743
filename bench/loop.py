"""The event loop's pauses while 0, 1, 2 and 4 searches of the strongest levels run through SearchPool."""

from __future__ import annotations

import asyncio
import time

from bot.search import SearchPool
from bot.warmup import load_agents
from engine.agents import make_agent
from engine.core import Limit
from engine.games import game
from engine.kernels.warm import STAGES

SECONDS = 4.0
STEP = 0.002
SEARCHES = (0, 1, 2, 4)
AGENTS = (
    ("connect-four", "mcts"),
    ("othello", "alphabeta:depth=30"),
    ("othello", "mcts"),
    ("connect-four", "alphabeta:depth=30"),
)


async def run() -> None:
    for stage in STAGES:
        load_agents(stage)
    print("| searches | median | p99 | longest pause | wake-ups |\n|---|---|---|---|---|")
    for searches in SEARCHES:
        pool = SearchPool(max(searches, 1))
        tasks = [
            asyncio.create_task(
                pool.choose(
                    number,
                    number,
                    lambda name=name: make_agent(name, 1),
                    game(key).start(),
                    Limit(seconds=SECONDS),
                )
            )
            for number, (key, name) in enumerate(AGENTS[:searches])
        ]
        delays = await _delays()
        await asyncio.gather(*tasks)
        await pool.close()
        delays.sort()
        median, p99 = delays[len(delays) // 2], delays[int(len(delays) * 0.99)]
        print(
            f"| {searches} | {1000 * median:.2f} ms | {1000 * p99:.2f} ms "
            f"| {1000 * delays[-1]:.2f} ms | {len(delays)} |"
        )


async def _delays() -> list[float]:
    """How late each of many short sleeps ended, in seconds."""
    delays = []
    end = time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        await asyncio.sleep(STEP)
        delays.append(time.perf_counter() - began - STEP)
    return delays
