"""Turn pings: those that were never sent, and those that have done their work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final

from bot.services.changes import Changes
from bot.services.ports import Delivered, Display
from bot.services.reconciler import Delivery
from bot.services.shown_versions import ShownVersions
from bot.services.sources.boards import GRACE_SECONDS
from bot.services.turn_pings import TurnPings
from bot.store.calls import Call
from bot.store.shared import SENDING_FOR
from bot.store.stores import Stores

SENDING_GRACE_SECONDS = 5.0
"""How long a ping without a known message is left to the code that is sending it."""

GIVEN_UP_AFTER = timedelta(days=1)
"""How long a ping that has done its work is worth deleting."""


@dataclass(frozen=True, slots=True)
class _Work:
    do: Callable[[], Awaitable[Delivered]]
    give_up: Callable[[], object]


class Pings:
    """The messages that tell people it is their turn."""

    name: Final = "ping"
    idle_seconds: Final = 5.0

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        pings: TurnPings,
        versions: ShownVersions,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._pings = pings
        self._versions = versions
        self._unpinged: set[int] = set()
        self._pinging: set[int] = set()
        self._unknown: dict[int, Call] = {}
        self._has_taken_over = True

    def take_over(self) -> None:
        """Look for people whom another process, whose matches are now this one's, has not pinged."""
        self._has_taken_over = True

    async def save(self) -> None:
        """Save which versions are displayed, and which pings were sent and deleted."""
        _, unknown = await asyncio.gather(self._versions.flush(), self._changes.calls.flush())
        self._unknown |= {call.id: call for call in unknown}

    async def stale(self, limit: int) -> Sequence[Delivery[_Work]]:
        notes = self._changes.calls
        calls = [*notes.still(await self._stores.calls.left_behind(limit)), *self._unknown.values()]
        lost = (call for call in calls if call.message_id is None and not notes.is_under_way(call))
        if self._has_taken_over:
            self._unpinged |= set(await self._stores.calls.missing(limit))
            self._has_taken_over = False
        self._unpinged |= notes.take_doubted()
        return [
            *(self._removal(call) for call in calls if call.message_id is not None),
            *map(self._search, _by_place_and_time(lost)),
            *map(self._ping, self._unpinged),
        ]

    async def deliver(self, delivery: Delivery[_Work]) -> Delivered:
        return await delivery.item.do()

    async def give_up(self, delivery: Delivery[_Work]) -> None:
        delivery.item.give_up()

    def _removal(self, call: Call) -> Delivery[_Work]:
        work = _Work(partial(self._remove, call), partial(self._forget, call))
        return Delivery(("stale", call.id), work, call.channel_id, grace_seconds=GRACE_SECONDS)

    def _search(self, calls: Sequence[Call]) -> Delivery[_Work]:
        """Pings to one board within some minutes whose messages are unknown."""
        work = _Work(partial(self._remove_lost, calls), partial(self._changes.calls.give_up, calls))
        key, version = ("lost", calls[0].id), calls[-1].id
        return Delivery(key, work, calls[0].channel_id, version, SENDING_GRACE_SECONDS, 1 + len(calls))

    def _ping(self, match_id: int) -> Delivery[_Work]:
        work = _Work(partial(self._ping_again, match_id), partial(self._unpinged.discard, match_id))
        return Delivery(("match", match_id), work, requests=2)

    async def _ping_again(self, match_id: int) -> Delivered:
        self._unpinged.discard(match_id)
        self._pinging.add(match_id)
        try:
            outcome = await self._pings.ping_again(match_id)
        except BaseException:
            self._unpinged.add(match_id)
            raise
        finally:
            self._pinging.discard(match_id)
        self._unpinged |= self._changes.calls.take_doubted()
        if outcome is Delivered.GONE:
            return outcome
        return Delivered.MESSAGE_REFUSED if match_id in self._unpinged else Delivered.DELIVERED

    async def _remove(self, call: Call) -> Delivered:
        outcome = await self._display.remove(call)
        if outcome is Delivered.DELIVERED or self._changes.now() - call.called_at > GIVEN_UP_AFTER:
            self._forget(call)
        return outcome

    def _forget(self, call: Call) -> None:
        # The number of a ping that has no row may be another's by now.
        if self._unknown.pop(call.id, None) is None:
            self._changes.calls.forget([call])

    async def _remove_lost(self, calls: Sequence[Call]) -> Delivered:
        """One search finds the messages of all of them.

        The known messages are read after the search, so that a ping that was sent meanwhile is not deleted.
        """
        match_id = calls[0].match_id
        found = await self._display.find_calls(calls)
        if isinstance(found, Delivered):
            is_past = self._changes.now() - calls[-1].called_at > GIVEN_UP_AFTER
            if is_past and found is not Delivered.DISCORD_DOWN:
                self._changes.calls.give_up(calls)
            # Where nothing may be read, boards may be written all the same.
            return Delivered.MESSAGE_REFUSED if found is Delivered.CHANNEL_REFUSED else found
        notes = self._changes.calls
        strange, is_sending = await notes.strange(match_id, found, self._changes.now() - SENDING_FOR)
        # One of them may be the ping of the current turn, which is about to be found.
        if strange and (is_sending or match_id in self._unpinged | self._pinging):
            return Delivered.MESSAGE_REFUSED
        for message_id in strange:
            outcome = await self._display.remove(replace(calls[0], message_id=message_id))
            if outcome is not Delivered.DELIVERED:
                return outcome
        notes.give_up(calls)
        return Delivered.DELIVERED


def _by_place_and_time(calls: Iterable[Call]) -> list[list[Call]]:
    """Pings to the same board within some minutes together, in their order: one search sees no more."""
    found: dict[Hashable, list[list[Call]]] = {}
    for call in calls:
        groups = found.setdefault((call.match_id, call.channel_id, call.board_id), [])
        if groups and call.called_at - groups[-1][-1].called_at <= SENDING_FOR:
            groups[-1].append(call)
        else:
            groups.append([call])
    return [group for groups in found.values() for group in groups]
