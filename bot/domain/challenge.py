"""One invitation to a match, to a person or with an open seat."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random

from bot.domain.clock import heard_until
from bot.domain.errors import MatchError
from bot.domain.location import Channel
from bot.domain.seat import Seat
from bot.domain.terms import First, Terms

EXPIRES_AFTER = timedelta(minutes=30)
"""Discord limits edits of a message that is older than an hour."""

MAX_OPEN, MAX_OPEN_TO_ONE, MAX_TABLES = 10, 3, 2
"""Open invitations of one person, those of them to the same person, and those of them to other servers."""


_SEEN_BY_OTHER = {First.ME: First.OPPONENT, First.OPPONENT: First.ME, First.RANDOM: First.RANDOM}


class ChallengeStatus(enum.StrEnum):
    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


def seated(asker: Seat, opponent: Seat, first: First, rng: Random) -> tuple[Seat, Seat]:
    """Return both seats, the one that begins first."""
    begins = first is First.ME or (first is First.RANDOM and rng.random() < 0.5)
    return (asker, opponent) if begins else (opponent, asker)


@dataclass(frozen=True, slots=True)
class Challenge:
    """An invitation. `id` is 0 until it is stored; without an opponent the seat is open to anyone.

    terms: `first` as the challenger sees it. rematch_of: the finished match that it follows. match_id: the
    match that it led to. is_table: the open seat is offered in other servers, too.
    """

    id: int
    challenger: Seat
    opponent: Seat | None
    terms: Terms
    location: Channel
    created_at: datetime
    expires_at: datetime
    status: ChallengeStatus = ChallengeStatus.OPEN
    rematch_of: int | None = None
    match_id: int | None = None
    version: int = 0
    is_table: bool = False

    @property
    def is_open(self) -> bool:
        return self.status is ChallengeStatus.OPEN

    def is_answered_by(self, other: Challenge) -> bool:
        """Whether both people invite each other to the same match: to a rematch, or here on equal terms.

        Terms differ where both want to begin, too.
        """
        if self.opponent is None or other.opponent is None or self.rematch_of != other.rematch_of:
            return False
        if (self.challenger.user_id, self.opponent.user_id) != (
            other.opponent.user_id,
            other.challenger.user_id,
        ):
            return False
        return self.rematch_of is not None or (
            self.location.channel_id == other.location.channel_id
            and self.terms == replace(other.terms, first=_SEEN_BY_OTHER[other.terms.first])
        )

    def accept(self, user_id: int, now: datetime) -> Challenge:
        """Accept it as the person challenged, or as anyone but the challenger if the seat is open.

        Raises MatchError.
        """
        self._check_open(now)
        if user_id == self.challenger.user_id:
            raise MatchError("challenge_own")
        if self.opponent is not None and user_id != self.opponent.user_id:
            raise MatchError("challenge_not_yours", name=self.opponent.name)
        return self._to(ChallengeStatus.ACCEPTED)

    def decline(self, user_id: int, now: datetime) -> Challenge:
        """Decline it as the person challenged, or withdraw it as the challenger; raises MatchError."""
        self._check_open(now)
        if user_id == self.challenger.user_id:
            return self._to(ChallengeStatus.WITHDRAWN)
        if self.opponent is None:
            raise MatchError("challenge_open_seat", name=self.challenger.name)
        if user_id != self.opponent.user_id:
            raise MatchError("challenge_not_yours", name=self.opponent.name)
        return self._to(ChallengeStatus.DECLINED)

    def expire(self, now: datetime) -> Challenge | None:
        """Return the expired challenge, or None if its time has not run out."""
        is_due = self.is_open and heard_until(now) >= self.expires_at
        return self._to(ChallengeStatus.EXPIRED) if is_due else None

    def shown_by(self, message_id: int) -> Challenge:
        """Return the challenge with the message that displays it."""
        return replace(self, location=replace(self.location, message_id=message_id), version=self.version + 1)

    def _check_open(self, now: datetime) -> None:
        if not self.is_open:
            raise MatchError("challenge_not_open")
        if now >= self.expires_at:
            raise MatchError("challenge_expired")

    def _to(self, status: ChallengeStatus) -> Challenge:
        return replace(self, status=status, version=self.version + 1)
