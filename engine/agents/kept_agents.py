"""Agents that live as long as their match, so that what one has found or been told serves its next move.

    kept = KeptAgents()
    agent = kept.agent(match_id, seat, make)   # for one search; in any thread
    ...
    kept.end(match_id)

Nothing depends on it but strength: after a restart, or when too many matches are under way, a new agent takes
over in the middle of one. Whatever else learns from search to search is kept alike (`Kept`).
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar, runtime_checkable

from engine.core import Agent, Choice, Limit, State

MOST_AGENTS = 64

T = TypeVar("T")
Make = Callable[[], Agent]


@runtime_checkable
class Closable(Protocol):
    """An agent that holds something beyond its own memory, such as a place in a worker process."""

    def close(self) -> None:
        """Lets go of it, at once; the agent is not asked again."""
        ...


def close_agent(agent: object) -> None:
    """Tells the agent that its match is over, if it wants to know."""
    if isinstance(agent, Closable):
        agent.close()


class Kept(Generic[T]):
    """At most `most` of them, by match and seat; beyond, the one that has waited longest is let go.

    Each is lent to one search at a time: a second one of the same seat, begun while a cancelled one is still
    coming to its end, gets a new one. Any number of threads may use it.
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
    def lent(self, match: Hashable, seat: Hashable, make: Callable[[], T]) -> Iterator[T]:
        """The seat's, or what `make` gives, for one search; where that raises, it is not kept."""
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
        """Lets the match's go, those that are still searching as soon as they are back."""
        with self._lock:
            gone = [self._waiting.pop(key) for key in [key for key in self._waiting if key[0] == match]]
            if self._lent[match]:
                self._ended.add(match)
        for each in gone:
            close_agent(each)

    def close(self) -> None:
        """Lets go of all that are not searching."""
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
        """found: None when there is none, or it cannot be trusted any more."""
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


class KeptAgents(Kept[Agent]):
    """Agents by match and seat."""

    def __init__(self, most: int = MOST_AGENTS) -> None:
        super().__init__(most)

    def agent(self, match: Hashable, seat: Hashable, make: Make) -> Agent:
        """The seat's agent, for one choice; `make` is called at that choice if there is none."""
        return _Lent(self, match, seat, make)


class _Lent:
    """What stands in for the kept agent at one choice."""

    def __init__(self, kept: KeptAgents, match: Hashable, seat: Hashable, make: Make) -> None:
        self._kept = kept
        self._place = match, seat
        self._make = make

    def choose(self, state: State, limit: Limit) -> Choice:
        """As the kept agent; one that raises is not kept."""
        with self._kept.lent(*self._place, self._make) as agent:
            return agent.choose(state, limit)
