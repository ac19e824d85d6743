"""SearchPool: agents and evaluators think in a bounded thread executor, and servers take turns.

Every server (or direct-message channel) has a queue of its own; a free thread takes the oldest search of the
server that has waited longest for one. A search that is no longer wanted is dropped from its queue,
or told to stop when it already runs. In a crowd, agents that think by the clock get less time each; a search
that begins while other threads are idle may use them, too (`Limit.threads`).

Where there are other machines to search on, searches by name wait for these, under the same rules, and the
threads here are for the others. When there are none, or one is lost with a search, the threads here do it.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from bot.domain.errors import Refusal
from engine.agents.agent_cache import close_agent
from engine.analysis.searches import Memory, NamedSearch
from engine.core import Agent, Choice, Limit, State, Stop

log = logging.getLogger(__name__)

SEARCH_NICENESS = 10
LEAST_SHARE = 0.1
"""The share of its time that an agent gets in any crowd."""
LONGEST_CHOICE_SECONDS = 60.0
"""How long an agent without a time limit may think: people wait for it, and for its thread."""

T = TypeVar("T")


class Lost(Exception):
    """The other machine is gone, and the search with it."""


class Elsewhere(Protocol):
    """Other machines that carry out searches by name."""

    @property
    def threads(self) -> int:
        """How many searches they can run at once now; 0 while there are none."""
        ...

    @property
    def on_change(self) -> Callable[[], None] | None:
        """Called on the pool's loop whenever `threads` has changed."""
        ...

    @on_change.setter
    def on_change(self, told: Callable[[], None] | None) -> None: ...
    async def carry_out(self, work: NamedSearch[T], limit: Limit) -> T:
        """Return the answer; raises Lost and the errors of the search. Cancelling this cancels the search."""
        ...

    async def close(self) -> None:
        """Disconnect from them."""
        ...


@dataclass(eq=False)
class _Search(Generic[T]):
    key: Hashable
    group: Hashable
    work: Callable[[Limit], T] | NamedSearch[T]
    limit: Limit
    kind: str
    hurries: bool
    answer: asyncio.Future[T]
    number: int
    stays: bool
    """Whether it is for the threads here."""
    stop: Stop = field(default_factory=Stop)

    def limit_at(self, share: float) -> Limit:
        """Return the search's limit with this share of its time."""
        if self.hurries and self.limit.seconds is not None:
            return replace(self.limit, seconds=self.limit.seconds * share)
        return self.limit

    def run(self, memory: Memory, limit: Limit) -> T:
        """In the thread that calls it."""
        limit = replace(limit, stop=self.stop)
        return self.work.carry_out(memory, limit) if isinstance(self.work, NamedSearch) else self.work(limit)


class _Lane:
    """Searches that wait for the same threads, a queue for each group."""

    def __init__(self) -> None:
        self.running: set[asyncio.Task[None]] = set()
        self._queues: dict[Hashable, deque[_Search[Any]]] = {}

    @property
    def waiting(self) -> int:
        return sum(len(queue) for queue in self._queues.values())

    def add(self, search: _Search[Any], *, is_first: bool = False) -> None:
        queue = self._queues.setdefault(search.group, deque())
        queue.appendleft(search) if is_first else queue.append(search)

    def next(self, held: Collection[str]) -> _Search[Any] | None:
        """The oldest search of the group whose turn it is; the group then goes to the end."""
        for group, queue in tuple(self._queues.items()):
            wanted = [search for search in queue if not search.answer.done()]
            search = next((search for search in wanted if search.kind not in held), None)
            del self._queues[group]
            remaining = deque(other for other in wanted if other is not search)
            if remaining:
                self._queues[group] = remaining
            if search is not None:
                return search
        return None

    def empty(self) -> Iterable[_Search[Any]]:
        """All that wait, which then no longer do."""
        queues, self._queues = self._queues, {}
        return (search for queue in queues.values() for search in queue)


class SearchPool:
    """Bounded, fair and cancellable. Lives on one event loop; call everything from there."""

    def __init__(
        self, threads: int, *, held: Collection[str] = (), elsewhere: Elsewhere | None = None
    ) -> None:
        """`held`: kinds of searches that queue until `release`, while their kernels are being compiled.

        elsewhere: other machines; the pool closes them.
        """
        self.memory = Memory()
        self._threads = threads
        self._elsewhere = elsewhere
        if elsewhere is not None:
            elsewhere.on_change = self._deal_again
        self._held = frozenset(held)
        self._executor = ThreadPoolExecutor(
            threads, thread_name_prefix="search", initializer=_give_way_to_the_loop
        )
        self._here, self._away = _Lane(), _Lane()
        self._numbers = itertools.count()
        self._searches: dict[Hashable, _Search[Any]] = {}
        self._began: dict[int, float] = {}
        self._hurried: list[float] = []
        self._is_closed = False
        self.watch: Callable[[str, float], None] | None = None
        """Told of each search that has ended: its kind, and how many seconds it thought."""

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return self._here.waiting + self._away.waiting

    @property
    def threads_elsewhere(self) -> int:
        """How many searches other machines take on at once now."""
        return 0 if self._elsewhere is None else self._elsewhere.threads

    @property
    def is_released(self) -> bool:
        """Whether no kind of search is held back."""
        return not self._held

    async def choose(
        self,
        key: Hashable,
        group: Hashable,
        make_agent: Callable[[], Agent],
        state: State,
        limit: Limit,
        *,
        kind: str = "",
    ) -> Choice:
        """The agent's choice; see `search`.

        With more searches waiting than there are threads, a limit of seconds shrinks in proportion, since who
        waits in the queue waits for all of them; the log says when that begins and ends.

        make_agent: called in the thread, so that loading an agent does not hold up the loop. Its agent
        is closed after the search; see `engine.agents.agent_cache` for agents that stay.
        """

        def chosen(limit: Limit) -> Choice:
            agent = make_agent()
            try:
                return agent.choose(state, limit)
            finally:
                close_agent(agent)

        return await self.search(key, group, chosen, limit, kind=kind, hurries=True)

    async def search(
        self,
        key: Hashable,
        group: Hashable,
        work: Callable[[Limit], T] | NamedSearch[T],
        limit: Limit,
        *,
        kind: str = "",
        hurries: bool = False,
    ) -> T:
        """Return the result of the work; its time limit counts from the moment it gets a thread.

        work: one that has a name may be carried out on another machine, and elsewhere finds `memory` as here.
        key: names the search for `cancel`; a search of the same key is cancelled first.
        group: whose turn in the queue it takes, a server's id for example.
        kind: what `hold` and `release` call it. hurries: it gets less time in a crowd, see `choose`.
        Raises CancelledError when the search was cancelled, and whatever the work raises.
        """
        if self._is_closed:
            raise asyncio.CancelledError("the search pool is closed")
        self.cancel(key)
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        stays = not isinstance(work, NamedSearch)
        number = next(self._numbers)
        search: _Search[T] = _Search(key, group, work, limit, kind, hurries, answer, number, stays)
        self._searches[key] = search
        self._lane_of(search).add(search)
        self._start_what_fits()
        try:
            return await search.answer
        finally:
            # Also when the awaiting task was cancelled, which makes the answer useless.
            search.stop.set()
            search.answer.cancel()
            if self._searches.get(key) is search:
                del self._searches[key]

    async def for_somebody(self, asked: Awaitable[T]) -> T:
        """Return the result for a person; raises Refusal if the bot ends before it is known."""
        try:
            return await asked
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._is_closed or (task is not None and task.cancelling()):
                raise
            raise Refusal("bot_ending") from None

    def cancel(self, key: Hashable) -> None:
        """Drops the search of that key, or tells it to stop; unknown keys are no error."""
        search = self._searches.pop(key, None)
        if search is not None:
            search.stop.set()
            search.answer.cancel()

    def hold(self, kinds: Collection[str]) -> None:
        """Lets no further search of these kinds begin until `release`."""
        self._held |= frozenset(kinds)

    def release(self, kinds: Collection[str] | None = None) -> None:
        """Lets the searches of these kinds (None: of all) begin that were held back."""
        self._held = frozenset() if kinds is None else self._held - frozenset(kinds)
        self._start_what_fits()

    async def drain(self, seconds: float) -> None:
        """Begin no further search, cancel the waiting ones, and give the running ones this time."""
        self._is_closed = True
        running = {task.get_name() for task in self._running}
        for key in tuple(self._searches):
            if _task_name(key) not in running:
                self.cancel(key)
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=seconds)

    def give_up(self) -> None:
        """Cancel every search at once."""
        self._is_closed = True
        for key in tuple(self._searches):
            self.cancel(key)

    async def close(self) -> None:
        """Stops every search and waits until the threads are free."""
        self.give_up()
        while self._running:
            await asyncio.wait(tuple(self._running))
        self._executor.shutdown(wait=True)
        self.memory.close()
        if self._elsewhere is not None:
            await self._elsewhere.close()

    @property
    def _running(self) -> set[asyncio.Task[None]]:
        return self._here.running | self._away.running

    def _lane_of(self, search: _Search[Any]) -> _Lane:
        return self._here if search.stays or not self.threads_elsewhere else self._away

    def _threads_of(self, lane: _Lane) -> int:
        return self._threads if lane is self._here else self.threads_elsewhere

    def _deal_again(self) -> None:
        """Assign the waiting searches again, since other machines have come or gone."""
        if self._is_closed:
            return
        waiting = (*self._here.empty(), *self._away.empty())
        for search in sorted(waiting, key=lambda search: search.number):
            self._lane_of(search).add(search)
        self._start_what_fits()

    def _start_what_fits(self) -> None:
        for lane in (self._here, self._away):
            while (
                len(lane.running) < self._threads_of(lane) and (search := lane.next(self._held)) is not None
            ):
                task = asyncio.create_task(self._run(search, lane), name=_task_name(search.key))
                lane.running.add(task)
                task.add_done_callback(partial(self._finished, lane))

    @property
    def longest_seconds(self) -> float:
        """For how long the oldest of the running searches has been thinking; 0 without any."""
        now = time.monotonic()
        return max((now - began for began in self._began.values()), default=0.0)

    async def _run(self, search: _Search[T], lane: _Lane) -> None:
        began = self._began[id(search)] = time.monotonic()
        limit = search.limit_at(self._share_of(search, lane))
        try:
            found = await self._carried_out(search, limit, lane)
        except Lost:
            if not search.answer.done():
                search.stays = True
                self._here.add(search, is_first=True)
        except Exception as error:  # noqa: BLE001 - raised where the answer is awaited
            if not search.answer.done():
                search.answer.set_exception(error)
        else:
            if not search.answer.done():
                search.answer.set_result(found)
        finally:
            del self._began[id(search)]
            if self.watch is not None:
                self.watch(search.kind, time.monotonic() - began)

    async def _carried_out(self, search: _Search[T], limit: Limit, lane: _Lane) -> T:
        if lane is self._here:
            idle = max(0, self._threads - len(lane.running) - lane.waiting)
            run = partial(search.run, self.memory, replace(limit, threads=1 + idle))
            loop, patience = asyncio.get_running_loop(), None
            if search.hurries and limit.seconds is None:
                patience = loop.call_later(LONGEST_CHOICE_SECONDS, _enough, search)
            try:
                return await loop.run_in_executor(self._executor, run)
            finally:
                if patience is not None:
                    patience.cancel()
        if self._elsewhere is None or not isinstance(search.work, NamedSearch):
            raise Lost("it has no name, or there is nowhere to go")
        asked = asyncio.ensure_future(self._elsewhere.carry_out(search.work, limit))
        search.answer.add_done_callback(lambda _: asked.cancel())
        try:
            return await asked
        except asyncio.CancelledError:  # it was cancelled, or the other machines gave it up
            raise Lost("cancelled") from None

    def _share_of(self, search: _Search[Any], lane: _Lane) -> float:
        """How much of its time a search gets that begins now."""
        waiting, threads = lane.waiting, self._threads_of(lane)
        share = min(1.0, max(LEAST_SHARE, threads / max(1, waiting)))
        if share == 1.0 and self._hurried:
            log.info(
                "The queue is short again: %d choices had less time, one %.0f %% of it.",
                len(self._hurried), 100 * min(self._hurried),
            )  # fmt: skip
            self._hurried.clear()
        if share < 1.0 and search.hurries and search.limit.seconds is not None:
            if not self._hurried:
                log.info(
                    "%d searches wait for %d threads: whoever thinks by the clock gets %.0f %% of the time.",
                    waiting, threads, 100 * share,
                )  # fmt: skip
            self._hurried.append(share)
        return share

    def _finished(self, lane: _Lane, task: asyncio.Task[None]) -> None:
        lane.running.discard(task)
        if not self._is_closed:
            self._start_what_fits()


def _enough(search: _Search[Any]) -> None:
    log.warning(
        "search %s, %s: it must choose now, after %.0f s", search.key, search.kind, LONGEST_CHOICE_SECONDS
    )
    search.stop.set()


def _task_name(key: Hashable) -> str:
    return f"search {key}"


def _give_way_to_the_loop() -> None:
    """Lowers the calling thread's priority, so that the event loop gets a core as soon as it wants one.

    Linux alone gives threads priorities of their own (setpriority(2), "C library/kernel differences").
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), SEARCH_NICENESS)
