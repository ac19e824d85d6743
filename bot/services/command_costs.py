"""Limits on expensive commands: a token bucket for each person and each server."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from datetime import datetime, timedelta

from bot.domain.errors import Markup, SetupError
from bot.domain.lru_dict import LruDict
from bot.services.bucket import Bucket

PERSON_MOST, PERSON_A_SECOND = 40.0, 1.0
SERVER_MOST, SERVER_A_SECOND = 800.0, 20.0
"""The size of a bucket and its refill rate; a point is about 20 ms of processor time."""

REMEMBERED = 10_000
"""Buckets that are kept; the one untouched longest goes first, and has filled up by then."""


class Cost(enum.IntEnum):
    """The prices of commands, in points."""

    LEADERBOARD = 1
    REVIEW_STEP = 2
    ACHIEVEMENTS = 3
    PROFILE = 4
    IMPORT = 5
    REVIEW = 6
    EXPLANATION = 7
    REPLAY = 8
    TABLE = 10
    EXPORT = 30


Buckets = LruDict[int, Bucket]


class Budget:
    """One for each process; lives on the event loop. clock: the current UTC time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._people: Buckets = LruDict(REMEMBERED)
        self._servers: Buckets = LruDict(REMEMBERED)

    def spend(self, user_id: int, guild_id: int | None, cost: Cost) -> None:
        """Takes it from both, or from none: raises SetupError, which says when there is enough again."""
        asked = [("asked_too_much", self._bucket(self._people, user_id, PERSON_MOST, PERSON_A_SECOND))]
        if guild_id is not None:
            theirs = self._bucket(self._servers, guild_id, SERVER_MOST, SERVER_A_SECOND)
            asked.append(("asked_too_much_here", theirs))
        for key, bucket in asked:
            if bucket.left < cost:
                at = self._clock() + timedelta(seconds=bucket.seconds_until(cost))
                raise SetupError(key, when=Markup(f"<t:{math.ceil(at.timestamp())}:R>"))
        for _, bucket in asked:
            bucket.spend(cost)

    def _bucket(self, buckets: Buckets, key: int, most: float, a_second: float) -> Bucket:
        if key not in buckets:
            buckets[key] = Bucket(most, a_second, lambda: self._clock().timestamp())
        return buckets[key]
