"""Reconciler: brings Discord up to date with the database.

A change is displayed at once, by the press that made it or by a subscriber. Whatever that missed
(a torn connection, a missing permission, a killed process) is found here, by comparing the wanted state in
the database with the state that Discord is known to show, and delivered until both agree.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from bot.domain.backoff import Backoff
from bot.domain.errors import Refusal
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow

log = logging.getLogger(__name__)

TICK_SECONDS = 0.5
"""How often `run_once` is to be called."""

MAX_REQUESTS_PER_TICK = 10
MAX_DELIVERIES_PER_CHANNEL = 5
"""Deliveries under way in one channel; Discord takes about five requests in five seconds there."""

STALE_LIMIT = 1000
"""Deliveries asked of a source; enough that one busy channel does not hide the others."""

RETRY_SECONDS = 0.9
"""Pause before a fast source is asked again while nothing of it can be delivered."""

FASTEST_IDLE_SECONDS = 10.0
"""Sources with a shorter idle time are fast; the others keep to it, since to ask them takes many queries."""

LONGEST_OUTAGE_PAUSE_SECONDS = 60.0
"""Longest pause while Discord or the network fails."""

GRACE_SECONDS = 1.5
"""How long a subscriber of a change has to display it before the reconciler does."""

UNSENT_GRACE_SECONDS = 15.0
"""How long the code that began a match or an invitation has to send its message."""

MAX_CONCURRENT_DISPLAYS = 20
"""Messages of one kind that subscribers edit at once; the reconciler delivers the others, at its pace."""

EVERYTHING = "everything"

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Delivery(Generic[Item]):
    """Something that Discord does not show as the database wants it.

    key: unique within its source. version: a new one starts the grace period again. grace_seconds: how long
    the change has to be displayed without the reconciler. requests: how many the delivery may take.
    """

    key: Hashable
    item: Item
    channel_id: int = 0
    version: int = 0
    grace_seconds: float = 0.0
    requests: int = 1


class Source(Protocol[Item]):
    """One kind of message, or of anything else on Discord."""

    @property
    def name(self) -> str:
        """For the log; unique."""

    @property
    def idle_seconds(self) -> float:
        """Pause before it is asked again while nothing is stale."""

    async def stale(self, limit: int) -> Sequence[Delivery[Item]]:
        """Where the wanted state is not the actual one, most urgent first."""

    async def deliver(self, delivery: Delivery[Item]) -> Delivered:
        """Make Discord show the wanted state."""

    async def give_up(self, delivery: Delivery[Item]) -> None:
        """Forget a delivery that Discord has called gone twice."""


@dataclass(slots=True)
class _Attempts:
    """The history of a stale delivery."""

    channel_id: int
    version: int
    since: float
    outage_at: float = -math.inf
    was_gone: bool = False


@dataclass(slots=True)
class _Feed:
    """A source, and when it is asked again."""

    source: Source[Any]
    ask_at: float = 0.0
    is_new: bool = True
    attempts: dict[Hashable, _Attempts] = field(default_factory=dict)
    under_way: dict[Hashable, asyncio.Task[None]] = field(default_factory=dict)


class Reconciler:
    """One per process, on the event loop; `run_once` is called every TICK_SECONDS.

    sources: most urgent first. save: stores the delivered versions, in one transaction. rate: shared with
    other code that writes unasked. time: a clock in seconds that only grows, by default the event loop's.
    """

    def __init__(
        self,
        sources: Iterable[Source[Any]],
        save: Callable[[], Awaitable[object]],
        *,
        rate: RateWindow | None = None,
        time: Callable[[], float] | None = None,
    ) -> None:
        self._time = time or (lambda: asyncio.get_running_loop().time())
        self._feeds = [_Feed(source) for source in sources]
        self._save = save
        self._rate = rate or RateWindow(time=self._time)
        self._backoff = Backoff()
        self._busy: Counter[int] = Counter()

    async def run_once(self) -> None:
        """Start as many of the due deliveries as the limits allow."""
        now = self._time()
        due = [feed for feed in self._feeds if feed.ask_at <= now]
        if not due:
            return
        # Before the sources are asked, or they would list deliveries that have just succeeded.
        await self._save()
        if not self._backoff.is_waiting(EVERYTHING, now):
            await self._start_due(due, now)

    def wake(self, channel_ids: Iterable[int] = ()) -> None:
        """Look again without waiting; channel_ids: where the bot may write again."""
        for feed in self._feeds:
            if feed.source.idle_seconds < FASTEST_IDLE_SECONDS:
                feed.ask_at = 0.0
        there = frozenset(channel_ids)
        for channel_id in there:
            self._backoff.succeed(channel_id)
        for feed in self._feeds:
            for key, attempts in feed.attempts.items():
                if attempts.channel_id in there:
                    self._backoff.succeed((feed.source.name, key))

    async def drain(self) -> None:
        """Wait until nothing is under way, then save."""
        while under_way := [task for feed in self._feeds for task in feed.under_way.values()]:
            await asyncio.wait(under_way)
        await self._save()

    async def close(self) -> None:
        """Cancel the deliveries under way, then save."""
        for feed in self._feeds:
            for task in feed.under_way.values():
                task.cancel()
        await self.drain()

    async def _start_due(self, due: Sequence[_Feed], now: float) -> None:
        found: list[tuple[_Feed, Delivery[Any]]] = []
        for feed in due:
            idle = feed.source.idle_seconds
            pause = RETRY_SECONDS if idle < FASTEST_IDLE_SECONDS else idle
            feed.ask_at = now + pause  # set before the await, so that a `wake` meanwhile counts
            stale = await feed.source.stale(STALE_LIMIT)
            self._note(feed, stale, now)
            if not stale and feed.ask_at:
                feed.ask_at = now + idle
            found += [(feed, delivery) for delivery in stale]
        # During an outage one delivery at a time probes Discord. The one that failed last comes last, because
        # a message at which Discord always fails would otherwise be the only one ever tried.
        found.sort(key=lambda one: one[0].attempts[one[1].key].outage_at)
        left = min(1 if self._backoff.has_failed(EVERYTHING) else MAX_REQUESTS_PER_TICK, self._rate.left)
        for feed, delivery in found:
            if left <= 0:
                feed.ask_at = 0.0
            elif self._may_start(feed, delivery, now):
                left -= delivery.requests
                self._rate.spend(delivery.requests)
                feed.ask_at = 0.0
                self._busy[delivery.channel_id] += 1
                feed.under_way[delivery.key] = asyncio.create_task(self._run(feed, delivery))

    def _note(self, feed: _Feed, stale: Sequence[Delivery[Any]], now: float) -> None:
        """Start grace periods, and forget all that is not stale any more."""
        before, feed.attempts = feed.attempts, {}
        for delivery in stale:
            attempts = before.get(delivery.key)
            if attempts is None or attempts.version != delivery.version:
                # Changes of the last process have no other code that would display them: no grace period.
                since = now - (delivery.grace_seconds if feed.is_new else 0.0)
                attempts = _Attempts(delivery.channel_id, delivery.version, since)
            feed.attempts[delivery.key] = attempts
        feed.attempts |= {key: before[key] for key in feed.under_way if key in before}
        feed.is_new = False
        names = [(each.source.name, each.attempts) for each in self._feeds]
        kept = {(name, key) for name, attempts in names for key in attempts}
        channels = {one.channel_id for _, attempts in names for one in attempts.values()}
        self._backoff.keep({EVERYTHING, *kept, *channels})

    def _may_start(self, feed: _Feed, delivery: Delivery[Any], now: float) -> bool:
        if delivery.key in feed.under_way:
            return False
        if now - feed.attempts[delivery.key].since < delivery.grace_seconds:
            return False
        keys = ((feed.source.name, delivery.key), delivery.channel_id)
        if any(self._backoff.is_waiting(key, now) for key in keys):
            return False
        # One delivery finds out whether a channel that refused is open again.
        limit = 1 if self._backoff.has_failed(delivery.channel_id) else MAX_DELIVERIES_PER_CHANNEL
        return self._busy[delivery.channel_id] < limit

    async def _run(self, feed: _Feed, delivery: Delivery[Any]) -> None:
        name = feed.source.name
        try:
            outcome = await feed.source.deliver(delivery)
            if outcome is Delivered.GONE:
                outcome = await self._gone(feed, delivery)
        except Refusal as refusal:
            # The database is unavailable, or the row is damaged; `bot check` reports damage.
            log.warning("%s %s delivered later: %s", name, delivery.key, refusal)
            outcome = Delivered.MESSAGE_REFUSED
        except Exception:
            # One broken delivery must not stop the others; it is tried again.
            log.exception("%s %s failed", name, delivery.key)
            outcome = Delivered.MESSAGE_REFUSED
        finally:
            del feed.under_way[delivery.key]
            self._busy[delivery.channel_id] -= 1
            if not self._busy[delivery.channel_id]:
                del self._busy[delivery.channel_id]
        self._learn(feed, delivery, outcome)

    async def _gone(self, feed: _Feed, delivery: Delivery[Any]) -> Delivered:
        """Give up at the second time: during an outage Discord does not find existing messages."""
        attempts = feed.attempts.get(delivery.key)
        if attempts is not None and not attempts.was_gone:
            attempts.was_gone = True
            return Delivered.MESSAGE_REFUSED
        await feed.source.give_up(delivery)
        return Delivered.GONE

    def _learn(self, feed: _Feed, delivery: Delivery[Any], outcome: Delivered) -> None:
        now, key = self._time(), (feed.source.name, delivery.key)
        if outcome is Delivered.DISCORD_DOWN:
            self._backoff.fail(EVERYTHING, now, longest=LONGEST_OUTAGE_PAUSE_SECONDS)
            if delivery.key in feed.attempts:
                feed.attempts[delivery.key].outage_at = now
            return
        self._backoff.succeed(EVERYTHING)
        if delivery.key in feed.attempts:
            feed.attempts[delivery.key].outage_at = -math.inf
        if outcome is Delivered.CHANNEL_REFUSED:
            self._backoff.fail(delivery.channel_id, now)
        elif outcome is Delivered.MESSAGE_REFUSED:
            self._backoff.fail(key, now)
        else:
            self._backoff.succeed(delivery.channel_id)
            self._backoff.succeed(key)
