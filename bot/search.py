"""SearchPool: agents think in a bounded thread executor, and servers take turns.

Every server (or direct-message channel) has a queue of its own; a free thread takes the oldest search of the
server that has waited longest for one. A search that is no longer wanted is dropped from its queue,
or told to stop when it already runs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from engine.core import Agent, Choice, Limit, State, Stop

SEARCH_NICENESS = 10


@dataclass(eq=False, slots=True)
class _Search:
    key: Hashable
    group: Hashable
    make_agent: Callable[[], Agent]
    state: State
    limit: Limit
    answer: asyncio.Future[Choice]
    stop: Stop = field(default_factory=Stop)

    def run(self) -> Choice:
        return self.make_agent().choose(self.state, replace(self.limit, stop=self.stop))


class SearchPool:
    """Bounded, fair and cancellable. Lives on one event loop; call everything from there."""

    def __init__(self, threads: int, *, held: bool = False) -> None:
        """`held`: searches queue until `release`, while kernels are still being compiled elsewhere."""
        self._threads = threads
        self._is_held = held
        self._executor = ThreadPoolExecutor(
            threads, thread_name_prefix="search", initializer=_give_way_to_the_loop
        )
        self._waiting: dict[Hashable, deque[_Search]] = {}
        self._searches: dict[Hashable, _Search] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._is_closed = False

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return sum(len(queue) for queue in self._waiting.values())

    async def choose(
        self, key: Hashable, group: Hashable, make_agent: Callable[[], Agent], state: State, limit: Limit
    ) -> Choice:
        """The agent's choice; the limit counts from the moment the search gets its thread.

        key: names the search for `cancel`; a search of the same key is cancelled first.
        group: whose turn in the queue it takes, a server's id for example.
        make_agent: called in the thread, so that loading an agent does not hold up the loop.
        Raises CancelledError when the search was cancelled, and whatever the agent raises.
        """
        if self._is_closed:
            raise asyncio.CancelledError("the search pool is closed")
        self.cancel(key)
        search = _Search(key, group, make_agent, state, limit, asyncio.get_running_loop().create_future())
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

    def cancel(self, key: Hashable) -> None:
        """Drops the search of that key, or tells it to stop; unknown keys are no error."""
        search = self._searches.pop(key, None)
        if search is not None:
            search.stop.set()
            search.answer.cancel()

    def hold(self) -> None:
        """Lets no further search begin until `release`."""
        self._is_held = True

    def release(self) -> None:
        """Lets the searches begin that were held back."""
        self._is_held = False
        self._start_what_fits()

    async def close(self) -> None:
        """Stops every search and waits until the threads are free."""
        self._is_closed = True
        for key in tuple(self._searches):
            self.cancel(key)
        while self._running:
            await asyncio.wait(tuple(self._running))
        self._executor.shutdown(wait=True)

    def _start_what_fits(self) -> None:
        while (
            not self._is_held and len(self._running) < self._threads and (search := self._next()) is not None
        ):
            task = asyncio.create_task(self._run(search), name=f"search {search.key}")
            self._running.add(task)
            task.add_done_callback(self._finished)

    def _next(self) -> _Search | None:
        """The oldest wanted search of the group whose turn it is; the group then goes to the end."""
        while self._waiting:
            group = next(iter(self._waiting))
            queue = self._waiting.pop(group)
            search = queue.popleft()
            if queue:
                self._waiting[group] = queue
            if not search.answer.done():
                return search
        return None

    async def _run(self, search: _Search) -> None:
        loop = asyncio.get_running_loop()
        try:
            choice = await loop.run_in_executor(self._executor, search.run)
        except Exception as error:  # noqa: BLE001 - handed to whoever awaits the answer
            if not search.answer.done():
                search.answer.set_exception(error)
        else:
            if not search.answer.done():
                search.answer.set_result(choice)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not self._is_closed:
            self._start_what_fits()


def _give_way_to_the_loop() -> None:
    """Lowers the calling thread's priority, so that the event loop gets a core as soon as it wants one.

    Linux alone gives threads priorities of their own (setpriority(2), "C library/kernel differences").
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), SEARCH_NICENESS)
