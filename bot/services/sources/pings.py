"""Turn pings: small messages that tell people it is their turn, deleted once they have acted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

from bot.domain.errors import Unavailable
from bot.domain.location import Channel, Web
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.turn_ping import UNKNOWN_ASK, Ping, StalePing, ask_of, goes_on
from bot.services.background import Background
from bot.services.changes import Changed, Changes
from bot.services.ports import Delivered, Display
from bot.services.reconciler import GRACE_SECONDS, STALE_LIMIT, Delivery
from bot.services.shown_versions import ShownVersions
from bot.store.stores import Stores

GIVEN_UP_AFTER = timedelta(days=1)
"""How long an old ping is worth deleting where Discord refuses it."""

MAX_PINGS_IN_MEMORY = 2000


@dataclass(frozen=True, slots=True)
class OldPing:
    """A ping that has done its work and could not be deleted at once."""

    channel_id: int
    message_id: int
    since: datetime


class TurnPings:
    """One per process, on the event loop. `ping` sends and deletes; what fails is delivered as a source.

    A crash between sending a ping and storing its id leaves a message that nothing points to. By its nonce
    Discord recognises it for some minutes when it is sent again; besides, the channel is searched for pings
    that are stale after a start, before anything is sent.
    """

    name: Final = "ping"
    idle_seconds: Final = 5.0

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        versions: ShownVersions,
        background: Background,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._versions = versions
        self._background = background
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._known: LruDict[int, Ping] = LruDict(MAX_PINGS_IN_MEMORY)
        self._left: LruDict[int, int] = LruDict(MAX_PINGS_IN_MEMORY)
        self._has_to_doubt = True
        self._doubting = asyncio.Lock()
        self._doubtful: set[int] = set()
        self._old: dict[int, OldPing] = {}
        changes.subscribe(Match, self._on_change)

    def ping(self, match: Match) -> None:
        """Bring the ping or the warning up to date, in the background, once a change is displayed.

        Against agents people are only warned of the clock.
        """
        if not match.has_agent or match.warned_turn is not None:
            self._background.spawn(self._try_update(match.id))

    def doubt(self) -> None:
        """Clear the memory: another process or the bot's absence may have left unknown pings."""
        self._known.clear()
        self._has_to_doubt = True

    def _on_change(self, changed: Changed[Match]) -> None:
        match = changed.after
        old = None if changed.before is None else changed.before.location
        if isinstance(old, Channel) and old != match.location and not match.has_agent:
            # The ping links to a board that the match has left.
            self._left.setdefault(match.id, old.channel_id)

    async def _try_update(self, match_id: int) -> None:
        # A ping that was not sent stays stale in the database, so the reconciler sends it.
        with suppress(Unavailable):
            await self._update(match_id)

    async def _update(self, match_id: int) -> Delivered:
        """Send the ping that the match needs, if any, then delete the one before it."""
        async with self._locks.setdefault(match_id, asyncio.Lock()):
            await self._read_doubtful()
            match = await self._changes.latest(match_id)
            if isinstance(match.location, Web):
                return Delivered.DELIVERED
            boards, home = self._display.ping_places(match), match.channel
            has_place, boards = bool(boards), boards or [home]
            match = replace(match, location=boards[0])
            channel_id = match.channel.channel_id
            known = await self._load(match_id)
            if match_id in self._doubtful:
                found = await self._adopt(match, known, boards, home.channel_id)
                if isinstance(found, Delivered):
                    return found
                known = found
            is_elsewhere = match_id in self._left or known.channel_id not in (None, channel_id)
            ask = ask_of(match)
            if known.ask == ask and not (is_elsewhere and ask is not None):
                return Delivered.DELIVERED
            sent: int | Delivered | None = None
            if goes_on(match, known) and not is_elsewhere:
                sent = known.message_id  # it still says whose turn it is
            elif ask is not None and has_place and self._display.wants_ping(match):
                # Before the old one is deleted: after a crash two pings are better than none.
                sent = await self._display.ping(match)
            if isinstance(sent, Delivered):
                if sent is Delivered.DISCORD_DOWN:
                    self._doubtful.add(match_id)  # it may have been sent all the same
                return sent
            left = self._left.pop(match_id, channel_id)
            if known.message_id is not None and known.message_id != sent:
                await self._delete(known.channel_id or left, known.message_id)
            # Recorded last: after a crash a search finds the new ping; the old id would be lost.
            self._record(match_id, Ping(ask, sent, None if sent is None else channel_id))
            return Delivered.DELIVERED

    async def _adopt(
        self, match: Match, known: Ping, boards: Sequence[Channel], home_id: int
    ) -> Ping | Delivered:
        """Find pings that were sent and not stored: one that fits becomes the match's, the others go.

        boards: where they may be; one fits in the channel of the first alone. home_id: of the match's own
        board, whose channel is meant where the known ping names none.
        """
        known_in = known.channel_id or self._left.get(match.id, home_id)
        strange: dict[int, int] = {}
        fitting: list[int] = []
        for board in boards:
            since = known.message_id if board.channel_id == known_in else None
            found = await self._display.find_pings(replace(match, location=board), since)
            if found is Delivered.DISCORD_DOWN:
                return found
            if isinstance(found, Delivered):
                continue  # where nothing can be searched the ping is sent again
            if since is not None and since not in found:
                known = Ping(known.ask)  # it was deleted, and that was not stored
            others = [message_id for message_id in found if message_id != since]
            strange |= dict.fromkeys(others, board.channel_id)
            if board is boards[0]:
                fitting = [message_id for message_id in others if found[message_id]]
        self._doubtful.discard(match.id)
        ask = ask_of(match)
        if ask is not None and ask != known.ask and fitting:
            self._left.pop(match.id, None)  # it links to a board that the match has
            del strange[fitting[-1]]
            if known.message_id is not None:
                strange[known.message_id] = known_in
            known = Ping(ask, fitting[-1], match.channel.channel_id)
        for message_id, channel_id in strange.items():
            await self._delete(channel_id, message_id)
        if known.ask == ask:
            self._record(match.id, known)
        return known

    async def _delete(self, channel_id: int, message_id: int) -> None:
        if await self._display.delete_ping(channel_id, message_id) is not Delivered.DELIVERED:
            self._old[message_id] = OldPing(channel_id, message_id, self._changes.now())

    async def _load(self, match_id: int) -> Ping:
        known = self._known.get(match_id) or self._versions.waiting_ping(match_id)
        if known is None:
            known = self._known[match_id] = await self._stores.pings.of(match_id)
        return known

    def _record(self, match_id: int, ping: Ping) -> None:
        self._known[match_id] = ping
        self._versions.ping(match_id, ping)

    async def _read_doubtful(self) -> None:
        async with self._doubting:
            if not self._has_to_doubt:
                return
            for ping in await self._stores.pings.stale(STALE_LIMIT):
                self._doubtful.add(ping.match_id)
                if ping.ask is None and self._versions.waiting_ping(ping.match_id) is None:
                    # Otherwise a match that ends before the next crash would seem to have had no ping.
                    self._versions.ping(ping.match_id, Ping(UNKNOWN_ASK))
            self._has_to_doubt = False

    # As a source of the reconciler

    async def stale(self, limit: int) -> Sequence[Delivery[StalePing | OldPing]]:
        await self._read_doubtful()
        found: list[Delivery[StalePing | OldPing]] = [
            Delivery(ping.match_id, ping, ping.channel_id, ping.version, GRACE_SECONDS, requests=2)
            for ping in await self._stores.pings.stale(limit)
            # A ping links to the board, so it waits until that is found again or sent.
            if ping.has_board
        ]
        return found + [Delivery(("old", key), old, old.channel_id) for key, old in self._old.items()]

    async def deliver(self, delivery: Delivery[StalePing | OldPing]) -> Delivered:
        item = delivery.item
        if isinstance(item, StalePing):
            # Read again: another process may have changed the match, or stored its ping.
            await self._changes.match(item.match_id)
            self._known.pop(item.match_id, None)
            return await self._update(item.match_id)
        outcome = await self._display.delete_ping(item.channel_id, item.message_id)
        if outcome is Delivered.DELIVERED or self._changes.now() - item.since > GIVEN_UP_AFTER:
            self._old.pop(item.message_id, None)
        return outcome

    async def give_up(self, delivery: Delivery[StalePing | OldPing]) -> None:
        if isinstance(delivery.item, StalePing):
            match = await self._changes.latest(delivery.item.match_id)
            self._record(match.id, Ping(ask_of(match)))
        else:
            self._old.pop(delivery.item.message_id, None)
