"""Agents that live as long as their match, so that the results of one search help the next.

    cache = AgentCache()
    agent = cache.agent(match_id, seat, make)   # for one search; in any thread
    ...
    cache.end(match_id)

Only playing strength depends on it: after a restart, or with too many matches at once, a new agent takes over
in the middle of a match. Other objects that learn from search to search use the same `LendingCache`.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar, runtime_checkable

from engine.core import Agent, Choice, History, Limit, State

MAX_AGENTS = 64

T = TypeVar("T")
Make = Callable[[], Agent]


@runtime_checkable
class Closable(Protocol):
    """An agent with resources beyond its own memory, e.g. a place in a worker process."""

    def close(self) -> None:
        """Release the resources at once; the agent is not used again."""
        ...


def close_agent(agent: object) -> None:
    """Close the agent if it is closable."""
    if isinstance(agent, Closable):
        agent.close()


@runtime_checkable
class Follower(Protocol):
    """An agent that wants to know the whole match, not its state alone."""

    def follow(self, history: History) -> None:
        """Take note of the course of the match up to the state of the next choice."""
        ...


def tell_history(agent: object, history: History) -> None:
    """Tell the agent the course of its match before a choice, if it wants to know."""
    if isinstance(agent, Follower):
        agent.follow(history)


class LendingCache(Generic[T]):
    """A thread-safe LRU cache of at most `most` objects, by match and seat.

    Each object is lent to one search at a time: a second search of the same seat, begun while a cancelled one
    is still ending, gets a new object.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._waiting: OrderedDict[tuple[Hashable, Hashable], T] = OrderedDict()
        self._lent: Counter[Hashable] = Counter()
        self._ended: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self._waiting)

    @contextmanager
    def borrow(self, match: Hashable, seat: Hashable, make: Callable[[], T]) -> Iterator[T]:
        """Lend the seat's object, or a new one, to one search; after an exception it is not kept."""
        key = (match, seat)
        found = self._take(key)
        is_sound = False
        try:
            found = make() if found is None else found
            yield found
            is_sound = True
        finally:
            if found is not None and not is_sound:
                close_agent(found)
            self._give_back(key, found if is_sound else None)

    def end(self, match: Hashable) -> None:
        """Drop the match's objects, those in use as soon as they are given back."""
        with self._lock:
            gone = [self._waiting.pop(key) for key in [key for key in self._waiting if key[0] == match]]
            if self._lent[match]:
                self._ended.add(match)
        for each in gone:
            close_agent(each)

    def close(self) -> None:
        """Drop all objects that are not in use."""
        with self._lock:
            gone = list(self._waiting.values())
            self._waiting.clear()
        for each in gone:
            close_agent(each)

    def _take(self, key: tuple[Hashable, Hashable]) -> T | None:
        with self._lock:
            self._lent[key[0]] += 1
            return self._waiting.pop(key, None)

    def _give_back(self, key: tuple[Hashable, Hashable], found: T | None) -> None:
        """Give back an object; None if there is none, or if it can no longer be trusted."""
        gone = []
        with self._lock:
            self._lent[key[0]] -= 1
            is_over = key[0] in self._ended
            if self._lent[key[0]] == 0:
                del self._lent[key[0]]
                self._ended.discard(key[0])
            if found is not None and (is_over or key in self._waiting):
                gone.append(found)
            elif found is not None:
                self._waiting[key] = found
                if len(self._waiting) > self._most:
                    gone.append(self._waiting.popitem(last=False)[1])
        for each in gone:
            close_agent(each)


class AgentCache(LendingCache[Agent]):
    """Agents by match and seat."""

    def __init__(self, most: int = MAX_AGENTS) -> None:
        super().__init__(most)

    def agent(self, match: Hashable, seat: Hashable, make: Make, history: History | None = None) -> Agent:
        """Return the seat's agent for one choice; `make` is called at that choice if there is none."""
        return _BorrowedAgent(self, match, seat, make, history)


class _BorrowedAgent:
    """A stand-in for the kept agent at one choice."""

    def __init__(
        self, kept: AgentCache, match: Hashable, seat: Hashable, make: Make, history: History | None
    ) -> None:
        self._kept = kept
        self._place = match, seat
        self._make = make
        self._history = history

    def choose(self, state: State, limit: Limit) -> Choice:
        """Choose with the kept agent; an agent that raises is not kept."""
        with self._kept.borrow(*self._place, self._make) as agent:
            if self._history is not None:
                tell_history(agent, self._history)
            return agent.choose(state, limit)
