"""Turns: what follows a change by itself, in the background. Agents think, people are called.

An agent's answer takes the same path as a person's move: one stored transition, then shown. An answer to a
position that is no longer there is dropped; one that the database could not take is kept until it can.
"""

from __future__ import annotations

import asyncio
import logging
import math
import operator
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from random import Random
from weakref import WeakValueDictionary

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Unavailable
from bot.domain.match import Fair, Match, Pace
from bot.search.pool import SearchPool
from bot.services.call_notes import Begun
from bot.services.changes import Changes
from bot.services.ports import Delivered, Display
from bot.services.retry_queue import RetryQueue
from bot.store.calls import Call
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.agents.roster import Roster
from engine.analysis.searches import ChooseMove, EvaluateState
from engine.core import Choice, Limit, Move
from engine.games import spec_of

log = logging.getLogger(__name__)

UNSEEN_PACE_SECONDS = 0.05
"""The least time between two moves of a match between agents that no message shows, as in tournaments."""

STORE_RETRY_SECONDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""The pauses between attempts to store an answer that the database refuses; then `wake` tries again."""

SLOWER = 3
"""How many times as long as usual a slow match takes for a move."""

SHOWN_EVERY_SECONDS = 1.0
"""A match that goes as fast as agents think is shown no more often: Discord allows five edits in 5 s."""

PIE_LIMIT = Limit(seconds=0.3)
"""For what one first move is worth to an agent that has a pie to cut or to choose from."""

AT_ONCE = 4
"""Messages that are changed at the same time for nobody who waits: clocks, and boards after a start."""

AT_A_LOOK = 500
"""Running matches that are read at once, to see whose agents should think."""

RESUME_PAUSE_SECONDS = 0.1
"""The pause after each of these when many are resumed, so that whoever presses meanwhile is answered."""

PATIENCE_SECONDS = 3.0
"""How long the clocks' next look waits for what the last one has to show."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """What an agent chose for that turn, and how long it thought; no move: it takes the first one over."""

    turn: int
    move: Move | None
    seconds: float

    def apply(self, match: Match, now: datetime) -> Match:
        if self.move is None:
            return match.swap_agent(now, turn=self.turn)
        return match.play_agent(self.move, now, turn=self.turn, seconds=self.seconds)


class Turns:
    """Wakes agents and calls people. One for each process; lives on the event loop."""

    def __init__(
        self,
        stores: Stores,
        search: SearchPool,
        roster: Roster,
        display: Display,
        changes: Changes,
        *,
        rng: Random,
        pace_seconds: float,
        retry_seconds: Iterable[float] = STORE_RETRY_SECONDS,
        retries: RetryQueue | None = None,
    ) -> None:
        self._stores = stores
        self._retries = retries or RetryQueue()
        self._search = search
        self._roster = roster
        self._display = display
        self._changes = changes
        self._rng = rng
        self._pace_seconds = pace_seconds
        self._retry_seconds = tuple(retry_seconds)
        self._agents = search.memory.agents
        self._unseen = asyncio.Lock()
        self._unasked = asyncio.Semaphore(AT_ONCE)
        self._thinking: dict[int, tuple[int, asyncio.Task[None]]] = {}
        self._kept: dict[int, _Answer] = {}
        self._pauses: dict[int, asyncio.Task[None]] = {}
        self._resting: dict[int, int] = {}
        self._looked_at = 0
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._background: set[asyncio.Task[None]] = set()

    @property
    def agents_kept(self) -> int:
        """How many agents wait for their match's next move."""
        return len(self._agents)

    def proceed(self, match: Match) -> None:
        """Wakes the agent, or calls the person, whose turn it is now; to be called after every change."""
        self._wake(match)
        if match.is_over:
            self._agents.end(match.id)
            self._resting.pop(match.id, None)
        if match.awaits_agent:
            return
        if not match.has_agent:
            self._retries.drop(_call_to(match))
            self._spawn(self._call_or_later(match))
        elif match.is_over or match.clock_seconds is not None:
            self._spawn(self._remove_calls(match))

    async def resume(self) -> int:
        """Lets every agent think that was to move when the last process ended; returns how many do at once.

        The first are looked at before this returns, the others in the background.
        """
        found, after = await self._stores.matches.running_with_agents(0, AT_A_LOOK)
        if after is not None:
            self._spawn(self._resume_after(after))
        return self._resume(found)

    async def _resume_after(self, after: int | None) -> None:
        while after is not None:
            found, after = await self._stores.matches.running_with_agents(after, AT_A_LOOK)
            self._resume(found)
            await asyncio.sleep(RESUME_PAUSE_SECONDS)

    def _resume(self, found: Iterable[Match]) -> int:
        waiting = [match for match in found if match.awaits_agent and not self._is_thinking(match.id)]
        for match in waiting:
            self.proceed(match)
        return len(waiting)

    async def wake(self, touched_before: datetime) -> int:
        """Wakes agents that should think and do not, whatever put them to sleep; returns how many.

        It looks at so many matches a time, and after the last one at the first again.
        touched_before: matches changed since then are left to whoever changed them.
        """
        await self._retries.run_once()
        running, after = await self._stores.matches.running_versions(self._looked_at, AT_A_LOOK)
        self._looked_at = after or 0
        woken = 0
        for key, (version, touched_at) in running.items():
            if touched_at >= touched_before or self._resting.get(key) == version:
                continue
            try:
                woken += await self._wake_asleep(key, touched_before)
            except Exception:
                # One match that cannot be loaded must not keep the others asleep.
                log.exception("match %d could not be woken", key)
        return woken

    async def _wake_asleep(self, match_id: int, touched_before: datetime) -> bool:
        """Wakes the agent of that match, if it should think and does not; returns whether it had to."""
        if self._is_thinking(match_id):
            return False
        match = await self._stores.matches.find(match_id)
        if match is None or self._is_thinking(match_id) or match.touched_at >= touched_before:
            return False
        if match.awaits_agent:
            log.warning("match %d: its agent had fallen asleep and is woken", match_id)
        self._wake(match)
        return match.awaits_agent

    async def follow_clocks(self, matches: Iterable[Match]) -> None:
        """Shows who has lost on time, and warns who is about to, a few at once.

        Returns after a while even where Discord is slow; the rest goes on in the background.
        """
        await self._a_few_at_once(partial(self._follow_clock, match) for match in matches)

    async def show_ended(self, challenges: Iterable[Challenge]) -> None:
        """Shows invitations whose time was over, likewise."""
        await self._a_few_at_once(partial(self._display.show_challenge, one) for one in challenges)

    async def _follow_clock(self, match: Match) -> None:
        if match.is_over:
            await self._show(match)
            self.proceed(match)
        else:
            await self._warn_or_later(match)

    async def _a_few_at_once(self, deeds: Iterable[Callable[[], Awaitable[object]]]) -> None:
        async def in_turn(deed: Callable[[], Awaitable[object]]) -> None:
            async with self._unasked:
                await deed()

        tasks = [self._spawn(in_turn(deed)) for deed in deeds]
        if tasks:
            await asyncio.wait(tasks, timeout=PATIENCE_SECONDS)

    async def drain(self) -> None:
        """Waits until nothing that `proceed` has begun is still under way."""
        while self._background:
            await asyncio.wait(tuple(self._background))

    async def close(self) -> None:
        """Ends everything that `proceed` has begun; what was not stored is done again after `resume`."""
        for task in tuple(self._background):
            task.cancel()
        await self.drain()

    def _wake(self, match: Match) -> None:
        """Lets the agent think whose turn it is, and nobody else about this match."""
        turn, task = self._thinking.get(match.id, (None, None))
        if task is not None and (task.done() or turn != match.turn or match.is_over):
            self._search.cancel(match.id)
            task.cancel()
            del self._thinking[match.id]
            task = None
        if not match.awaits_agent:
            if match.has_agent and not match.is_over:
                self._resting[match.id] = match.version
            self._kept.pop(match.id, None)
        elif task is not None:
            self._hurry(match)
        else:
            self._thinking[match.id] = (match.turn, self._spawn(self._think(match)))

    def _is_thinking(self, match_id: int) -> bool:
        _, task = self._thinking.get(match_id, (None, None))
        return task is not None and not task.done()

    async def _think(self, match: Match) -> None:
        """Lets agents move until a person has the turn or the match is over."""
        loop = asyncio.get_running_loop()
        shown_at = -math.inf
        try:
            while match.awaits_agent:
                self._thinking[match.id] = (match.turn, _this_task())
                answer = await self._answer(match)
                stored = await self._store_answer(match, answer)
                if stored is None:
                    return
                match = stored
                is_quick = match.is_watched and match.pace is Pace.QUICK and not match.is_over
                if not is_quick or loop.time() - shown_at >= SHOWN_EVERY_SECONDS:
                    await self._show(match)
                    shown_at = loop.time()
        finally:
            if self._thinking.get(match.id, (0, None))[1] is _this_task():
                del self._thinking[match.id]
        if match.is_over:
            self._resting.pop(match.id, None)
            await self._remove_calls(match)
        else:
            self._resting[match.id] = match.version

    async def _answer(self, match: Match) -> _Answer:
        """What the agent plays: what it chose before when that could not be stored, else a new choice."""
        kept = self._kept.get(match.id)
        if kept is not None and kept.turn == match.turn:
            return kept
        loop = asyncio.get_running_loop()
        began = loop.time()
        if _is_unseen(match):
            # One such search at a time, so that they never take every thread from people's matches.
            async with self._unseen:
                answer = await self._choose(match)
            await asyncio.sleep(min(self._pace_seconds, UNSEEN_PACE_SECONDS))
        else:
            answer = await self._choose(match)
            if match.is_watched:
                await self._pause(match, began)
        return answer

    async def _pause(self, match: Match, began: float) -> None:
        """Until the move that was thought of since `began` is due, at a speed that may change meanwhile."""
        loop = asyncio.get_running_loop()
        while True:
            pace = (await self._changes.latest(match.id)).pace
            left = began + self._seconds_at(pace) - loop.time()
            if left <= 0:
                return
            pause = self._pauses[match.id] = asyncio.create_task(asyncio.sleep(left))
            try:
                await asyncio.wait([pause])
            finally:
                pause.cancel()
                del self._pauses[match.id]

    def _hurry(self, match: Match) -> None:
        """Whoever waits to make the next move asks again how fast it is to go."""
        pause = self._pauses.get(match.id)
        if pause is not None:
            pause.cancel()

    def _seconds_at(self, pace: Pace) -> float:
        """The least time between two moves."""
        if pace is Pace.QUICK:
            return min(self._pace_seconds, UNSEEN_PACE_SECONDS)
        return self._pace_seconds * (SLOWER if pace is Pace.SLOW else 1)

    async def _store_answer(self, match: Match, answer: _Answer) -> Match | None:
        """The match as stored; None when the answer came too late, or is kept because nothing can be stored.

        Tried again and again, since what stops a database (a lock, a full disk) passes.
        """
        for attempt, pause in enumerate((*self._retry_seconds, None)):
            try:
                stored = await self._changes.of_match(match.id, answer.apply)
            except MatchError as refusal:
                log.info("match %d: an agent's answer was dropped: %s", match.id, refusal)
                self._kept.pop(match.id, None)
                # An attempt that failed may have been stored all the same; then nobody has shown it yet.
                return await self._change_after(match) if attempt else None
            except Exception as error:  # noqa: BLE001 - whatever it is, the answer must not be lost
                self._kept[match.id] = answer
                log.log(
                    logging.ERROR if pause is None else logging.WARNING,
                    "match %d: its agent's answer is kept, for it could not be stored: %s", match.id, error,
                )  # fmt: skip
                if pause is None:
                    return None
                await asyncio.sleep(pause)
            else:
                self._kept.pop(match.id, None)
                return stored
        return None

    async def _change_after(self, match: Match) -> Match | None:
        """The match as it is now, if it is not the one given."""
        found = await self._stores.matches.find(match.id)
        return None if found is None or found.version == match.version else found

    async def _show(self, match: Match) -> None:
        try:
            await self._display.show(match)
        except Exception:
            # The match goes on whether or not it can be seen.
            log.exception("match %d could not be shown", match.id)

    async def _choose(self, match: Match) -> _Answer:
        """The agent's choice; when it fails the match goes on with a legal random move.

        Nothing that an agent says is stored unchecked, since it may be anybody's program.
        """
        key = match.seat_to_move.level or ""
        seed = self._rng.getrandbits(32)
        group = "unseen" if _is_unseen(match) else match.location.guild_id or match.location.channel_id
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            fair = await self._by_the_pie_rule(match, group)
            if fair is not None:
                return fair
            level = self._roster.level(key)
            seat = (match.state.to_move, key)
            if level.is_deep:
                deep = ChooseMove(match.id, level.agent, seed, match.state, seat)
                choice = await self._search.search(
                    match.id, group, deep, level.limit, kind=level.kind, hurries=True
                )
            else:
                agent = self._agents.agent(match.id, seat, lambda: self._roster.make(key, seed))
                choice = await self._search.choose(
                    match.id, group, lambda: agent, match.state, level.limit, kind=level.kind
                )
            move = operator.index(choice.move)
            if move not in match.state.legal_moves():
                raise ValueError(f"{move} is no legal move")
            return _Answer(match.turn, move, _seconds_of(choice, loop.time() - began))
        except Exception:
            log.exception("match %d: agent %s failed; a random move is played", match.id, key)
            return _Answer(match.turn, self._rng.choice(match.state.legal_moves()), 0.0)

    async def _by_the_pie_rule(self, match: Match, group: Hashable) -> _Answer | None:
        """The first move that leaves both sides most alike, or taking over one that is too good, or None."""
        is_first = match.fair is Fair.PIE and not match.timed_moves
        if not is_first and not match.can_swap:
            return None
        kind = spec_of(match.game).search.evaluator_kind
        worth = EvaluateState(match.id, match.game, match.state, of_moves=is_first)
        found = await self._search.search(match.id, group, worth, PIE_LIMIT, kind=kind)
        if is_first:
            move = min(found.moves, key=lambda move: abs(found.moves[move].expectation))
            return _Answer(match.turn, move, 0.0)
        return _Answer(match.turn, None, 0.0) if found.score.expectation < 0 else None

    async def call_again(self, match_id: int) -> Delivered:
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

    async def _call(self, match: Match) -> None:
        """Calls whoever is to act now, then takes back what called somebody before."""
        async with self._calling(match.id):
            await self._call_now(match)

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

    async def _call_or_later(self, match: Match) -> None:
        try:
            await self._call(match)
        except Unavailable:
            self._retries.defer(_call_to(match), lambda: self.call_again(match.id))

    async def _warn_or_later(self, match: Match) -> None:
        try:
            await self._warn(match)
        except Unavailable:
            self._retries.defer(("warning of match", match.id), lambda: self._warn(match))

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

    async def _remove_calls(self, match: Match) -> None:
        async with self._calling(match.id):
            replaced = await self._replaced(match, lambda _match: False)
            if replaced is not None:
                await self._remove(replaced[-1])

    async def _remove(self, calls: Iterable[Call]) -> None:
        """What cannot be removed now, or Discord does not find at first, is removed later."""
        for call in self._changes.calls.still(calls):
            # Those of unknown messages have to be looked for, which nobody waits for.
            if call.message_id is not None and await self._display.remove(call) is Delivered.DELIVERED:
                self._changes.calls.forget([call])

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Unavailable):
            log.warning("background work was not done: %s", error)
        elif error is not None:
            log.error("background work failed", exc_info=error)


def _call_to(match: Match) -> Hashable:
    """What is left for later where a call could not be noted."""
    return "call to match", match.id


def _asked_by(match: Match) -> Hashable:
    """What somebody is asked for: only what is changed by people, agents and clocks, who all call."""
    return match.turn, match.is_over, match.draw_offer, match.undo_request


def _is_warned(match: Match) -> bool:
    """Whether who is to move was warned of the clock, or was about to be."""
    return match.warned_turn == match.turn and match.draw_offer is None and match.undo_request is None


def _is_unseen(match: Match) -> bool:
    return match.location.message_id is None and match.is_watched


def _seconds_of(choice: Choice, measured: float) -> float:
    """How long the agent thought, as it says itself; as measured where it says nothing that can be stored."""
    told: object = choice.info.seconds
    return float(told) if isinstance(told, (int, float)) and 0 <= told < math.inf else measured


def _this_task() -> asyncio.Task[None]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("not inside a task")
    return task
