"""TurnPings: the messages that tell people that it is their turn, or that their clock runs out."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Iterable
from contextlib import suppress
from weakref import WeakValueDictionary

from bot.domain.errors import Unavailable
from bot.domain.match import Match
from bot.services.background import Background
from bot.services.call_notes import Begun
from bot.services.changes import Changes
from bot.services.ports import Delivered, Display
from bot.services.retry_queue import RetryQueue
from bot.store.calls import Call
from bot.store.shared import Conflict
from bot.store.stores import Stores


class TurnPings:
    """One per process; lives on the event loop."""

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        background: Background,
        retries: RetryQueue,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._background = background
        self._retries = retries
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def ping(self, match: Match) -> None:
        """Ping the person to act, in the background; call it once a change is displayed."""
        if not match.has_agent:
            self._retries.drop(_ping_key(match))
            self._background.spawn(self._ping(match))

    async def _ping(self, match: Match) -> None:
        try:
            async with self._calling(match.id):
                await self._call_now(match)
        except Unavailable:
            self._retries.defer(_ping_key(match), lambda: self.ping_again(match.id))

    async def warn(self, match: Match) -> None:
        """Warn the person to move that the clock runs out."""
        try:
            await self._warn(match)
        except Unavailable:
            self._retries.defer(("warning of match", match.id), lambda: self._warn(match))

    async def ping_again(self, match_id: int) -> Delivered:
        """Calls whoever is to act now, unless that was done before the last process ended.

        Of a call that was about to be sent nobody knows whether it was, so its message is looked for.
        Returns why Discord did not take it; YES where there is a call, or need be none.
        """
        async with self._calling(match_id):
            match = await self._stores.matches.find(match_id)
            is_wanted = match is not None and not match.is_over and (_is_warned(match) or not match.has_agent)
            if match is None or not is_wanted:
                return Delivered.DELIVERED
            # A call to the turn is no warning of its clock.
            since = match.warning_at if _is_warned(match) else None
            notes = self._changes.calls
            is_called = notes.is_called(match, since) or await self._stores.calls.stand(match, since)
            if is_called or await self._found_again(match):
                return Delivered.DELIVERED
            return await self._call_now(match, self._display.warn if _is_warned(match) else None)

    async def _found_again(self, match: Match) -> bool:
        """Whether the call to the turn as it is was sent after all, though nobody had noted its message."""
        if self._changes.calls.is_begun(match.id):
            return False  # it was stored with a move just made, and is about to be sent
        lost = await self._stores.calls.unknown(match)
        found = None if lost is None else await self._display.find_calls([lost], match)
        if lost is None or found is None or isinstance(found, Delivered):
            return False
        strange, _ = await self._changes.calls.strange(match.id, found, self._changes.now())
        if strange:
            self._changes.calls.sent(lost, strange[0])
        else:
            self._changes.calls.give_up([lost])
        return bool(strange)

    def is_called(self, match: Match) -> bool:
        """Whether somebody is to be called to what the match is now."""
        return not match.is_over and self._display.wants_call(match)

    def _calling(self, match_id: int) -> asyncio.Lock:
        """Held while somebody is called: two calls at once may become one message, by its nonce."""
        return self._locks.setdefault(match_id, asyncio.Lock())

    async def _call_now(
        self, match: Match, how: Callable[[Match], Awaitable[int | Delivered]] | None = None
    ) -> Delivered:
        """Why Discord did not take it; YES where there is a call, or need be none."""
        begun = self._changes.calls.begun(match)
        if begun is None:
            replaced = await self._replaced(match, self.is_called)
            if replaced is None:
                return Delivered.DELIVERED
            match, call, done = replaced
        elif begun.version > match.version:
            return Delivered.DELIVERED  # whoever changed it since calls
        else:
            call, done = await self._fitting(match, begun, is_called=self.is_called(match)), list(begun.done)
        sent = (
            Delivered.DELIVERED
            if call is None
            else await self._send(call, (how or self._display.call)(match))
        )
        done = self._changes.calls.still(done)
        same = [one for one in done if one.message_id is not None and one.message_id == sent]
        self._changes.calls.forget(same)
        await self._remove(one for one in done if one not in same)
        return sent if isinstance(sent, Delivered) else Delivered.DELIVERED

    async def _replaced(
        self, match: Match, is_called: Callable[[Match], bool]
    ) -> tuple[Match, Call | None, list[Call]] | None:
        """The match as it is stored, the call to it and those that are to go.

        None where somebody has made something else of it since: then they call, or have called already.
        """
        while True:
            newest = await self._stores.matches.find(match.id)
            if newest is None or _asked_by(newest) != _asked_by(match):
                return None
            with suppress(Conflict):
                now = self._changes.now()
                replaced = await self._stores.calls.replace(newest, now, is_called=is_called(newest))
                return newest, *replaced

    async def _fitting(self, match: Match, begun: Begun, *, is_called: bool) -> Call | None:
        """The call that was stored with the match, or another where the board has moved since."""
        call = begun.call
        place = match.location.channel_id, match.location.message_id
        fits = call is not None and is_called and (call.channel_id, call.board_id) == place
        self._changes.calls.forget(begun.unsent)
        if call is not None and not fits:
            self._changes.calls.forget([call])
        if fits or not is_called:
            return call if fits else None
        return await self._stores.calls.begin(match, self._changes.now())

    async def _warn(self, before: Match) -> None:
        """Warns the person to move of their clock, unless they have moved meanwhile."""
        async with self._calling(before.id):
            match = await self._stores.matches.find(before.id)
            if match is None or match.is_over or match.turn != before.turn:
                return
            if self._display.wants_call(match):
                call = await self._stores.calls.begin(match, self._changes.now())
                await self._send(call, self._display.warn(match))

    async def _send(self, call: Call, sending: Awaitable[int | Delivered]) -> int | Delivered:
        """The message of a call that was written down; what nobody knows the fate of is looked for later.

        That there is nowhere to send it is believed the second time: the reconciler tries it once more.
        """
        with self._changes.calls.sending(call):
            sent = await sending
        if isinstance(sent, int):
            self._changes.calls.sent(call, sent)
        elif sent is not Delivered.DISCORD_DOWN:
            self._changes.calls.forget([call])
        if sent in (Delivered.DISCORD_DOWN, Delivered.CHANNEL_REFUSED, Delivered.GONE):
            self._changes.calls.doubt(call.match_id)
        return sent

    async def _remove(self, calls: Iterable[Call]) -> None:
        """What cannot be removed now, or Discord does not find at first, is removed later."""
        for call in self._changes.calls.still(calls):
            # Those of unknown messages have to be looked for, which nobody waits for.
            if call.message_id is not None and await self._display.remove(call) is Delivered.DELIVERED:
                self._changes.calls.forget([call])


def _ping_key(match: Match) -> Hashable:
    return "ping of match", match.id


def _asked_by(match: Match) -> Hashable:
    """What somebody is asked for: only what is changed by people, agents and clocks, who all call."""
    return match.turn, match.is_over, match.draw_offer, match.undo_request


def _is_warned(match: Match) -> bool:
    """Whether the person to move was warned of the clock, or was about to be."""
    return match.warned_turn == match.turn and match.draw_offer is None and match.undo_request is None
