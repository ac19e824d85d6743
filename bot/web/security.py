"""The requests that the web server accepts, and the headers of all its answers."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from aiohttp import web

from bot.domain.lru_dict import LruDict
from bot.services.rate_window import RateWindow

MAX_BYTES = 2048
"""Of a message or the body of a request."""

MESSAGES, WITHIN_SECONDS = 20, 10.0
"""How many messages one person, or one address of strangers, may send in that time."""

STARTS, STARTS_WITHIN_SECONDS = 3, 60.0

REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Site:
    """The addresses at which browsers reach the server, such as `https://play.example.org`.

    origins: empty where every host name of this machine is accepted. activity: of the page inside Discord.
    """

    origins: frozenset[str] = frozenset()
    activity: str | None = None

    @classmethod
    def on_loopback(cls, port: int) -> Site:
        return cls(frozenset(f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")))

    def knows_host(self, request: web.Request) -> bool:
        """Whether the request is for this site, and not for a foreign name that leads to this machine."""
        return not self.origins or any(urlsplit(one).netloc == request.host for one in self.origins)

    def is_own(self, request: web.Request) -> bool:
        """Whether a page of this site made the request: browsers name the page's origin."""
        origin = request.headers.get("Origin", "")
        if self.activity is not None and origin == self.activity:
            return True
        if self.origins:
            return origin in self.origins
        # Not urlsplit, which raises ValueError for some texts.
        return origin.partition("://")[2] == request.host


def cookie_name(request: web.Request) -> str:
    """Return the name of the session's cookie: browsers take one with that prefix from this host alone."""
    return "__Host-discade" if is_secure(request) else "discade"


def is_secure(request: web.Request) -> bool:
    """Whether the browser uses HTTPS, as the proxy tells."""
    return request.headers.get("X-Forwarded-Proto", request.scheme) == "https"


def secret_of(request: web.Request) -> str | None:
    """Return the secret of the browser's session, or that of an Activity, which has no cookie."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Bearer":
        return given
    return request.cookies.get(cookie_name(request))


def address_of(request: web.Request) -> str:
    """Return the reader's address, as the proxy on this machine or in this network names it.

    Of an IPv6 address the network of 64 bits, since one machine has all of its addresses.
    """
    peer, forwarded = _address(request.remote), request.headers.get("X-Forwarded-For", "").rpartition(",")[2]
    if peer is None or peer.is_private:
        peer = _address(forwarded.strip()) or peer
    if isinstance(peer, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((peer, 64), strict=False))
    return str(peer or "")


def _address(text: str | None) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address((text or "").partition("%")[0])
    except ValueError:
        return None


@dataclass
class Limits:
    """How often people and addresses may do something. Lives on the event loop."""

    messages: LruDict[str, RateWindow] = field(default_factory=lambda: LruDict(REMEMBERED))
    starts: LruDict[str, RateWindow] = field(default_factory=lambda: LruDict(REMEMBERED))

    def allows_message(self, who: str) -> bool:
        return _spend(self.messages, who, lambda: RateWindow(MESSAGES, WITHIN_SECONDS))

    def allows_start(self, who: str) -> bool:
        return _spend(self.starts, who, lambda: RateWindow(STARTS, STARTS_WITHIN_SECONDS))


def _spend(windows: LruDict[str, RateWindow], who: str, make: Callable[[], RateWindow]) -> bool:
    window = windows.get(who)
    if window is None:
        window = windows[who] = make()
    if window.left < 1:
        return False
    window.spend(1)
    return True


_FRAMED = web.RequestKey("framed", bool)

_DISCORD = "https://discord.com https://*.discord.com https://*.discordsays.com"


def let_discord_frame(request: web.Request) -> None:
    """Allow Discord's client, and nothing else, to show the answer in a frame."""
    request[_FRAMED] = True


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that every answer has."""
    is_framed = request.get(_FRAMED, False)
    framing = _DISCORD if is_framed else "'none'"
    scheme = "wss" if is_secure(request) else "ws"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' {scheme}://{request.host}; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {framing}"
    )
    response.headers.update(
        {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "Server": "Discade",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if not is_framed:
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
