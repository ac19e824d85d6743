"""Reconciler: brings every board, invitation and call up to date that is behind, whatever left it so.

Who changes something shows it at once; what that missed (a torn connection, a missing permission, a killed
process) is found here, in the database, and tried again until it is right or there is nothing left to show.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from bot.domain.challenge import Challenge, ChallengeStatus
from bot.domain.errors import Refusal
from bot.domain.match import Match
from bot.services.backoff import Backoff
from bot.services.changes import Changes
from bot.services.matches import MatchService
from bot.services.ports import Delivered, Display
from bot.services.rate_window import RateWindow
from bot.services.shown_versions import ShownVersions
from bot.store.calls import Call
from bot.store.shared import SENDING_FOR
from bot.store.shown import Behind
from bot.store.stores import Stores

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.5
"""Seconds between two looks."""

A_LOOK = 10
"""Requests that one look may cost."""

A_CHANNEL = 5
"""What may be under way in one channel; Discord takes about five requests in five seconds there."""

GRACE_SECONDS = 1.5
"""For so long a message that is behind is left to whoever changed its match."""

LOST_SECONDS = 15.0
"""For so long a match without a message is left to whoever began it."""

SENDING_SECONDS = 5.0
"""For so long a call of unknown message is left to whoever is sending it."""

CALM_SECONDS = 5.0
"""Seconds between two looks at the database while nothing is known to be behind."""

REST_SECONDS = 0.9
"""The same while nothing can be put right yet, as while people play; so often is noted what was shown."""

GIVEN_UP_AFTER = timedelta(days=1)
"""After so long nobody waits any more for the end of a match to be shown, or for a call to go."""

LONGEST_PAUSE = 900.0
"""Seconds between two tries in a channel that refuses for long."""

LONGEST_PAUSE_FOR_ALL = 60.0


@dataclass(frozen=True, slots=True)
class _Work:
    """Something to be put right. key: what it is about. cost: requests that it may take.

    do: puts it right, and returns what Discord made of that; None where it was not asked.
    """

    key: tuple[str, int]
    version: int
    channel_id: int
    grace: float
    cost: int
    do: Callable[[], Awaitable[Delivered | None]]


class Reconciler:
    """One for each process; lives on the event loop, and `look` is called again and again.

    It makes no more requests than its pace allows, which it shares with whoever else writes of their own
    accord: a few at once in a channel, none for what is right already. It waits longer and longer where
    Discord refuses: for one message, for its channel, or for everything.
    time: seconds that only grow; the event loop's by default.
    """

    def __init__(
        self,
        stores: Stores,
        display: Display,
        changes: Changes,
        service: MatchService,
        marks: ShownVersions,
        *,
        pace: RateWindow | None = None,
        time: Callable[[], float] | None = None,
    ) -> None:
        self._stores = stores
        self._display = display
        self._changes = changes
        self._service = service
        self._time = time or (lambda: asyncio.get_running_loop().time())
        self._marks = marks
        self._pace = pace or RateWindow(time=self._time)
        self._messages = Backoff(LONGEST_PAUSE)
        self._channels = Backoff(LONGEST_PAUSE)
        self._all = Backoff(LONGEST_PAUSE_FOR_ALL)
        self._seen: dict[tuple[str, int], tuple[int, float]] = {}
        self._under_way: dict[tuple[str, int], asyncio.Task[None]] = {}
        self._busy: Counter[int] = Counter()
        self._uncalled: set[int] = set()
        self._missed: set[tuple[str, int]] = set()
        self._failed_at: dict[tuple[str, int], float] = {}
        self._homeless: dict[int, Call] = {}
        self._is_first = True
        self._has_taken_over = True
        self._calm_until = 0.0
        self._note_at = 0.0

    async def run_once(self) -> None:
        """Notes what was shown, and begins to put right what is behind, as much as may be done at once."""
        now = self._time()
        is_calm = now < self._calm_until
        if is_calm and now < self._note_at:
            return
        await self._note()
        self._note_at = now + REST_SECONDS
        if is_calm or self._all.is_waiting("all", now):
            return
        self._calm_until = now + REST_SECONDS  # unless somebody hurries meanwhile
        # One that Discord always fails at keeps no other from being tried.
        found = sorted(await self._behind(), key=lambda work: self._failed_at.get(work.key, -math.inf))
        most = left = min(1 if self._all.has_failed("all") else A_LOOK, self._pace.left)
        for work in found:
            if left <= 0:
                break
            if self._may_begin(work, now):
                left -= work.cost
                self._pace.spend(work.cost)
                self._begin(work)
        keys = {work.key for work in found}
        self._seen = {key: seen for key, seen in self._seen.items() if key in keys}
        keys |= self._under_way.keys()
        self._missed &= keys
        self._failed_at = {key: at for key, at in self._failed_at.items() if key in keys}
        self._messages.keep(keys)
        self._channels.keep({work.channel_id for work in found} | self._busy.keys())
        self._is_first = False
        if left < most or left <= 0:
            self._calm_until = 0.0
        elif not found and self._calm_until:
            self._calm_until = now + CALM_SECONDS

    def wake(self, channel_ids: Iterable[int] = ()) -> None:
        """Something has failed, or these channels may have become open: looks again without waiting."""
        self._calm_until = 0.0
        for channel_id in channel_ids:
            self._channels.succeed(channel_id)

    async def come_back(self, guild_id: int) -> None:
        """The bot is a member of that server once more: what had no place is shown, and people called."""
        since = self._changes.now() - GIVEN_UP_AFTER
        for match_id in await self._stores.shown.doubt_in(guild_id, since):
            self._changes.calls.doubt(match_id)
        self.wake()

    def take_over(self) -> None:
        """What another process did is this one's now: it looks for people whom that did not call any more."""
        self._has_taken_over = True
        self.wake()

    async def drain(self) -> None:
        """Waits until nothing that was begun is still under way, and notes what was shown."""
        while self._under_way:
            await asyncio.wait(tuple(self._under_way.values()))
        await self._note()

    async def close(self) -> None:
        """Ends what is under way, and notes what was shown."""
        for task in tuple(self._under_way.values()):
            task.cancel()
        await self.drain()

    async def _note(self) -> None:
        """What was shown and whom it called, in one transaction."""
        if not self._changes.calls.is_waiting:
            await self._marks.flush()
            return
        _, strange = await asyncio.gather(self._marks.flush(), self._changes.calls.flush())
        self._homeless |= {call.id: call for call in strange}
        if strange:
            self.wake()

    # What is behind

    async def _behind(self) -> list[_Work]:
        """What somebody may be waiting for comes first."""
        # Enough that one channel which is full, or refuses, keeps no other from being looked at.
        behind = await self._stores.behind.find(1000)
        notes = self._changes.calls
        calls = [*notes.still(behind.calls), *self._homeless.values()]
        lost = (call for call in calls if call.message_id is None and not notes.is_under_way(call))
        if self._has_taken_over:
            self._uncalled |= set(await self._stores.calls.missing(1000))
            self._has_taken_over = False
        self._uncalled |= notes.take_doubted()
        return [
            *map(self._board, behind.boards),
            *map(self._invitation, behind.invitations),
            *(self._call(call) for call in calls if call.message_id is not None),
            *map(self._lost, _by_place_and_time(lost)),
            *map(self._turn, self._uncalled),
        ]

    def _board(self, behind: Behind) -> _Work:
        lost = behind.message_id is None
        return _Work(
            ("match", behind.match_id),
            behind.version,
            behind.channel_id,
            LOST_SECONDS if lost else GRACE_SECONDS,
            3 if lost else 1,
            lambda: self._show_board(behind),
        )

    def _invitation(self, challenge: Challenge) -> _Work:
        key, location = ("invitation", challenge.id), challenge.location
        grace = LOST_SECONDS if location.message_id is None else GRACE_SECONDS
        return _Work(
            key, challenge.version, location.channel_id, grace, 1, lambda: self._show_invitation(challenge)
        )

    def _call(self, call: Call) -> _Work:
        return _Work(("call", call.id), 0, call.channel_id, GRACE_SECONDS, 1, lambda: self._remove(call))

    def _lost(self, calls: Sequence[Call]) -> _Work:
        """Calls to one board within some minutes, of whose messages nobody knows."""
        key, cost = ("lost call", calls[0].id), 1 + len(calls)
        return _Work(
            key, calls[-1].id, calls[0].channel_id, SENDING_SECONDS, cost, lambda: self._remove_lost(calls)
        )

    def _turn(self, match_id: int) -> _Work:
        """Nobody was called: the process ended before it, or Discord did not take it. Boards come first."""
        return _Work(("turn", match_id), 0, 0, 0.0, 2, lambda: self._call_again(match_id))

    # Putting it right

    async def _show_board(self, behind: Behind) -> Delivered:
        match = await self._stores.matches.find(behind.match_id)
        if match is None:
            self._marks.board(behind.match_id, behind.version)
            return Delivered.GONE
        log.info("match %d: its board is behind and is brought up to date", match.id)
        if match.location.message_id is None and match.version == 0:
            match = await self._on_its_invitation(match)
        shown = self._once_more(("match", match.id), await self._display.recover(match))
        is_past = match.is_over and self._changes.now() - match.touched_at > GIVEN_UP_AFTER
        if shown is Delivered.GONE or (is_past and shown is not Delivered.DELIVERED):
            self._marks.board(match.id, match.version)
        return shown

    async def _on_its_invitation(self, match: Match) -> Match:
        """A match that never had a board takes the message that invited to it, which else invites for ever.

        That one and the board come up at once after a start, so neither may leave it to the other.
        """
        challenge = await self._stores.challenges.of_match(match.id)
        if challenge is None or challenge.location.message_id is None:
            return match
        if challenge.location.channel_id != match.location.channel_id:
            return match  # in a thread of its own
        return await self._changes.attach(match.id, challenge.location)

    async def _show_invitation(self, challenge: Challenge) -> Delivered | None:
        """The message may have become the board of the match that came of it."""
        message_id = challenge.location.message_id
        if challenge.status is ChallengeStatus.ACCEPTED and challenge.match_id is not None:
            match = await self._stores.matches.find(challenge.match_id)
            if match is not None and match.location.channel_id == message_id:
                # The board stands in the thread that was made from it, and so has its id.
                self._marks.invitation(challenge.id, challenge.version)
                return None
            has_none = match is not None and match.location.message_id is None and match.version == 0
            if match is not None and message_id is not None and has_none:
                match = await self._changes.attach(match.id, challenge.location)
                self._marks.invitation(challenge.id, challenge.version)
                return await self._display.show(match)
            if match is not None and match.location.message_id in (None, message_id):
                self._marks.invitation(challenge.id, challenge.version)
                return None
        shown = self._once_more(("invitation", challenge.id), await self._display.show_challenge(challenge))
        if shown is Delivered.GONE:
            self._marks.invitation(challenge.id, challenge.version)
        return shown

    def _once_more(self, key: tuple[str, int], shown: Delivered) -> Delivered:
        """Discord is believed the second time that there is nothing to show it on.

        Amid troubles of its own it does not find what is there.
        """
        if shown is not Delivered.GONE or key in self._missed:
            self._missed.discard(key)
            return shown
        self._missed.add(key)
        return Delivered.MESSAGE_REFUSED

    async def _call_again(self, match_id: int) -> Delivered:
        self._uncalled.discard(match_id)
        try:
            shown = await self._service.call_again(match_id)
        except BaseException:
            self._uncalled.add(match_id)
            raise
        self._uncalled |= self._changes.calls.take_doubted()
        if self._once_more(("turn", match_id), shown) is Delivered.GONE:
            self._uncalled.discard(match_id)
        return Delivered.MESSAGE_REFUSED if match_id in self._uncalled else Delivered.DELIVERED

    async def _remove(self, call: Call) -> Delivered:
        shown = self._once_more(key := ("call", call.id), await self._display.remove(call))
        _, since = self._seen.get(key, (0, self._time()))
        is_past = self._time() - since > GIVEN_UP_AFTER.total_seconds()
        is_done = is_past or shown in (Delivered.DELIVERED, Delivered.GONE)
        # The number of a call that has no row may be another's by now.
        if is_done and self._homeless.pop(call.id, None) is None:
            self._changes.calls.forget([call])
        return shown

    async def _remove_lost(self, calls: Sequence[Call]) -> Delivered:
        """Those of unknown messages, the oldest first: one search finds the messages of all.

        What is known is read after it: a call that was sent meanwhile must not be taken for one of these.
        """
        key, match_id = ("lost call", calls[0].id), calls[0].match_id
        found = await self._display.find_calls(calls)
        if isinstance(found, Delivered):
            shown = self._once_more(key, found)
            is_past = self._changes.now() - calls[-1].called_at > GIVEN_UP_AFTER
            if shown is Delivered.GONE or (is_past and shown is not Delivered.DISCORD_DOWN):
                self._changes.calls.give_up(calls)
            # Where nothing may be read, boards may be written all the same.
            return Delivered.MESSAGE_REFUSED if shown is Delivered.CHANNEL_REFUSED else shown
        notes = self._changes.calls
        strange, is_sending = await notes.strange(match_id, found, self._changes.now() - SENDING_FOR)
        # One of them may be the call to the turn as it is, which is about to be found.
        is_looked_for = match_id in self._uncalled or ("turn", match_id) in self._under_way
        if strange and (is_sending or is_looked_for):
            return Delivered.MESSAGE_REFUSED
        for message_id in strange:
            shown = await self._display.remove(replace(calls[0], message_id=message_id))
            shown = self._once_more(key, shown)
            if shown not in (Delivered.DELIVERED, Delivered.GONE):
                return shown
        notes.give_up(calls)
        return Delivered.DELIVERED

    # One after another, and not too soon

    def _may_begin(self, work: _Work, now: float) -> bool:
        version, since = self._seen.get(work.key, (None, now))
        if version != work.version:
            # What the last process left behind has nobody else to show it.
            since = now - work.grace if self._is_first else now
            self._seen[work.key] = (work.version, since)
        if now - since < work.grace or work.key in self._under_way:
            return False
        if self._messages.is_waiting(work.key, now) or self._channels.is_waiting(work.channel_id, now):
            return False
        most = 1 if self._channels.has_failed(work.channel_id) else A_CHANNEL
        return self._busy[work.channel_id] < most

    def _begin(self, work: _Work) -> None:
        self._busy[work.channel_id] += 1
        task = asyncio.create_task(self._run(work))
        self._under_way[work.key] = task

    async def _run(self, work: _Work) -> None:
        try:
            shown: Delivered | None = await work.do()
        except Refusal as refusal:
            # The database cannot answer, or the match is damaged, of which the log and `check` tell.
            log.warning("%s %d is brought up to date later: %s", *work.key, refusal)
            shown = Delivered.MESSAGE_REFUSED
        except Exception:
            # Whatever it is, the others go on, and this one is tried again.
            log.exception("%s %d could not be brought up to date", *work.key)
            shown = Delivered.MESSAGE_REFUSED
        finally:
            del self._under_way[work.key]
            self._busy[work.channel_id] -= 1
            if not self._busy[work.channel_id]:
                del self._busy[work.channel_id]
        self._learn(work, shown)

    def _learn(self, work: _Work, shown: Delivered | None) -> None:
        now = self._time()
        if shown is None:
            return
        if shown is Delivered.DISCORD_DOWN:
            self._all.fail("all", now)
            self._failed_at[work.key] = now
            return
        self._failed_at.pop(work.key, None)
        self._all.succeed("all")
        if shown is Delivered.CHANNEL_REFUSED:
            self._channels.fail(work.channel_id, now)
            return
        if shown is Delivered.MESSAGE_REFUSED:
            self._messages.fail(work.key, now)
            return
        self._channels.succeed(work.channel_id)
        self._messages.succeed(work.key)


def _by_place_and_time(calls: Iterable[Call]) -> list[list[Call]]:
    """Those to the same board within some minutes together, in their order: one search sees no more."""
    found: dict[Hashable, list[list[Call]]] = {}
    for call in calls:
        groups = found.setdefault((call.match_id, call.channel_id, call.board_id), [])
        if groups and call.called_at - groups[-1][-1].called_at <= SENDING_FOR:
            groups[-1].append(call)
        else:
            groups.append([call])
    return [group for groups in found.values() for group in groups]
