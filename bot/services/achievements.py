"""Achievements: the progress of each person, and reviews of finished matches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from bot.domain.achievement import (
    ACHIEVEMENTS,
    Achievement,
    Award,
    Ended,
    ReviewFinding,
    earned_by_review,
    ladder_of,
)
from bot.domain.errors import MatchError
from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.puzzle import run_of
from bot.services.reviews import Reviews
from bot.store.stores import Stores
from engine.analysis.review import Review
from engine.core import Player

log = logging.getLogger(__name__)

REVIEW_SECONDS = 20.0
"""How long the engine searches for proofs in one finished match, at the lowest priority."""

NEWS_FOR = timedelta(hours=12)
"""How old an achievement may be to be announced; older ones were earned before a long outage."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A person's progress towards one achievement.

    earned_at: when it was earned, or None. have: of `achievement.goal` so far.
    share: of all people with a rated match, how many have it, 0 to 1.
    """

    achievement: Achievement
    earned_at: datetime | None
    have: int
    share: float


class Achievements:
    """One for each process; lives on the event loop. review_seconds: as REVIEW_SECONDS."""

    def __init__(
        self,
        stores: Stores,
        reviews: Reviews,
        *,
        clock: Callable[[], datetime],
        review_seconds: float = REVIEW_SECONDS,
    ) -> None:
        self._stores = stores
        self._reviews = reviews
        self._clock = clock
        self._review_seconds = review_seconds

    async def of(self, user_id: int) -> tuple[Progress, ...]:
        """Return the person's progress towards every achievement, in the order of the table."""
        awards = {award.key: award for award in await self._stores.achievements.awards(user_id)}
        totals = await self._stores.achievements.totals()
        people = max(1, totals.players, *totals.holders.values())
        beaten = await self._stores.achievements.beaten(user_id)
        run = run_of(await self._stores.puzzles.record(user_id))
        found = []
        for achievement in ACHIEVEMENTS.values():
            award = awards.get(achievement.key)
            have = achievement.goal if award else _so_far(achievement, beaten, run)
            share = totals.holders.get(achievement.key, 0) / people
            found.append(Progress(achievement, None if award is None else award.at, have, share))
        return tuple(found)

    async def untold(self) -> list[tuple[Match, tuple[Award, ...]]]:
        """Return the awards that are to be announced, with their matches on Discord.

        Those that are too old, or whose match cannot be read, is on the web or between two servers, are told
        to nobody.
        """
        if not await self._stores.achievements.has_untold():
            return []
        news = []
        awards = await self._stores.achievements.untold(self._clock() - NEWS_FOR)
        for match_id, group in groupby(awards, key=lambda award: award.match_id):
            earned = tuple(group)
            try:
                match = None if match_id is None else await self._stores.matches.find(match_id)
            except MatchError as damaged:
                log.info("achievements of match %s are not announced: %s", match_id, damaged)
                match = None
            # Between servers each knows its own person's name alone, and only the home would be told.
            if match is None or isinstance(match.location, Web) or match.is_between:
                await self.mark_told(earned)
            else:
                news.append((match, earned))
        return news

    async def mark_told(self, awards: Sequence[Award]) -> None:
        """Note that these awards were announced, or never will be."""
        await self._stores.achievements.mark_told(awards)

    async def run_once(self) -> bool:
        """Review the match that has waited longest, and store the result; False when none waits."""
        match_id = await self._stores.achievements.due_review()
        if match_id is None:
            return False
        try:
            match = await self._stores.matches.find(match_id)
        except MatchError as damaged:
            log.info("match %d is not reviewed: %s", match_id, damaged)
            await self._stores.achievements.drop_review(match_id)
            return True
        if match is None:
            raise RuntimeError(f"match {match_id} is to be reviewed and does not exist")
        try:
            review = await self._reviews.thorough(match, self._review_seconds)
        except Exception:
            # It would fail again and keep all later matches from being reviewed.
            log.exception("match %d could not be reviewed and is left out", match.id)
            found: tuple[ReviewFinding, ...] = ()
        else:
            found = _found(match, review)
        await self._stores.achievements.finish_review(match, found)
        return True


def _so_far(achievement: Achievement, beaten: frozenset[tuple[str, str]], run: int) -> int:
    """Return the progress towards an achievement that is not earned yet."""
    if achievement.by_run is not None:
        return min(run, achievement.goal)
    if achievement.game is None:
        return 0
    return sum((achievement.game, level) in beaten for level in ladder_of(achievement.game))


def _found(match: Match, review: Review) -> tuple[ReviewFinding, ...]:
    found = []
    for player in Player:
        user_id = match.seats[player].user_id
        # A negative id is the pseudonym of a person deleted meanwhile.
        if user_id is not None and user_id > 0:
            earned = earned_by_review(Ended(match, player), review)
            found.append(ReviewFinding(player, user_id, review.accuracy(player), earned))
    return tuple(found)
