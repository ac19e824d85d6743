"""SearchPool on real threads: bounded, fair by server and person, cancellable."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import AsyncIterator, Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import pytest
import pytest_asyncio

from bot.domain.asker import Asker
from bot.domain.errors import Refusal
from bot.search.pool import Lost, SearchPool
from engine.analysis.searches import ChooseMove, Memory, NamedSearch
from engine.core import Agent, Choice, Limit, SearchInfo, State
from engine.games import game
from tests.working import MAX_TEST_WAIT_SECONDS

START = game("tic-tac-toe").start()
T = TypeVar("T")


class Waiting:
    """An agent that answers when it is released or told to stop, and remembers that it was asked."""

    def __init__(self, name: str, order: list[str]) -> None:
        self.name = name
        self.order = order
        self.began = threading.Event()
        self.released = threading.Event()
        self.was_stopped = False

    def choose(self, state: State, limit: Limit) -> Choice:
        self.order.append(self.name)
        self.began.set()
        while not self.released.wait(0.002):
            if limit.stop is not None and limit.stop.is_set():
                self.was_stopped = True
                break
        return Choice(state.legal_moves()[0], SearchInfo())


@pytest_asyncio.fixture
async def pool() -> AsyncIterator[SearchPool]:
    pool = SearchPool(1)
    yield pool
    await pool.close()


def _of(server: Hashable, person: Hashable = None) -> Asker:
    """By default another person in each server."""
    return Asker(server, server if person is None else person)


async def _ask(
    pool: SearchPool, agent: Waiting, server: Hashable, person: Hashable = None, *, is_quick: bool = False
) -> Choice:
    asker = _of(server, person)
    return await pool.choose(agent.name, asker, lambda: agent, START, Limit(), is_quick=is_quick)


def _same(agent: Agent) -> Agent:
    return agent


async def _until(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, MAX_TEST_WAIT_SECONDS)


async def _turns() -> None:
    """Let the event loop run what is ready, and what that makes ready."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_servers_take_turns_however_many_searches_one_of_them_asks_for(pool: SearchPool) -> None:
    order: list[str] = []
    agents = {name: Waiting(name, order) for name in ("a1", "a2", "a3", "b1")}
    tasks = [asyncio.create_task(_ask(pool, agent, name[0])) for name, agent in agents.items()]
    await _until(agents["a1"].began)

    for agent in agents.values():
        agent.released.set()
    await asyncio.gather(*tasks)

    assert order.index("b1") <= 2
    assert sorted(order) == ["a1", "a2", "a3", "b1"]


async def test_people_of_a_server_take_turns_and_keep_the_order_of_their_own(pool: SearchPool) -> None:
    order: list[str] = []
    asked = [("a1", "s"), ("a2", "s"), ("a3", "s"), ("b1", "s"), ("b2", "s"), ("c1", "s"), ("d1", "t")]
    agents = {name: Waiting(name, order) for name, _ in asked}
    tasks = [asyncio.create_task(_ask(pool, agents[name], server, name[0])) for name, server in asked]
    await _until(agents["a1"].began)

    for agent in agents.values():
        agent.released.set()
    await asyncio.gather(*tasks)

    assert order == ["a1", "a2", "d1", "b1", "c1", "a3", "b2"]


async def test_one_person_has_half_of_the_threads_in_all_servers_together() -> None:
    pool, order = SearchPool(4), list[str]()
    agents = {name: Waiting(name, order) for name in ("a1", "a2", "a3", "b1")}
    tasks = [
        asyncio.create_task(_ask(pool, agent, number, name[0]))
        for number, (name, agent) in enumerate(agents.items())
    ]
    for name in ("a1", "a2", "b1"):
        await _until(agents[name].began)
    assert sorted(order) == ["a1", "a2", "b1"]
    assert (pool.running, pool.waiting) == (3, 1)

    agents["a1"].released.set()
    await _until(agents["a3"].began)
    await asyncio.sleep(0)
    for agent in agents.values():
        agent.released.set()
    await asyncio.gather(*tasks)
    await pool.close()


async def test_a_quick_search_waits_for_no_deep_one(pool: SearchPool) -> None:
    deep, quick, other = (Waiting(name, []) for name in ("deep", "quick", "other"))
    thinking = [asyncio.create_task(_ask(pool, deep, "server", "ada"))]
    await _until(deep.began)
    thinking += [
        asyncio.create_task(_ask(pool, agent, "server", "ada", is_quick=True)) for agent in (quick, other)
    ]
    await _until(quick.began)
    assert (pool.running, pool.waiting) == (2, 1), "quick ones wait for each other"

    quick.released.set()
    await _until(other.began)
    assert not thinking[0].done()
    for agent in (deep, other):
        agent.released.set()
    await asyncio.gather(*thinking)


async def test_no_more_searches_run_than_there_are_threads(pool: SearchPool) -> None:
    order: list[str] = []
    first, second = Waiting("first", order), Waiting("second", order)
    tasks = [asyncio.create_task(_ask(pool, agent, "server")) for agent in (first, second)]
    await _until(first.began)
    await asyncio.sleep(0.05)

    assert (pool.running, pool.waiting) == (1, 1)
    assert order == ["first"]

    first.released.set()
    second.released.set()
    await asyncio.gather(*tasks)


async def test_a_cancelled_search_is_told_to_stop_and_frees_its_thread(pool: SearchPool) -> None:
    order: list[str] = []
    agent, following = Waiting("agent", order), Waiting("following", order)
    following.released.set()
    task = asyncio.create_task(_ask(pool, agent, "server"))
    await _until(agent.began)

    pool.cancel("agent")

    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.wait_for(_ask(pool, following, "server"), MAX_TEST_WAIT_SECONDS)
    assert agent.was_stopped


async def test_a_search_cancelled_in_the_queue_never_begins(pool: SearchPool) -> None:
    order: list[str] = []
    first, second = Waiting("first", order), Waiting("second", order)
    tasks = [asyncio.create_task(_ask(pool, agent, "server")) for agent in (first, second)]
    await _until(first.began)

    pool.cancel("second")
    first.released.set()
    await asyncio.gather(*tasks, return_exceptions=True)

    assert order == ["first"]
    assert pool.waiting == 0


async def test_an_awaiting_task_that_is_cancelled_stops_its_search(pool: SearchPool) -> None:
    agent = Waiting("agent", [])
    task = asyncio.create_task(_ask(pool, agent, "server"))
    await _until(agent.began)

    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task
    await pool.close()
    assert agent.was_stopped


async def test_an_agent_without_a_clock_must_choose_at_last(
    pool: SearchPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.search.pool.LONGEST_CHOICE_SECONDS", 0.05)
    order: list[str] = []
    endless, timed = Waiting("endless", order), Waiting("timed", order)
    found = await asyncio.wait_for(_ask(pool, endless, "server"), MAX_TEST_WAIT_SECONDS)
    assert found.move == START.legal_moves()[0]
    assert endless.was_stopped

    asked = asyncio.create_task(pool.choose("timed", _of("server"), lambda: timed, START, Limit(seconds=60)))
    await _until(timed.began)
    await asyncio.sleep(0.2)
    timed.released.set()
    await asked
    assert not timed.was_stopped, "it has a clock of its own"


async def test_an_agents_error_reaches_the_caller(pool: SearchPool) -> None:
    class Broken:
        def choose(self, state: State, limit: Limit) -> Choice:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await pool.choose("key", _of("server"), Broken, START, Limit())


async def test_held_kinds_wait_until_they_are_released_and_others_do_not() -> None:
    pool = SearchPool(1, held={"slow", "slower"})
    order: list[str] = []
    agents = {kind: Waiting(kind, order) for kind in ("slow", "slower", "quick")}
    tasks = []
    for kind, agent in agents.items():
        agent.released.set()
        tasks.append(
            asyncio.create_task(
                pool.choose(kind, _of("server"), partial(_same, agent), START, Limit(), kind=kind)
            )
        )
    await asyncio.wait_for(tasks[2], MAX_TEST_WAIT_SECONDS)
    await asyncio.sleep(0.05)
    assert order == ["quick"]

    pool.release({"slow"})
    await asyncio.wait_for(tasks[0], MAX_TEST_WAIT_SECONDS)
    await asyncio.sleep(0.05)
    assert order == ["quick", "slow"]

    pool.release()
    await asyncio.wait_for(tasks[1], MAX_TEST_WAIT_SECONDS)
    await pool.close()


async def test_a_closed_pool_refuses_searches() -> None:
    pool = SearchPool(1)
    await pool.close()

    with pytest.raises(asyncio.CancelledError):
        await _ask(pool, Waiting("agent", []), "server")


async def test_draining_lets_running_searches_finish_and_starts_no_others(pool: SearchPool) -> None:
    order: list[str] = []
    thinking, waiting, late = (Waiting(name, order) for name in ("a1", "a2", "a3"))
    answered = asyncio.create_task(_ask(pool, thinking, "a"))
    dropped = asyncio.create_task(_ask(pool, waiting, "a"))
    await _until(thinking.began)

    draining = asyncio.create_task(pool.drain(MAX_TEST_WAIT_SECONDS))
    await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await _ask(pool, late, "a")
    with pytest.raises(asyncio.CancelledError):
        await dropped
    thinking.released.set()
    await draining

    assert (await answered).move in START.legal_moves()
    assert order == ["a1"]
    assert not thinking.was_stopped


async def test_draining_ends_at_its_time_limit_despite_running_searches(pool: SearchPool) -> None:
    slow = Waiting("a1", [])
    asked = asyncio.create_task(_ask(pool, slow, "a"))
    await _until(slow.began)

    await asyncio.wait_for(pool.drain(0.05), MAX_TEST_WAIT_SECONDS)

    assert not asked.done()
    await pool.close()
    assert slow.was_stopped
    with pytest.raises(asyncio.CancelledError):
        await asked


async def test_a_search_of_the_same_key_takes_the_place_of_the_one_before(pool: SearchPool) -> None:
    order: list[str] = []
    older, newer = Waiting("match", order), Waiting("match", order)
    newer.released.set()
    first = asyncio.create_task(_ask(pool, older, "server"))
    await _until(older.began)

    await asyncio.wait_for(_ask(pool, newer, "server"), MAX_TEST_WAIT_SECONDS)

    with pytest.raises(asyncio.CancelledError):
        await first
    assert older.was_stopped


async def test_after_an_answer_its_key_is_forgotten(pool: SearchPool) -> None:
    agent = Waiting("match", [])
    agent.released.set()
    await asyncio.wait_for(_ask(pool, agent, "server"), MAX_TEST_WAIT_SECONDS)
    assert pool._searches == {}
    pool.cancel("match")
    async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
        while pool.running:  # the thread is free a moment after its answer
            await asyncio.sleep(0)
    assert pool.waiting == 0


async def test_kinds_are_held_one_after_another(pool: SearchPool) -> None:
    pool.hold({"slow"})
    pool.hold({"slower"})
    order: list[str] = []
    tasks = []
    for kind in ("slow", "slower"):
        agent = Waiting(kind, order)
        agent.released.set()
        tasks.append(
            asyncio.create_task(
                pool.choose(kind, _of("server"), partial(_same, agent), START, Limit(), kind=kind)
            )
        )
    await asyncio.sleep(0.05)
    assert (pool.waiting, order) == (2, [])
    pool.release()
    await asyncio.wait_for(asyncio.gather(*tasks), MAX_TEST_WAIT_SECONDS)
    assert sorted(order) == ["slow", "slower"]


async def test_searches_think_in_threads_of_their_own_that_give_way(pool: SearchPool) -> None:
    def thread(limit: Limit) -> tuple[str, int]:
        niceness = (
            os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) if sys.platform == "linux" else 10
        )
        return threading.current_thread().name, niceness

    name, niceness = await asyncio.wait_for(
        pool.search("key", _of("server"), thread, Limit()), MAX_TEST_WAIT_SECONDS
    )

    assert name.startswith("search")
    assert niceness == 10


async def test_an_observer_is_told_of_every_search_and_its_duration(pool: SearchPool) -> None:
    told: list[tuple[str, float]] = []
    pool.watch = lambda kind, seconds: told.append((kind, seconds))
    assert pool.longest_seconds == 0.0
    agent = Waiting("a1", [])
    asked = asyncio.create_task(pool.choose("a1", _of("server"), lambda: agent, START, Limit(), kind="mcts"))
    await _until(agent.began)
    await asyncio.sleep(0.05)
    assert 0.05 <= pool.longest_seconds < MAX_TEST_WAIT_SECONDS
    agent.released.set()
    await asked
    await asyncio.sleep(0)

    ((kind, seconds),) = told
    assert kind == "mcts"
    assert 0.05 <= seconds < MAX_TEST_WAIT_SECONDS
    assert pool.longest_seconds == 0.0


async def test_an_agent_is_closed_after_its_answer(pool: SearchPool) -> None:
    class Closing(Waiting):
        is_closed = False

        def close(self) -> None:
            self.is_closed = True

    agent = Closing("a1", [])
    agent.released.set()
    await asyncio.wait_for(_ask(pool, agent, "server"), MAX_TEST_WAIT_SECONDS)
    assert agent.is_closed


async def test_closing_waits_for_the_threads_to_end() -> None:
    before, pool = _searching(), SearchPool(1)
    agent = Waiting("a1", [])
    asked = asyncio.create_task(_ask(pool, agent, "server"))
    await _until(agent.began)
    assert _searching() - before

    await pool.close()

    assert agent.was_stopped
    assert not _searching() - before
    with pytest.raises(asyncio.CancelledError, match=r"^the search pool is closed$"):
        await _ask(pool, Waiting("late", []), "server")
    with pytest.raises(asyncio.CancelledError):
        await asked


def _searching() -> set[threading.Thread]:
    """Threads for searches, also of pools that belong to other tests."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("search")}


class Timed:
    """An agent that notes how long it may think."""

    def __init__(self, given: list[float | None]) -> None:
        self.given = given

    def choose(self, state: State, limit: Limit) -> Choice:
        self.given.append(limit.seconds)
        return Choice(state.legal_moves()[0], SearchInfo())


async def test_in_a_crowd_agents_get_less_time_and_the_log_says_so(
    pool: SearchPool, caplog: pytest.LogCaptureFixture
) -> None:
    given: list[float | None] = []
    caplog.set_level("INFO", "bot.search.pool")
    first = Waiting("first", [])
    tasks = [asyncio.create_task(_ask(pool, first, "a"))]
    await _until(first.began)
    for number in range(4):
        choice = pool.choose(number, _of(number), lambda: Timed(given), START, Limit(seconds=4.0))
        tasks.append(asyncio.create_task(choice))
    await asyncio.sleep(0)
    first.released.set()
    await asyncio.gather(*tasks)
    assert given == pytest.approx([4 / 3, 2, 4, 4])
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        "3 searches wait for 1 threads: agents that think by the clock get 33 % of it.",
        "The queue is short again: 2 choices had less time, one 33 % of it.",
    ]


async def test_many_searches_of_one_person_shorten_their_own_time_alone() -> None:
    pool, given = SearchPool(2), dict[str, list[float | None]]()
    first = Waiting("a0", [])
    tasks = [asyncio.create_task(_ask(pool, first, "server", "a"))]
    await _until(first.began)
    for name in ("a1", "a2", "a3", "b1"):
        agent = Timed(given.setdefault(name, []))
        choice = pool.choose(name, _of("server", name[0]), partial(_same, agent), START, Limit(seconds=6))
        tasks.append(asyncio.create_task(choice))
    await tasks[-1]
    first.released.set()
    await asyncio.gather(*tasks)
    await pool.close()
    assert given == {"b1": [6], "a1": [3], "a2": [6], "a3": [6]}


async def test_a_busy_pool_does_not_change_proofs_and_node_limits(pool: SearchPool) -> None:
    limits: list[Limit] = []
    first = Waiting("first", [])
    tasks: list[asyncio.Task[object]] = [asyncio.create_task(_ask(pool, first, "a"))]
    await _until(first.began)
    for number in range(6):
        search = pool.search(number, _of(number), limits.append, Limit(seconds=4.0, nodes=10))
        tasks.append(asyncio.create_task(search))
    await asyncio.sleep(0)
    first.released.set()
    await asyncio.gather(*tasks)
    assert {(limit.seconds, limit.nodes) for limit in limits} == {(4.0, 10)}


class Neighbour:
    """Another machine: a separate thread that can disappear with its searches."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.on_change: Callable[[], None] | None = None
        self.done: list[Hashable] = []
        self.limits: list[Limit] = []
        self.wait: asyncio.Future[None] | None = None

    async def carry_out(self, work: NamedSearch[T], limit: Limit) -> T:
        self.limits.append(limit)
        if self.wait is not None:
            await self.wait
        self.done.append(work.sitting)
        return await asyncio.to_thread(work.carry_out, Memory(), limit)

    async def close(self) -> None:
        self.threads = 0

    def change(self, threads: int) -> None:
        self.threads = threads
        assert self.on_change is not None
        self.on_change()


def _named(number: int) -> ChooseMove:
    return ChooseMove(number, "random", 1, START)


async def test_other_machines_get_only_named_searches_up_to_their_threads() -> None:
    neighbour = Neighbour(2)
    pool = SearchPool(1, elsewhere=neighbour)
    neighbour.wait = asyncio.get_running_loop().create_future()
    named = [
        asyncio.create_task(pool.search(number, _of(1, number), _named(number), Limit()))
        for number in range(3)
    ]
    quick = asyncio.create_task(pool.search("quick", _of(1), lambda _: "here", Limit()))
    assert await quick == "here"
    assert (pool.running, pool.waiting) == (2, 1)
    neighbour.wait.set_result(None)
    await asyncio.gather(*named)
    assert neighbour.done == [0, 1, 2]
    await pool.close()


async def test_servers_take_turns_on_other_machines_too() -> None:
    neighbour = Neighbour(1)
    pool = SearchPool(1, elsewhere=neighbour, held={"named"})
    asked = [
        asyncio.create_task(pool.search(number, _of(number // 10), _named(number), Limit(), kind="named"))
        for number in (11, 12, 21, 22)
    ]
    await asyncio.sleep(0)
    pool.release()
    await asyncio.gather(*asked)
    assert neighbour.done == [11, 21, 12, 22]
    await pool.close()


async def test_waiting_searches_keep_their_order_when_machines_leave_and_return() -> None:
    neighbour = Neighbour(1)
    pool = SearchPool(1, elsewhere=neighbour, held={"named"})
    named = [
        asyncio.create_task(pool.search(number, _of(1, number), _named(number), Limit(), kind="named"))
        for number in range(3)
    ]
    await asyncio.sleep(0)
    neighbour.change(0)
    neighbour.change(1)
    pool.release()
    await asyncio.gather(*named)
    assert neighbour.done == [0, 1, 2]
    named = [
        asyncio.create_task(pool.search(number, _of(1, number), _named(number), Limit()))
        for number in range(3)
    ]
    neighbour.change(0)
    await asyncio.gather(*named)
    assert neighbour.done == [0, 1, 2]
    await pool.close()


@pytest.mark.parametrize("given_up", [Lost("gone"), asyncio.CancelledError()], ids=["lost", "cancelled"])
async def test_a_search_lost_elsewhere_runs_here_before_later_ones(given_up: BaseException) -> None:
    neighbour = Neighbour(1)
    pool = SearchPool(1, elsewhere=neighbour)
    neighbour.wait = asyncio.get_running_loop().create_future()
    order: list[str] = []
    thinking, later = Waiting("thinking", order), Waiting("later", order)
    later.released.set()
    asked = [asyncio.create_task(_ask(pool, agent, "server")) for agent in (thinking, later)]
    lost = asyncio.create_task(pool.search("lost", _of("server"), _named(1), Limit()))
    lost.add_done_callback(lambda _: order.append("lost"))
    await _until(thinking.began)
    if isinstance(given_up, Lost):
        neighbour.wait.set_exception(given_up)
    else:
        neighbour.wait.cancel()
    await _turns()
    thinking.released.set()
    assert (await asyncio.wait_for(lost, MAX_TEST_WAIT_SECONDS)).move in START.legal_moves()
    await asyncio.gather(*asked)
    assert order == ["thinking", "lost", "later"]
    assert (neighbour.done, len(neighbour.limits)) == ([], 1)
    await pool.close()


async def test_a_search_lost_elsewhere_is_not_sent_there_again() -> None:
    neighbour = Neighbour(1)
    pool = SearchPool(1, elsewhere=neighbour)
    neighbour.wait = asyncio.get_running_loop().create_future()
    thinking = Waiting("thinking", [])
    asked = asyncio.create_task(_ask(pool, thinking, "server"))
    lost = asyncio.create_task(pool.search("lost", _of("server"), _named(1), Limit()))
    await _until(thinking.began)
    neighbour.wait.set_exception(Lost("gone"))
    await _turns()
    neighbour.change(2)
    thinking.released.set()
    await asyncio.gather(asked, lost)
    assert len(neighbour.limits) == 1
    await pool.close()


async def test_a_search_that_has_a_name_keeps_its_limit_here_and_elsewhere() -> None:
    limits: list[Limit] = []

    @dataclass(frozen=True, slots=True)
    class Told(NamedSearch[int]):
        @property
        def answers(self) -> type[int]:
            return int

        def carry_out(self, memory: Memory, limit: Limit) -> int:
            limits.append(limit)
            return 7

    neighbour = Neighbour(0)
    pool = SearchPool(1, elsewhere=neighbour)
    assert await pool.search("here", _of("a"), Told(None), Limit(nodes=5)) == 7
    neighbour.change(1)
    assert await pool.search("elsewhere", _of("a"), Told(None), Limit(nodes=6)) == 7
    assert [limit.nodes for limit in limits] == [5, 6]
    assert limits[0].stop is not None
    await pool.close()


async def test_the_pool_reports_remote_capacity_and_held_kinds(pool: SearchPool) -> None:
    assert (pool.threads_elsewhere, pool.is_released) == (0, True)
    pool.hold({"slow"})
    assert not pool.is_released
    with_others = SearchPool(1, elsewhere=Neighbour(3))
    assert with_others.threads_elsewhere == 3
    await with_others.close()


async def test_a_caller_that_waits_for_a_person_learns_that_the_bot_stops(pool: SearchPool) -> None:
    async def somebody(agent: Waiting) -> Choice:
        return await pool.for_somebody(_ask(pool, agent, "server"))

    replaced, left, asked = (Waiting(name, []) for name in ("replaced", "left", "asked"))
    task = asyncio.create_task(somebody(replaced))
    await _until(replaced.began)
    pool.cancel("replaced")
    with pytest.raises(asyncio.CancelledError):
        await task
    task = asyncio.create_task(somebody(left))
    await _until(left.began)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    task = asyncio.create_task(somebody(asked))
    await _until(asked.began)
    pool.give_up()
    with pytest.raises(Refusal) as refused:
        await task
    assert refused.value.key == "bot_ending"


async def test_a_caller_that_leaves_during_shutdown_is_not_notified(pool: SearchPool) -> None:
    agent = Waiting("agent", [])
    task = asyncio.create_task(pool.for_somebody(_ask(pool, agent, "server")))
    await _until(agent.began)
    pool.give_up()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_caller_that_stops_waiting_stops_the_remote_search() -> None:
    neighbour = Neighbour(1)
    pool = SearchPool(1, elsewhere=neighbour)
    neighbour.wait = asyncio.get_running_loop().create_future()
    asked = asyncio.create_task(pool.search("long", _of(1), _named(1), Limit()))
    await _turns()
    pool.cancel("long")
    await asyncio.gather(asked, return_exceptions=True)
    await _turns()
    assert neighbour.wait.cancelled()
    assert (pool.running, pool.waiting) == (0, 0)
    await pool.close()


async def test_a_search_that_begins_alone_may_use_the_idle_threads_and_one_in_company_may_not() -> None:
    pool, threads = SearchPool(2), list[int]()
    await pool.search("alone", _of("a"), lambda limit: threads.append(limit.threads), Limit())
    company = Waiting("company", [])
    asked = asyncio.create_task(_ask(pool, company, "a"))
    await _until(company.began)
    await pool.search("beside", _of("b"), lambda limit: threads.append(limit.threads), Limit())
    company.released.set()
    await asked
    pool.hold({"slow"})
    held = asyncio.create_task(pool.search("held", _of("c"), lambda _: None, Limit(), kind="slow"))
    await asyncio.sleep(0)
    await pool.search("before", _of("d"), lambda limit: threads.append(limit.threads), Limit())
    given: list[float | None] = []
    await pool.choose("timed", _of("d"), lambda: Timed(given), START, Limit(seconds=4.0))
    pool.release()
    await held
    await pool.close()
    assert threads == [2, 1, 1]
    assert given == [4.0]  # no more than its own
