"""Guests: people without Discord who play on the web for a day, known by a random secret in a cookie."""

from __future__ import annotations

from datetime import timedelta

from bot.domain.match import Match
from bot.domain.web_session import hash_of

GUEST_LIFETIME = timedelta(days=1)
"""After which a guest's matches and everything else about them are deleted."""

GUEST_IDS = range(2**40, 2**50)
"""The ids of guests. Discord's hold the time since 2015 from bit 22 on, and its users have higher ones."""

LOCAL_USER = 1
"""The id of the person at this machine, who plays without Discord: no person there has it."""

GUEST_STRENGTHS = 3
"""How many of the five strengths play against guests, from the weakest on."""


def guest_id(secret: str) -> int:
    """Return the id of the guest whose browser has that secret; it can be neither guessed nor chosen."""
    return GUEST_IDS.start + int(hash_of(secret), 16) % len(GUEST_IDS)


def is_guest(user_id: int | None) -> bool:
    # `in` would count through the range for what is no whole number.
    return user_id is not None and GUEST_IDS.start <= user_id < GUEST_IDS.stop


def is_unnamed(user_id: int | None) -> bool:
    """Return whether the person has no name of their own: a guest, or the person at this machine."""
    return user_id == LOCAL_USER or is_guest(user_id)


def has_guest(match: Match) -> bool:
    return any(is_guest(seat.user_id) for seat in match.seats)
