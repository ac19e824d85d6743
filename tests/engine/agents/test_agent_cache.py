"""Agents that live as long as their match: caching, lending, eviction and closing."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable

import pytest

from engine.agents.agent_cache import AgentCache, close_agent
from engine.agents.random import RandomAgent
from engine.core import Agent, Choice, EngineError, Limit, SearchInfo, State, replay
from engine.games import game

START = game("connect-four").start()
OVER = replay(START, [0, 1, 0, 1, 0, 1, 0])


class Numbered:
    """Chooses its own number; waits for an event if it has one."""

    def __init__(self, number: int, log: list[str], wait: threading.Event | None = None) -> None:
        self.number, self.log, self.wait = number, log, wait

    def choose(self, state: State, limit: Limit) -> Choice:
        if not state.legal_moves():
            raise EngineError("over")
        self.log.append(f"{self.number} chooses")
        if self.wait is not None and state.ply:
            assert self.wait.wait(60)
        return Choice(0, SearchInfo(nodes=self.number))

    def close(self) -> None:
        self.log.append(f"{self.number} closes")


def maker(log: list[str], wait: threading.Event | None = None) -> Callable[[], Agent]:
    numbers = itertools.count()
    return lambda: Numbered(next(numbers), log, wait)


def test_a_seat_keeps_its_agent_until_the_match_is_over() -> None:
    log: list[str] = []
    kept, make = AgentCache(), maker(log)
    for seat in ("first", "second", "first", "second"):
        kept.agent(1, seat, make).choose(START, Limit())
    kept.end(1)
    kept.agent(1, "first", make).choose(START, Limit())
    assert log == ["0 chooses", "1 chooses"] * 2 + ["0 closes", "1 closes", "2 chooses"]


def test_the_least_recently_used_agent_is_dropped_when_there_are_too_many() -> None:
    log: list[str] = []
    kept, make = AgentCache(most=2), maker(log)
    for match in (1, 2, 1, 3, 1, 2):
        kept.agent(match, 0, make).choose(START, Limit())
    assert log == [
        *("0 chooses", "1 chooses", "0 chooses", "2 chooses", "1 closes"),
        *("0 chooses", "3 chooses", "2 closes"),
    ]
    kept.close()
    assert sorted(log[-2:]) == ["0 closes", "3 closes"]


def test_one_agent_never_searches_twice_at_once() -> None:
    log: list[str] = []
    go_on = threading.Event()
    kept, make = AgentCache(), maker(log, go_on)
    kept.agent(1, 0, make).choose(START, Limit())
    slow = threading.Thread(target=kept.agent(1, 0, make).choose, args=(START.play(0), Limit()))
    slow.start()
    while len(log) < 2:
        go_on.wait(0.01)
    quick = kept.agent(1, 0, make).choose(START, Limit())
    assert quick.info.nodes == 1, "the first one is still searching"
    go_on.set()
    slow.join()
    assert log == ["0 chooses", "0 chooses", "1 chooses", "0 closes"], "the later one is kept"
    assert kept.agent(1, 0, make).choose(START, Limit()).info.nodes == 1


def test_an_agent_in_use_when_its_match_ends_is_dropped_afterwards() -> None:
    log: list[str] = []
    go_on = threading.Event()
    kept, make = AgentCache(), maker(log, go_on)
    slow = threading.Thread(target=kept.agent(1, 0, make).choose, args=(START.play(0), Limit()))
    slow.start()
    while not log:
        go_on.wait(0.01)
    kept.end(1)
    assert log == ["0 chooses"]
    go_on.set()
    slow.join()
    assert log == ["0 chooses", "0 closes"]
    kept.agent(1, 0, make).choose(START, Limit())
    kept.agent(1, 0, make).choose(START, Limit())
    assert log[2:] == ["1 chooses", "1 chooses"], "a match of that name may begin again"


def test_an_agent_that_raises_is_not_kept() -> None:
    log: list[str] = []
    kept, make = AgentCache(), maker(log)
    with pytest.raises(EngineError):
        kept.agent(1, 0, make).choose(OVER, Limit())
    kept.agent(1, 0, make).choose(START, Limit())
    assert log == ["0 closes", "1 chooses"]


def test_agents_without_resources_need_no_close() -> None:
    close_agent(RandomAgent(0))
