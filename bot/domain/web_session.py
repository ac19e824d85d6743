"""People who play on the web: the sessions of their browsers, and how long each kind lasts."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.names import CleanName

LINK_LIFETIME = timedelta(minutes=10)
"""How long a personal link can be exchanged for a session."""

SESSION_LIFETIME = timedelta(days=7)
"""Of a browser's session, which is stored; opening a new link prolongs it."""

ACTIVITY_LIFETIME = timedelta(hours=12)
"""Of a session in an Activity, which lives in memory alone."""

_SECRET_BYTES = 32


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
