"""AgentRunner: lets agents move, in the background: when they move, and how the move is stored.

An agent's move takes the same path as a person's: one stored transition, which is published. A move for a
position that is no longer there is dropped; one that the database could not store is kept and tried again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from random import Random

from bot.domain.backoff import growing_pauses
from bot.domain.errors import MatchError
from bot.domain.match import Held, Match, Pace
from bot.search.pool import SearchPool
from bot.services.agent_search import AgentHold, AgentMove, AgentSearch, AgentWait, is_unseen
from bot.services.allowed_help import AllowedHelp
from bot.services.background import Background
from bot.services.changes import Changed, Changes
from bot.store.stores import Stores
from engine.agents.roster import Roster

log = logging.getLogger(__name__)

Answer = AgentMove | AgentHold

UNSEEN_PACE_SECONDS = 0.05
"""The least time between two moves of a match between agents that no message shows, as in tournaments."""

STORE_RETRY_SECONDS = tuple(islice(growing_pauses(0.25), 6))
"""The pauses between attempts to store a move that the database refuses; then `wake_asleep` tries again."""

SLOW_FACTOR = 3
"""How many times as long as usual a slow match takes for a move."""

WAKE_GRACE = timedelta(seconds=10)
"""How old a change is before its agent counts as asleep."""

MATCHES_PER_QUERY = 500
"""Running matches that are read at once."""

RESUME_PAUSE_SECONDS = 0.1
"""The pause after each query of a resume, so that presses are answered meanwhile."""


class AgentRunner:
    """One per process; lives on the event loop.

    judge: returns why a coach holds an answer, if it does. pace_seconds: the least time between two moves of
    a match that people only watch, at the normal speed. retry_seconds: as STORE_RETRY_SECONDS. head_start:
    returns for how many seconds such a match waits at least before its next move.
    """

    def __init__(
        self,
        stores: Stores,
        search: SearchPool,
        roster: Roster,
        changes: Changes,
        background: Background,
        allowed_help: AllowedHelp,
        judge: Callable[[Match], Awaitable[Held | None]],
        *,
        rng: Random,
        pace_seconds: float,
        retry_seconds: Iterable[float] = STORE_RETRY_SECONDS,
        head_start: Callable[[Match], float] = lambda _match: 0.0,
    ) -> None:
        self._stores = stores
        self._search = search
        self._changes = changes
        self._background = background
        self._allowed_help = allowed_help
        self._agent_search = AgentSearch(search, roster, rng)
        self._judge = judge
        self._pace_seconds = pace_seconds
        self._retry_seconds = tuple(retry_seconds)
        self._head_start = head_start
        self._agents = search.memory.agents
        self._thinking: dict[int, tuple[int, asyncio.Task[None]]] = {}
        self._unstored: dict[int, Answer] = {}
        self._pauses: dict[int, asyncio.Task[None]] = {}
        self._idle: dict[int, int] = {}
        self._scanned_up_to = 0
        changes.subscribe(Match, self._on_change)

    @property
    def kept(self) -> int:
        """How many agents wait for their match's next move."""
        return len(self._agents)

    def wake(self, match: Match) -> None:
        """Let the agent think whose turn it is, and stop one whose turn is over."""
        turn, task = self._thinking.get(match.id, (None, None))
        if task is not None and task is asyncio.current_task():
            return  # the agent's own move was stored; its loop goes on by itself
        if task is not None and (task.done() or turn != match.turn or match.is_over):
            self._search.cancel(match.id)
            task.cancel()
            del self._thinking[match.id]
            task = None
        if not match.lets_agent_move:
            if match.has_agent and not match.is_over:
                self._idle[match.id] = match.version
            self._unstored.pop(match.id, None)
        elif task is not None:
            self._end_pause(match.id)
        else:
            self._thinking[match.id] = (match.turn, self._background.spawn(self._think(match)))
        if match.is_over:
            self._agents.end(match.id)
            self._idle.pop(match.id, None)

    async def resume(self) -> int:
        """Wake every agent that has to move after a start; return how many of the first query.

        The first are read before this returns, the others in the background.
        """
        found, after = await self._stores.matches.running_with_agents(0, MATCHES_PER_QUERY)
        if after is not None:
            self._background.spawn(self._resume_after(after))
        return self._resume(found)

    async def wake_asleep(self) -> int:
        """Wake agents that should think and do not, for whatever reason; return how many.

        Each call reads the next MATCHES_PER_QUERY matches, and starts over after the last one.
        """
        before = self._changes.now() - WAKE_GRACE
        running, after = await self._stores.matches.running_versions(self._scanned_up_to, MATCHES_PER_QUERY)
        self._scanned_up_to = after or 0
        woken = 0
        for key, (version, touched_at) in running.items():
            if touched_at >= before or self._idle.get(key) == version:
                continue
            try:
                woken += await self._wake_if_asleep(key, before)
            except Exception:
                # One match that cannot be loaded must not keep the others asleep.
                log.exception("match %d could not be woken", key)
        return woken

    async def release(self) -> None:
        """Let agents answer again where the match that they waited for has gone on; they may wait again."""
        for match in await self._stores.matches.released():
            # Asked before the agent searches again, since a match that bars help goes on for many moves.
            number = await self._allowed_help.awaited_by(match)
            answer = AgentWait(match.turn, number)
            with suppress(MatchError):
                await self._changes.of_match(match.id, answer.apply)

    def _on_change(self, changed: Changed[Match]) -> None:
        # A match to be watched begins once its board is there to be watched.
        if changed.before is not None or not is_unseen(changed.after):
            self.wake(changed.after)

    async def _resume_after(self, after: int | None) -> None:
        while after is not None:
            found, after = await self._stores.matches.running_with_agents(after, MATCHES_PER_QUERY)
            self._resume(found)
            await asyncio.sleep(RESUME_PAUSE_SECONDS)

    def _resume(self, found: Iterable[Match]) -> int:
        waiting = [match for match in found if match.lets_agent_move and not self._is_thinking(match.id)]
        for match in waiting:
            self.wake(match)
        return len(waiting)

    async def _wake_if_asleep(self, match_id: int, before: datetime) -> bool:
        if self._is_thinking(match_id):
            return False
        match = await self._stores.matches.find(match_id)
        if match is None or self._is_thinking(match_id) or match.touched_at >= before:
            return False
        if match.lets_agent_move:
            log.warning("match %d: its agent had fallen asleep and is woken", match_id)
        self.wake(match)
        return match.lets_agent_move

    def _is_thinking(self, match_id: int) -> bool:
        _, task = self._thinking.get(match_id, (None, None))
        return task is not None and not task.done()

    async def _think(self, match: Match) -> None:
        """Let agents move until a person has the turn or the match is over."""
        task = asyncio.current_task()
        try:
            while match.lets_agent_move and task is not None:
                self._thinking[match.id] = (match.turn, task)
                stored = await self._store(match, await self._choose(match))
                if stored is None:
                    return
                match = stored
        finally:
            if self._thinking.get(match.id, (0, None))[1] is task:
                del self._thinking[match.id]
        self.wake(match)

    async def _choose(self, match: Match) -> Answer:
        """Return the answer that could not be stored before, or a new one; a coach may hold it."""
        kept = self._unstored.get(match.id)
        if kept is not None and kept.turn == match.turn:
            return kept
        if match.coached_ply is not None and (held := await self._judge(match)) is not None:
            return AgentHold(match.turn, held)
        loop = asyncio.get_running_loop()
        began = loop.time()
        chosen = await self._agent_search.choose(match)
        if is_unseen(match):
            await asyncio.sleep(min(self._pace_seconds, UNSEEN_PACE_SECONDS))
        elif match.is_watched:
            await self._pause(match, began)
        return chosen

    async def _pause(self, match: Match, began: float) -> None:
        """Wait until the next move is due, at a speed that may change meanwhile.

        began: when the agent began to think, in the loop's time.
        """
        loop = asyncio.get_running_loop()
        while True:
            pace = (await self._changes.latest(match.id)).pace
            left = max(began + self._seconds_at(pace) - loop.time(), self._head_start(match))
            if left <= 0:
                return
            pause = self._pauses[match.id] = asyncio.create_task(asyncio.sleep(left))
            try:
                await asyncio.wait([pause])
            finally:
                pause.cancel()
                del self._pauses[match.id]

    def _end_pause(self, match_id: int) -> None:
        """Let the pause before the next move read the match's speed again."""
        pause = self._pauses.get(match_id)
        if pause is not None:
            pause.cancel()

    def _seconds_at(self, pace: Pace) -> float:
        """Return the least time between two moves."""
        if pace is Pace.QUICK:
            return min(self._pace_seconds, UNSEEN_PACE_SECONDS)
        return self._pace_seconds * (SLOW_FACTOR if pace is Pace.SLOW else 1)

    async def _store(self, match: Match, chosen: Answer) -> Match | None:
        """Return the match as stored; None if the move came too late, or is kept until it can be stored.

        It is tried again and again, since whatever stops a database (a lock, a full disk) is transient.
        """
        for attempt, pause in enumerate((*self._retry_seconds, None)):
            try:
                # Asked after the search, since the other match may have gone on meanwhile.
                number = await self._allowed_help.awaited_by(match)
                answer = chosen if number is None else AgentWait(match.turn, number)
                stored = await self._changes.of_match(match.id, answer.apply)
            except MatchError as refusal:
                log.info("match %d: an agent's answer was dropped: %s", match.id, refusal)
                self._unstored.pop(match.id, None)
                # An attempt that failed may have been stored all the same; then it is not displayed yet.
                return await self._changed_since(match) if attempt else None
            except Exception as error:  # noqa: BLE001 - whatever it is, the move must not be lost
                self._unstored[match.id] = chosen
                log.log(
                    logging.ERROR if pause is None else logging.WARNING,
                    "match %d: its agent's answer is kept, for it could not be stored: %s", match.id, error,
                )  # fmt: skip
                if pause is None:
                    return None
                await asyncio.sleep(pause)
            else:
                self._unstored.pop(match.id, None)
                return stored
        return None

    async def _changed_since(self, match: Match) -> Match | None:
        found = await self._stores.matches.find(match.id)
        return None if found is None or found.version == match.version else found
