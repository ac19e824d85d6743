"""Rate limits: how many requests each route takes in a window, told in the headers of every answer."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Headers: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True)
class Limit:
    requests: int
    seconds: float


MINUTE = 60.0

WINDOWS: Mapping[str, Limit] = {
    "POST /channels/{channel}/messages": Limit(5, 5.0),
    "PATCH /channels/{channel}/messages/{message}": Limit(5, 5.0),
    "DELETE /channels/{channel}/messages/{message}": Limit(5, 1.0),
    "GET /channels/{channel}/messages": Limit(5, 5.0),
    "GET /channels/{channel}/messages/{message}": Limit(5, 5.0),
    "POST /channels/{channel}/messages/{message}/threads": Limit(50, 5 * MINUTE),
    "POST /channels/{channel}/threads": Limit(50, 5 * MINUTE),
    "PATCH /channels/{channel}": Limit(2, 10 * MINUTE),
    "PUT /channels/{channel}/messages/pins/{message}": Limit(5, 5.0),
    "POST /webhooks/{application}/{token}": Limit(5, 2.0),
    "PATCH /webhooks/{application}/{token}/messages/{message}": Limit(5, 2.0),
    "POST /applications/{application}/emojis": Limit(50, 60 * MINUTE),
    "PUT /applications/{application}/commands": Limit(5, 20.0),
    "POST /guilds/{guild}/scheduled-events": Limit(5, MINUTE),
    "PUT /guilds/{guild}/members/{user}/roles/{role}": Limit(10, 10.0),
    "DELETE /guilds/{guild}/members/{user}/roles/{role}": Limit(10, 10.0),
}
"""The windows that bots have observed; Discord publishes none and may change them."""

OTHER = Limit(50, 1.0)
"""The window of every other route."""

GLOBAL = Limit(50, 1.0)
"""All requests of the bot but those of interactions (Discord's documentation, "Rate Limits")."""


@dataclass
class Window:
    """A window in use. refused: the processes that it has refused a request.

    discord.py may send one request too many: while several are under way, each answer lets another one go.
    So the first refusal is no mistake of the bot, but it has to wait then.
    """

    limit: Limit
    ends_at: float = 0.0
    used: int = 0
    refused: set[int] = field(default_factory=set)

    def take(self) -> float:
        """Count a request; return 0, or the seconds to wait if the window has none left."""
        now = time.monotonic()
        if now >= self.ends_at:
            self.ends_at, self.used, self.refused = now + self.limit.seconds, 0, set()
        if self.used >= self.limit.requests:
            return self.ends_at - now
        self.used += 1
        return 0.0

    def headers(self, bucket: str) -> Headers:
        rest = max(0.0, self.ends_at - time.monotonic())
        values = {
            "Limit": self.limit.requests,
            "Remaining": self.limit.requests - self.used,
            "Reset": f"{time.time() + rest:.3f}",
            "Reset-After": f"{rest:.3f}",
            "Bucket": bucket,
        }
        return {f"X-RateLimit-{name}": str(value) for name, value in values.items()}


@dataclass(frozen=True, slots=True)
class Taken:
    """A counted request. wait: the seconds until it is taken, or 0. is_known: whether the sender knew it."""

    wait: float
    headers: Headers
    is_global: bool = False
    is_known: bool = True


class RateLimits:
    """The windows in use. windows: by method and route; all_requests: the limit of all of them together."""

    def __init__(self, windows: Mapping[str, Limit] = WINDOWS, all_requests: Limit = GLOBAL) -> None:
        self._limits = windows
        self._global = Window(all_requests)
        self._windows: dict[tuple[str, str], Window] = {}

    def take(self, route: str, major: str, process: int, *, counts_globally: bool) -> Taken:
        """Count a request of the process.

        major: the part of the path that has windows of its own: a channel, a server, or an interaction.
        """
        window = self._windows.setdefault((route, major), Window(self._limits.get(route, OTHER)))
        if counts_globally and (wait := self._global.take()):
            return Taken(wait, {}, is_global=True)
        wait = window.take()
        is_known, bucket = process in window.refused, f"{hash(route) & 0xFFFFFFFF:08x}"
        if wait:
            window.refused.add(process)
        return Taken(wait, window.headers(bucket), is_known=is_known)

    def forget(self, process: int) -> None:
        """Note that a process begins anew, and knows of no window."""
        for window in self._windows.values():
            window.refused.discard(process)
