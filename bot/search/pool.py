"""SearchPool: agents and evaluators think in a bounded thread executor, and people take turns.

There are three lanes, each with its threads and its queue: quick searches, which never wait for deep ones;
all others; and where there are other machines to search on, those that have a name, which wait for these
instead. When there are no such machines, or one is lost with a search, the threads here do it.

A search that is no longer wanted is dropped from its queue, or told to stop when it already runs. In a
crowd, agents that think by the clock get less time each; a search that begins while other threads are idle
may use them, too (`Limit.threads`).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Collection, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeVar

from bot.domain.asker import Asker
from bot.domain.errors import Refusal
from bot.search.lane import Lane, Search
from bot.search.readiness import Readiness
from engine.agents.agent_cache import close_agent
from engine.analysis.searches import Memory, NamedSearch
from engine.core import Agent, Choice, Limit, State

log = logging.getLogger(__name__)

SEARCH_NICENESS = 10
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


class SearchPool:
    """Bounded, fair and cancellable. Lives on one event loop; call everything from there."""

    def __init__(
        self,
        threads: int,
        *,
        held: Collection[str] = (),
        readiness: Readiness | None = None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Threads: how many searches run at once here, besides quick ones.

        held: kinds of searches that queue until `release`. readiness: which searches queue until `finish`,
        while their kernels are being compiled; None: none. elsewhere: other machines; the pool closes them.
        """
        self.readiness = readiness or Readiness(is_ready=True)
        self.memory = Memory()
        self._elsewhere = elsewhere
        if elsewhere is not None:
            elsewhere.on_change = self._deal_again
        self._held = frozenset(held)
        quick = max(1, threads // 4)
        self._executor = ThreadPoolExecutor(
            threads + quick, thread_name_prefix="search", initializer=_give_way_to_the_loop
        )
        self._quick, self._here = Lane(lambda: quick), Lane(lambda: threads)
        self._away = Lane(lambda: self.threads_elsewhere)
        self._lanes = self._quick, self._here, self._away
        self._numbers = itertools.count()
        self._searches: dict[Hashable, Search[Any]] = {}
        self._hurried: list[float] = []
        self._is_closed = False
        self.watch: Callable[[str, float], None] | None = None
        """Told of each search that has ended: its kind, and how many seconds it thought."""

    @property
    def running(self) -> int:
        return sum(len(lane.running) for lane in self._lanes)

    @property
    def waiting(self) -> int:
        return sum(map(len, self._lanes))

    @property
    def threads_elsewhere(self) -> int:
        """How many searches other machines take on at once now."""
        return 0 if self._elsewhere is None else self._elsewhere.threads

    @property
    def is_released(self) -> bool:
        """Whether no kind of search is held back."""
        return not self._held and not self.readiness.missing

    async def choose(
        self,
        key: Hashable,
        asker: Asker,
        make_agent: Callable[[], Agent],
        state: State,
        limit: Limit,
        *,
        kind: str = "",
        game: str = "",
        is_quick: bool = False,
    ) -> Choice:
        """The agent's choice; see `search`.

        With more people waiting than there are threads, a limit of seconds shrinks in proportion, and for one
        person with many searches also in proportion to these; the log says when that begins and ends.

        make_agent: called in the thread, so that loading an agent does not hold up the loop. Its agent
        is closed after the search; see `engine.agents.agent_cache` for agents that stay.
        """

        def chosen(limit: Limit) -> Choice:
            agent = make_agent()
            try:
                return agent.choose(state, limit)
            finally:
                close_agent(agent)

        return await self.search(
            key, asker, chosen, limit, kind=kind, game=game, hurries=True, is_quick=is_quick
        )

    async def search(
        self,
        key: Hashable,
        asker: Asker,
        work: Callable[[Limit], T] | NamedSearch[T],
        limit: Limit,
        *,
        kind: str = "",
        game: str = "",
        hurries: bool = False,
        is_quick: bool = False,
    ) -> T:
        """Return the result of the work; its time limit counts from the moment it gets a thread.

        work: one that has a name may be carried out on another machine, and elsewhere finds `memory` as here.
        key: names the search for `cancel`; a search of the same key is cancelled first.
        kind: what `hold` and `release` call it; with the game it says which kernels it needs.
        hurries: it gets less time in a crowd, see `choose`.
        is_quick: it takes some milliseconds, and waits for other quick ones alone.
        Raises CancelledError when the search was cancelled, and whatever the work raises.
        """
        if self._is_closed:
            raise asyncio.CancelledError("the search pool is closed")
        self.cancel(key)
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        search: Search[T] = Search(
            key, asker, work, limit, kind, game, hurries, is_quick, answer, next(self._numbers),
            stays=not isinstance(work, NamedSearch),
        )  # fmt: skip
        self._searches[key] = search
        if self.readiness.missing:
            self.readiness.want(kind, game)
        self._lane_of(search).add(search)
        self._start_what_fits()
        try:
            return await search.answer
        finally:
            # Also when the awaiting task was cancelled, which makes the answer useless.
            self._drop(search)
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
            self._drop(search)

    def hold(self, kinds: Collection[str]) -> None:
        """Lets no further search of these kinds begin until `release`."""
        self._held |= frozenset(kinds)

    def release(self, kinds: Collection[str] | None = None) -> None:
        """Lets the searches of these kinds (None: of all) begin that were held back."""
        self._held = frozenset() if kinds is None else self._held - frozenset(kinds)
        self._start_what_fits()

    def finish(self, key: str) -> None:
        """Let the searches begin that waited for this stage of kernels."""
        self.readiness.finish(key)
        self._start_what_fits()

    async def drain(self, seconds: float) -> None:
        """Begin no further search, cancel the waiting ones, and give the running ones this time."""
        self._is_closed = True
        for search in [search for lane in self._lanes for search in lane]:
            self.cancel(search.key)
        if running := self._tasks:
            await asyncio.wait(running, timeout=seconds)

    def give_up(self) -> None:
        """Cancel every search at once."""
        self._is_closed = True
        for key in tuple(self._searches):
            self.cancel(key)

    async def close(self) -> None:
        """Stops every search and waits until the threads are free."""
        self.give_up()
        while running := self._tasks:
            await asyncio.wait(running)
        self._executor.shutdown(wait=True)
        self.memory.close()
        if self._elsewhere is not None:
            await self._elsewhere.close()

    @property
    def longest_seconds(self) -> float:
        """For how long the oldest of the running searches has been thinking; 0 without any."""
        now = time.monotonic()
        return max((now - search.began for lane in self._lanes for search in lane.running), default=0.0)

    @property
    def _tasks(self) -> list[asyncio.Task[None]]:
        """Those of the running searches."""
        return [task for lane in self._lanes for task in lane.running.values()]

    def _lane_of(self, search: Search[Any]) -> Lane:
        if search.is_quick:
            return self._quick
        return self._here if search.stays or not self.threads_elsewhere else self._away

    def _drop(self, search: Search[Any]) -> None:
        """Drop it from its queue, or tell it to stop."""
        search.stop.set()
        search.answer.cancel()
        for lane in self._lanes:
            lane.remove(search)

    def _deal_again(self) -> None:
        """Assign the waiting searches again, since other machines have come or gone."""
        waiting = sorted((*self._here, *self._away), key=lambda search: search.number)
        for search in waiting:
            self._here.remove(search)
            self._away.remove(search)
            self._lane_of(search).add(search)
        self._start_what_fits()

    def _start_what_fits(self) -> None:
        if self._is_closed:
            return
        for lane in self._lanes:
            while (search := lane.next(self._held, self.readiness)) is not None:
                search.began = time.monotonic()
                task = asyncio.create_task(self._run(search, lane), name=f"search {search.key}")
                lane.running[search] = task
                task.add_done_callback(partial(self._finished, lane, search))

    async def _run(self, search: Search[T], lane: Lane) -> None:
        limit = search.limit_at(self._share_for(search, lane))
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
            if self.watch is not None:
                self.watch(search.kind, time.monotonic() - search.began)

    async def _carried_out(self, search: Search[T], limit: Limit, lane: Lane) -> T:
        if lane is not self._away:
            idle = max(0, self._here.threads - len(self._here.running) - len(self._here))
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

    def _share_for(self, search: Search[Any], lane: Lane) -> float:
        """How much of its time a search gets that begins now; the log says when a crowd begins and ends."""
        share = lane.share_for(search)
        if self._hurried and not self.waiting:
            log.info(
                "The queue is short again: %d choices had less time, one %.0f %% of it.",
                len(self._hurried), 100 * min(self._hurried),
            )  # fmt: skip
            self._hurried.clear()
        if share < 1.0 and search.hurries and search.limit.seconds is not None:
            if not self._hurried:
                log.info(
                    "%d searches wait for %d threads: agents that think by the clock get %.0f %% of it.",
                    len(lane), lane.threads, 100 * share,
                )  # fmt: skip
            self._hurried.append(share)
        return share

    def _finished(self, lane: Lane, search: Search[Any], _task: asyncio.Task[None]) -> None:
        del lane.running[search]
        self._start_what_fits()


def _enough(search: Search[Any]) -> None:
    log.warning(
        "search %s, %s: it must choose now, after %.0f s", search.key, search.kind, LONGEST_CHOICE_SECONDS
    )
    search.stop.set()


def _give_way_to_the_loop() -> None:
    """Lowers the calling thread's priority, so that the event loop gets a core as soon as it wants one.

    Linux alone gives threads priorities of their own (setpriority(2), "C library/kernel differences").
    """
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), SEARCH_NICENESS)
