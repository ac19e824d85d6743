"""Clocks: settles expired clocks and invitations, and compensates outages."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from bot.domain.errors import MatchError, Unavailable
from bot.domain.match import Match
from bot.services.agent_runner import AgentRunner
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.retry_queue import RetryQueue
from bot.services.votes import Votes
from bot.store.stores import Stores

log = logging.getLogger(__name__)

MAX_CONCURRENT_EXPIRIES = 4
"""How many expired clocks are settled concurrently."""

OUTAGE_AFTER = timedelta(seconds=30)
"""How long ticks must be missing to count as an outage: they come every few seconds, unless the process was
stopped, slept with its machine, waited for its database or was cut off from Discord."""


class Clocks:
    """One per process; lives on the event loop.

    clock: the current UTC time. hears: whether presses can arrive; while they cannot, time is compensated.
    """

    def __init__(
        self,
        stores: Stores,
        changes: Changes,
        challenges: Challenges,
        agents: AgentRunner,
        retries: RetryQueue,
        votes: Votes,
        *,
        clock: Callable[[], datetime],
        hears: Callable[[], bool] = lambda: True,
    ) -> None:
        self._stores = stores
        self._changes = changes
        self._challenges = challenges
        self._agents = agents
        self._retries = retries
        self._votes = votes
        self._clock = clock
        self._hears = hears
        self._ticked_at: datetime | None = None
        self._compensating = asyncio.Lock()

    async def resume(self) -> int:
        """Continue after a start; return how many matches of the first query wait for an agent."""
        self._ticked_at = None
        await self.make_up()
        await self._votes.resume()
        return await self._agents.resume()

    async def make_up(self) -> bool:
        """Move running clocks by the length of an outage; return False while one lasts."""
        async with self._compensating:
            if not self._hears():
                return False
            now, before = self._clock(), self._ticked_at
            if before is None or not timedelta() <= now - before < OUTAGE_AFTER:
                outage = await self._stores.outages.make_up(now)
                if outage is not None:
                    self._changes.forget()
                    log.info("the bot was away for %s; every running clock was moved by that", outage.away)
            self._ticked_at = now
            return True

    async def beat(self) -> None:
        """Store when people could last play, so that the next outage can be measured."""
        await self.make_up()
        if self._ticked_at is not None:
            with self._doubting():
                await self._stores.outages.beat(self._ticked_at)

    async def run_once(self) -> None:
        """Tick, unless an outage lasts."""
        if await self.make_up():
            with self._doubting():
                await self.tick()

    async def tick(self) -> None:
        """Retry deferred work, wake agents, and settle the clocks and invitations that are due."""
        await self._retries.run_once()
        await self._agents.wake_asleep()
        await self._agents.release()
        due = await self._stores.matches.due(self._clock())
        if due and self._ticked_at is not None:
            # A database that takes nothing must be noticed before it is too late for a press in time.
            await self._stores.outages.beat(self._ticked_at)
        # Concurrent changes share their commits; only a few, so that other people's moves need not wait.
        few = asyncio.Semaphore(MAX_CONCURRENT_EXPIRIES)
        found = await asyncio.gather(*(self._settle(match, few) for match in due), return_exceptions=True)
        await self._challenges.expire()
        for error in found:
            if isinstance(error, BaseException):
                raise error

    async def _settle(self, match: Match, few: asyncio.Semaphore) -> None:
        """Let the match be lost on time, end its vote or warn its player, unless it has changed."""
        async with few:
            try:
                if match.awaits_votes:
                    await self._votes.settle(match)
                else:
                    await self._changes.of_match(match.id, expire_or_warn)
            except MatchError as error:
                log.debug("match %d: the clock came too late: %s", match.id, error)
            except Unavailable:
                raise
            except Exception:
                # A damaged match must not keep the others' clocks running.
                log.exception("match %d: its clock could not be settled", match.id)

    @contextmanager
    def _doubting(self) -> Iterator[None]:
        """Count the time since the last tick as an outage if the database is unavailable."""
        try:
            yield
        except Unavailable:
            self._ticked_at = None
            raise


def expire_or_warn(match: Match, now: datetime) -> Match:
    """Return the match lost on time, warned, or with the answer that its coach held for long enough.

    Raises MatchError, `stale` if nothing is due.
    """
    if match.due_at is None:
        raise MatchError("match_over")
    if match.due_at > now:
        raise MatchError("stale")
    if match.is_held:
        return match.answered(now)
    if (ended := match.expire(now)) is not None:
        return ended
    if match.has_run_out(now):
        raise MatchError("stale")  # a press that was made in time may be under way; a warning is no use
    return match.warn()
