"""The event loop's pauses while 0 to 4 searches run through SearchPool: perfect ones, and a mixture."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from functools import partial

from bot.domain.asker import Asker
from bot.search.pool import SearchPool
from engine.agents import make_agent
from engine.agents.warm import STAGES, prepare
from engine.core import Agent, Choice, Limit, SearchInfo, State
from engine.games import game
from engine.games.connect_four.early_scores import NO_SCORES
from engine.games.connect_four.exact_solver import ConnectFourSolver

SECONDS = 4.0
STEP = 0.002
SEARCHES = (0, 1, 2, 4)
MIXTURE = (
    ("connect-four", "mcts"),
    ("othello", "alphabeta:depth=30"),
    ("othello", "mcts"),
    ("connect-four", "alphabeta:depth=30"),
)


class FromScratch:
    """The perfect agent's solver without its stored scores: ten seconds' work from the empty board."""

    def choose(self, state: State, limit: Limit) -> Choice:
        found = ConnectFourSolver(early=NO_SCORES).best(state, limit)
        return Choice(state.legal_moves()[0] if found is None else found[0], SearchInfo())


def _mixed(number: int) -> tuple[str, Agent]:
    key, name = MIXTURE[number]
    return key, make_agent(name, 1)


def _perfect(_number: int) -> tuple[str, Agent]:
    return "connect-four", FromScratch()


async def run() -> None:
    for stage in STAGES:
        prepare(stage)
    for title, agent_of in (("perfect", _perfect), ("a mixture", _mixed)):
        print(f"| searches: {title} | median | p99 | longest pause | wake-ups |\n|---|---|---|---|---|")
        await _measure(agent_of)
        print()


def _itself(agent: Agent) -> Agent:
    return agent


async def _measure(agent_of: Callable[[int], tuple[str, Agent]]) -> None:
    for searches in SEARCHES:
        pool = SearchPool(max(searches, 1))
        tasks = [
            asyncio.create_task(
                pool.choose(
                    number,
                    Asker(number, number),
                    partial(_itself, agent),
                    game(key).start(),
                    Limit(seconds=SECONDS),
                )
            )
            for number, (key, agent) in enumerate(map(agent_of, range(searches)))
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
    """Return the delay of many short sleeps, in seconds."""
    delays = []
    end = time.perf_counter() + SECONDS
    while (began := time.perf_counter()) < end:
        await asyncio.sleep(STEP)
        delays.append(time.perf_counter() - began - STEP)
    return delays
