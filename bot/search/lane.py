"""Lane: searches that wait for the same threads, here or on other machines.

Servers take turns, and so do the people of a server; the searches of one person keep their order. One person
has at most half of the threads, so that others find one free.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Collection, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from bot.domain.asker import Asker
from bot.search.readiness import Readiness
from engine.analysis.searches import Memory, NamedSearch
from engine.core import Limit, Stop

LEAST_SHARE = 0.1
"""The share of its time that an agent gets in any crowd."""

T = TypeVar("T")


@dataclass(eq=False)
class Search(Generic[T]):
    """One search. stays: whether it is for the threads here. began: when, if it no longer waits."""

    key: Hashable
    asker: Asker
    work: Callable[[Limit], T] | NamedSearch[T]
    limit: Limit
    kind: str
    game: str
    hurries: bool
    is_quick: bool
    answer: asyncio.Future[T]
    number: int
    stays: bool
    stop: Stop = field(default_factory=Stop)
    began: float = 0.0

    def may_begin(self, held: Collection[str], readiness: Readiness) -> bool:
        """Return whether it is of no held kind, and its kernels are there."""
        return self.kind not in held and not (readiness.missing and readiness.lacks(self.kind, self.game))

    def limit_at(self, share: float) -> Limit:
        """Return the search's limit with this share of its time, if it hurries."""
        if self.hurries and self.limit.seconds is not None:
            return replace(self.limit, seconds=self.limit.seconds * share)
        return self.limit

    def run(self, memory: Memory, limit: Limit) -> T:
        """In the thread that calls it."""
        limit = replace(limit, stop=self.stop)
        return self.work.carry_out(memory, limit) if isinstance(self.work, NamedSearch) else self.work(limit)


class Lane:
    """Lives on the event loop of its pool. threads: how many searches may run at once now."""

    def __init__(self, threads: Callable[[], int]) -> None:
        self.running: dict[Search[Any], asyncio.Task[None]] = {}
        self._threads = threads
        self._waiting: dict[Hashable, dict[Hashable, deque[Search[Any]]]] = {}

    def __len__(self) -> int:
        return sum(len(queue) for people in self._waiting.values() for queue in people.values())

    def __iter__(self) -> Iterator[Search[Any]]:
        return (search for people in self._waiting.values() for queue in people.values() for search in queue)

    @property
    def threads(self) -> int:
        return self._threads()

    @property
    def most_of_one(self) -> int:
        """How many searches of one person run at once."""
        return max(1, self.threads // 2)

    def add(self, search: Search[Any], *, is_first: bool = False) -> None:
        server, person = search.asker
        queue = self._waiting.setdefault(server, {}).setdefault(person, deque())
        queue.appendleft(search) if is_first else queue.append(search)

    def remove(self, search: Search[Any]) -> None:
        """Let a search wait no longer; one that does not wait here is no error."""
        server, person = search.asker
        people = self._waiting.get(server, {})
        queue = people.get(person, deque())
        if search in queue:
            queue.remove(search)
            if not queue:
                del people[person]
            if not people:
                del self._waiting[server]

    def next(self, held: Collection[str], readiness: Readiness) -> Search[Any] | None:
        """Take the search that begins now, if any; its server and its person then go to the end."""
        if len(self.running) >= self.threads:
            return None
        busy = Counter(search.asker.person for search in self.running)
        for server, people in self._waiting.items():
            for person, queue in people.items():
                if busy[person] >= self.most_of_one:
                    continue
                search = next((search for search in queue if search.may_begin(held, readiness)), None)
                if search is not None:
                    people[person] = people.pop(person)
                    self._waiting[server] = self._waiting.pop(server)
                    self.remove(search)
                    return search
        return None

    def share_for(self, search: Search[Any]) -> float:
        """The share of its time for a search that begins now: less with more people, or more of its own."""
        server, person = search.asker
        waiting = sum(len(people) for people in self._waiting.values())
        own = len(self._waiting.get(server, {}).get(person, ()))
        share = min(self.threads / max(1, waiting), self.most_of_one / max(1, own))
        return min(1.0, max(LEAST_SHARE, share))
