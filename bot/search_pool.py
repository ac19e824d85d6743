"""SearchPool: agents and evaluators think in a bounded thread executor, and servers take turns.

Every server (or direct-message channel) has a queue of its own; a free thread takes the oldest search of the
server that has waited longest for one. A search that is no longer wanted is dropped from its queue,
or told to stop when it already runs. In a crowd, agents that think by the clock get less time each.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from bot.domain.errors import Refusal
from engine.agents.kept import close_agent
from engine.core import Agent, Choice, Limit, State, Stop

log = logging.getLogger(__name__)

SEARCH_NICENESS = 10
LEAST_SHARE = 0.1
"""Of its time, every agent gets so much in whatever crowd."""

T = TypeVar("T")


@dataclass(eq=False)
class _Search(Generic[T]):
    key: Hashable
    work: Callable[[Limit], T]
    limit: Limit
    kind: str
    hurries: bool
    answer: asyncio.Future[T]
    stop: Stop = field(default_factory=Stop)

    def run(self, share: float) -> T:
        limit = self.limit
        if self.hurries and limit.seconds is not None:
            limit = replace(limit, seconds=limit.seconds * share)
        return self.work(replace(limit, stop=self.stop))


class SearchPool:
    """Bounded, fair and cancellable. Lives on one event loop; call everything from there."""

    def __init__(self, threads: int, *, held: Collection[str] = ()) -> None:
        """`held`: kinds of searches that queue until `release`, while their kernels are being compiled."""
        self._threads = threads
        self._held = frozenset(held)
        self._executor = ThreadPoolExecutor(
            threads, thread_name_prefix="search", initializer=_give_way_to_the_loop
        )
        self._waiting: dict[Hashable, deque[_Search[Any]]] = {}
        self._searches: dict[Hashable, _Search[Any]] = {}
        self._running: set[asyncio.Task[None]] = set()
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
        return sum(len(queue) for queue in self._waiting.values())

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

        make_agent: called in the thread, so that loading an agent does not hold up the loop. What it gives
        is closed after the search; see `engine.agents.kept` for agents that stay.
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
        work: Callable[[Limit], T],
        limit: Limit,
        *,
        kind: str = "",
        hurries: bool = False,
    ) -> T:
        """What the work comes to; the limit that it gets counts from the moment it gets its thread.

        key: names the search for `cancel`; a search of the same key is cancelled first.
        group: whose turn in the queue it takes, a server's id for example.
        kind: what `hold` and `release` call it. hurries: it gets less time in a crowd, see `choose`.
        Raises CancelledError when the search was cancelled, and whatever the work raises.
        """
        if self._is_closed:
            raise asyncio.CancelledError("the search pool is closed")
        self.cancel(key)
        search: _Search[T] = _Search(
            key, work, limit, kind, hurries, asyncio.get_running_loop().create_future()
        )
        self._searches[key] = search
        self._waiting.setdefault(group, deque()).append(search)
        self._start_what_fits()
        try:
            return await search.answer
        finally:
            # Also when the awaiting task itself was cancelled: nobody wants this answer any more.
            search.stop.set()
            search.answer.cancel()
            if self._searches.get(key) is search:
                del self._searches[key]

    async def for_somebody(self, asked: Awaitable[T]) -> T:
        """What was asked of this pool for a person; raises Refusal where the bot ends before it is known."""
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
        """Begins no further search, and waits so long for those that run; what waited is cancelled."""
        self._is_closed = True
        running = {task.get_name() for task in self._running}
        for key in tuple(self._searches):
            if _task_name(key) not in running:
                self.cancel(key)
        if self._running:
            await asyncio.wait(tuple(self._running), timeout=seconds)

    def give_up(self) -> None:
        """Stops every search; whoever waits for one learns it at once."""
        self._is_closed = True
        for key in tuple(self._searches):
            self.cancel(key)

    async def close(self) -> None:
        """Stops every search and waits until the threads are free."""
        self.give_up()
        while self._running:
            await asyncio.wait(tuple(self._running))
        self._executor.shutdown(wait=True)

    def _start_what_fits(self) -> None:
        while len(self._running) < self._threads and (search := self._next()) is not None:
            task = asyncio.create_task(self._run(search), name=_task_name(search.key))
            self._running.add(task)
            task.add_done_callback(self._finished)

    def _next(self) -> _Search[Any] | None:
        """The oldest search of the group whose turn it is; the group then goes to the end."""
        for group, queue in tuple(self._waiting.items()):
            wanted = [search for search in queue if not search.answer.done()]
            search = next((search for search in wanted if search.kind not in self._held), None)
            del self._waiting[group]
            remaining = deque(other for other in wanted if other is not search)
            if remaining:
                self._waiting[group] = remaining
            if search is not None:
                return search
        return None

    @property
    def longest_seconds(self) -> float:
        """For how long the oldest of the running searches has been thinking; 0 without any."""
        now = time.monotonic()
        return max((now - began for began in self._began.values()), default=0.0)

    async def _run(self, search: _Search[T]) -> None:
        loop = asyncio.get_running_loop()
        began = self._began[id(search)] = time.monotonic()
        share = self._share_of(search)
        try:
            found = await loop.run_in_executor(self._executor, search.run, share)
        except Exception as error:  # noqa: BLE001 - handed to whoever awaits the answer
            if not search.answer.done():
                search.answer.set_exception(error)
        else:
            if not search.answer.done():
                search.answer.set_result(found)
        finally:
            del self._began[id(search)]
            if self.watch is not None:
                self.watch(search.kind, time.monotonic() - began)

    def _share_of(self, search: _Search[Any]) -> float:
        """How much of its time a search gets that begins now."""
        waiting = self.waiting
        share = min(1.0, max(LEAST_SHARE, self._threads / max(1, waiting)))
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
                    waiting, self._threads, 100 * share,
                )  # fmt: skip
            self._hurried.append(share)
        return share

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not self._is_closed:
            self._start_what_fits()


def _task_name(key: Hashable) -> str:
    return f"search {key}"


def _give_way_to_the_loop() -> None:
    """Lowers the calling thread's priority, so that the event loop gets a core as soon as it wants one.

    Linux alone gives threads priorities of their own (setpriority(2), "C library/kernel differences").
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), SEARCH_NICENESS)
