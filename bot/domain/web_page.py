"""Pages of matches on the web, and the people who play there."""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.match import Channel, Match
from bot.domain.names import CleanName

_KEY_BYTES, _SECRET_BYTES = 16, 32
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")

LINK_LIFETIME, SESSION_LIFETIME = timedelta(minutes=10), timedelta(days=7)

ACTIVITY_LIFETIME = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class WebPage:
    """The page of a match, at an address that cannot be guessed.

    key: the last part of the address. shared_by: the person who lets everybody with the address watch; None
    for the page of its players alone.
    """

    key: str
    match_id: int
    shared_by: int | None = None

    @staticmethod
    def is_key(text: str) -> bool:
        """Return whether the text could be a key; a database cannot take every text."""
        return _KEY.fullmatch(text) is not None

    @classmethod
    def new(cls, match_id: int, shared_by: int | None = None) -> WebPage:
        return cls(secrets.token_urlsafe(_KEY_BYTES), match_id, shared_by)


@dataclass(frozen=True, slots=True)
class WebSession:
    """A person signed in on the web, for the matches that they play in these channels.

    key: the hash of the browser's secret. matches: those of their links, wherever these are displayed now.
    room: the channel of an Activity, whose matches the person may watch. name: the person's, there.
    expires_at: of a session that is not stored.
    """

    key: str
    user_id: int
    channels: frozenset[int]
    matches: frozenset[int] = frozenset()
    room: Channel | None = None
    name: CleanName | None = None
    expires_at: datetime | None = None

    def covers(self, match: Match) -> bool:
        is_here = not self.channels.isdisjoint((match.location.channel_id, match.location.parent_id))
        return is_here or match.id in self.matches


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def hash_of(secret: str) -> str:
    """Return the only trace of a secret that is stored. Secrets are random, so they need no salt."""
    # A header may hold any bytes, which aiohttp reads as lone surrogates.
    return hashlib.sha256(secret.encode(errors="surrogatepass")).hexdigest()
