"""Turns: what follows a change by itself, in the background. Agents think, people are called.

An agent's answer takes the same path as a person's move: one stored transition, then shown. An answer to a
position that is no longer there is dropped.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from datetime import datetime
from random import Random

from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.search_pool import SearchPool
from bot.services.ports import Display
from bot.store import Notice, Store
from engine.agents.roster import Roster
from engine.core import Choice, SearchInfo

log = logging.getLogger(__name__)

UNSEEN_PACE_SECONDS = 0.05
"""The least time between two moves of a match between agents that no message shows, as in tournaments."""

Transition = Callable[[Match, datetime], Match]


class Turns:
    """Wakes agents and calls people. One for each process; lives on the event loop.

    change: applies a transition to the stored match of that id, and returns what was stored.
    """

    def __init__(
        self,
        store: Store,
        search: SearchPool,
        roster: Roster,
        display: Display,
        change: Callable[[int, Transition], Awaitable[Match]],
        *,
        rng: Random,
        pace_seconds: float,
    ) -> None:
        self._store = store
        self._search = search
        self._roster = roster
        self._display = display
        self._change = change
        self._rng = rng
        self._pace_seconds = pace_seconds
        self._unseen = asyncio.Lock()
        self._thinking: dict[int, tuple[int, asyncio.Task[None]]] = {}
        self._background: set[asyncio.Task[None]] = set()

    def proceed(self, match: Match) -> None:
        """Wakes the agent, or calls the person, whose turn it is now; to be called after every change."""
        turn, task = self._thinking.get(match.id, (None, None))
        if task is not None and (turn != match.turn or match.is_over):
            self._search.cancel(match.id)
            task.cancel()
            del self._thinking[match.id]
            task = None
        if match.awaits_agent:
            if task is None:
                self._thinking[match.id] = (match.turn, self._spawn(self._think(match)))
        elif not match.has_agent:
            self._spawn(self._call(match))
        elif match.is_over or match.clock_seconds is not None:
            self._spawn(self._remove_notices(match))

    def show(self, match: Match) -> None:
        """Shows the match again, in the background."""
        self._spawn(self._display.show(match))

    async def warn(self, match: Match) -> None:
        """Warns the person to move of their clock, until they have moved."""
        await self._keep(match, await self._display.warn(match))

    async def settled(self) -> None:
        """Waits until nothing that `proceed` has begun is still under way."""
        while self._background:
            await asyncio.wait(tuple(self._background))

    async def close(self) -> None:
        """Ends everything that `proceed` has begun; what was not stored is done again after `resume`."""
        for task in tuple(self._background):
            task.cancel()
        await self.settled()

    async def _think(self, match: Match) -> None:
        """Lets agents move until a person has the turn or the match is over."""
        loop = asyncio.get_running_loop()
        while match.awaits_agent:
            self._thinking[match.id] = (match.turn, _this_task())
            began = loop.time()
            if _is_unseen(match):
                # One such search at a time, so that they never take every thread from people's matches.
                async with self._unseen:
                    choice = await self._choose(match)
                await asyncio.sleep(min(self._pace_seconds, UNSEEN_PACE_SECONDS))
            else:
                choice = await self._choose(match)
                if all(seat.is_agent for seat in match.seats):
                    await asyncio.sleep(max(0.0, self._pace_seconds - (loop.time() - began)))
            try:
                match = await self._change(match.id, _agent_move(choice, match.turn))
            except MatchError as refusal:
                log.info("match %d: an agent's answer was dropped: %s", match.id, refusal)
                break
            await self._display.show(match)
        if self._thinking.get(match.id, (0, None))[1] is _this_task():
            del self._thinking[match.id]
        if match.is_over:
            await self._remove_notices(match)

    async def _choose(self, match: Match) -> Choice:
        """The agent's choice; when it fails the match goes on with a legal random move."""
        key = match.seat_to_move.level or ""
        seed = self._rng.getrandbits(32)
        group = "unseen" if _is_unseen(match) else match.place.guild_id or match.place.channel_id
        try:
            level = self._roster.level(key)
            kind = level.agent.partition(":")[0]
            choice = await self._search.choose(
                match.id, group, lambda: self._roster.make(key, seed), match.state, level.limit, kind=kind
            )
            if choice.move not in match.state.legal_moves():
                raise ValueError(f"{choice.move} is no legal move")
            return choice
        except Exception:
            log.exception("match %d: agent %s failed; a random move is played", match.id, key)
            return Choice(self._rng.choice(match.state.legal_moves()), SearchInfo())

    async def _call(self, match: Match) -> None:
        await self._remove_notices(match)
        if not match.is_over:
            await self._keep(match, await self._display.call(match))

    async def _keep(self, match: Match, notice: Notice | None) -> None:
        if notice is not None:
            await self._store.add_notice(match.id, notice)

    async def _remove_notices(self, match: Match) -> None:
        for notice in await self._store.take_notices(match.id):
            await self._display.remove(notice)

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work failed", exc_info=error)


def _is_unseen(match: Match) -> bool:
    return match.place.message_id is None and all(seat.is_agent for seat in match.seats)


def _this_task() -> asyncio.Task[None]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("not inside a task")
    return task


def _agent_move(choice: Choice, turn: int) -> Transition:
    return lambda match, now: match.play_agent(choice.move, now, turn=turn, seconds=choice.info.seconds)
