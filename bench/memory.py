"""Memory of the process once every level has played, and while four of the strongest search at once.

`python -m bench memory`, on Linux. The bot's modules and kernels are loaded, without Discord and database.
Optional modules of numba are hidden if a bot installed from requirements.lock lacks them.
"""

from __future__ import annotations

import gc
import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from bot.process.memory import give_back_what_is_freed
from bot.process.warmup import settle
from engine.agents import make_agent
from engine.agents.levels import LEVELS, Level, levels_of
from engine.agents.warm import STAGES, prepare
from engine.core import Agent, Limit, State
from engine.games import GAMES

PLIES = 6
AT_ONCE = 4
AT_REST, UNDER_LOAD = 250, 350
"""Limits in MiB."""
BUSIEST = ("sage", "sage", "una", "kaede")
SEARCH = Limit(seconds=4)
NOT_DEPLOYED = ("scipy", "coverage", "IPython")


async def run() -> None:
    """Print a table of resident memory, and its peak in the last step."""
    print("| after | MiB | asked for at most |\n|---|---|---|")
    give_back_what_is_freed()
    for module in NOT_DEPLOYED:
        sys.modules[module] = cast(Any, None)  # hides the module from numba
    importlib.import_module("bot.app")
    _row("the bot's modules are loaded")
    for stage in STAGES:
        prepare(stage)
    settle()
    _row("every kernel is loaded")
    for game in GAMES:
        for level in levels_of(game):
            _play(level, game)
    gc.collect()
    _row("every level has played", AT_REST)
    Path("/proc/self/clear_refs").write_text("5", "ascii")  # resets the peak
    agents = [(level, *_middle_game(level)) for level in _busiest()]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        for _ in threads.map(lambda one: one[1].choose(one[2], SEARCH), agents):
            pass
    _row(f"{AT_ONCE} of the strongest thought at once, the peak", UNDER_LOAD, "VmHWM")
    del agents
    gc.collect()
    _row("and are gone", AT_REST)


def _play(level: Level, game: str) -> None:
    agent, state = make_agent(level.agent, 1), GAMES[game].start()
    for _ in range(PLIES):
        if state.outcome() is None:
            state = state.play(agent.choose(state, level.limit).move)


def _busiest() -> Iterator[Level]:
    known = {level.key: level for level in LEVELS}
    return (known[key] for key in BUSIEST)


def _middle_game(level: Level) -> tuple[Agent, State]:
    """Return an agent, and a state that needs a long search."""
    quick, state = make_agent("random", 7), GAMES[level.games[0]].start()
    while 4 * state.ply < state.rows * state.columns:
        state = state.play(quick.choose(state, Limit()).move)
    return make_agent(level.agent, 1), state


def _row(after: str, most: int | None = None, entry: str = "VmRSS") -> None:
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    held = next(int(line.split()[1]) for line in lines if line.startswith(f"{entry}:")) / 1024
    print(f"| {after} | {held:.0f} | {'' if most is None else most} |", flush=True)
