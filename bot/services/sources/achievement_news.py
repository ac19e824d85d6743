"""Achievements that were earned in a match and not announced yet."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Final, Protocol

from bot.domain.achievement import Award
from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.services.ports import Delivered
from bot.services.reconciler import Delivery
from bot.store.stores import Stores

log = logging.getLogger(__name__)

NEWS_FOR = timedelta(hours=12)
"""How old an achievement may be to be announced; older ones were earned before a long outage."""

Awards = tuple[Award, ...]


class Announcer(Protocol):
    """Announces achievements. Errors of Discord are logged and returned, not raised."""

    async def announce(self, match: Match, awards: Awards) -> Delivered:
        """Send one message in the match's channel; repeated soon, it sends no second one."""


class AchievementNews:
    """One message a match. Whatever Discord refuses is not announced."""

    name: Final = "achievements of match"
    idle_seconds: Final = 1.0

    def __init__(self, stores: Stores, announcer: Announcer, *, clock: Callable[[], datetime]) -> None:
        self._stores = stores
        self._announcer = announcer
        self._clock = clock

    async def stale(self, limit: int) -> Sequence[Delivery[Awards]]:
        if not await self._stores.achievements.has_untold():
            return ()
        untold = await self._stores.achievements.untold(self._clock() - NEWS_FOR)
        matches = groupby(untold, key=lambda award: award.match_id)
        return [Delivery(match_id, tuple(awards)) for match_id, awards in matches][:limit]

    async def deliver(self, delivery: Delivery[Awards]) -> Delivered:
        match_id = delivery.item[0].match_id
        try:
            match = None if match_id is None else await self._stores.matches.find(match_id)
        except MatchError as damaged:
            log.info("what was earned in match %s is not announced: %s", match_id, damaged)
            match = None
        if (
            match is not None
            and await self._announcer.announce(match, delivery.item) is Delivered.DISCORD_DOWN
        ):
            return Delivered.DISCORD_DOWN
        await self.give_up(delivery)
        return Delivered.DELIVERED

    async def give_up(self, delivery: Delivery[Awards]) -> None:
        await self._stores.achievements.mark_told(delivery.item)
